package import Base

/// What a device signs to enrol and to renew its token (http.md section 2).
package enum SignedRequest {
    /// The bytes under the Ed25519 signature:
    /// `METHOD\nPATH\nDATE\nhex(sha-256(body))\nHOST\nTERMINAL`.
    ///
    /// - Parameters:
    ///   - date: the value of `Pos-Date`, RFC 3339 UTC.
    ///   - host: the value of `Pos-Host`, the host of the hub without a port, so that another hub cannot use
    ///     the request.
    ///   - terminalId: the value of `Pos-Terminal`.
    package static func signedBytes(
        method: String, path: String, date: String, body: [UInt8], host: String, terminalId: String
    ) -> [UInt8] {
        signedBytes(method: method, path: path, date: date, body: body, host: host)
            + Array("\n\(terminalId)".utf8)
    }

    /// The bytes of an enrolment, which has no terminal yet: `METHOD\nPATH\nDATE\nhex(sha-256(body))\nHOST`.
    /// The body has code and key, so a proof is good for no other code and no other key.
    package static func signedBytes(
        method: String, path: String, date: String, body: [UInt8], host: String
    ) -> [UInt8] {
        signedBytes(method: method, path: path, date: date, body: body) + Array("\n\(host)".utf8)
    }

    /// The least that http.md has the hub accept of a renewal: neither host nor terminal. No terminal of
    /// Holdfast sends it.
    package static func signedBytes(method: String, path: String, date: String, body: [UInt8]) -> [UInt8] {
        Array("\(method)\n\(path)\n\(date)\n\(Digest.sha256Hex(body))".utf8)
    }

    /// How far `Pos-Date` may be from the hub's clock, in milliseconds.
    package static let maximumSkewMilliseconds: Int64 = 300_000

    /// How far ahead of its own clock a terminal signs when a hub reports another time, in milliseconds: a
    /// day. Another server in the hub's place gets no signature that is good for later. Half a day would
    /// refuse a clock in the wrong time zone, two days give a stranger another day. Back it goes as far as it
    /// is queried: a signature for a moment that is over is good for nothing.
    package static let maximumLeadMilliseconds: Int64 = 86_400_000
}

/// The body of a renewal by a terminal that the hub does not know any more, after a restore for example.
package struct ReadmissionRequest: Fact {
    /// The device token that the terminal has, expired or not.
    @Secret package private(set) var token: String = ""
    /// The device's Ed25519 public key, 32 bytes in base64.
    package private(set) var publicKey = ""
    /// The terminal's name for the operators' lists, as at its enrolment.
    package private(set) var name = ""

    /// Makes the body; `token` may have expired.
    package init(token: String, publicKey: String, name: String) {
        self.token = token
        self.publicKey = publicKey
        self.name = name
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("name", &name)
        try m.text("publicKey", &publicKey)
        try m.text("token", &token)
    }
}
