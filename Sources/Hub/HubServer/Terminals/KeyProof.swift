import Base

internal import Crypto
internal import Foundation
internal import HubProtocol

/// The headers by which an enrolment or a renewal proves a device key: a date and the signature of the
/// request.
struct KeyProof {
    /// Whom the terminal takes this hub for; nil in a renewal that signs neither host nor terminal.
    let host: String?
    private let dateText: String
    private let signature: Data
    private let signed: [UInt8]

    /// Of an enrolment. Without `Pos-Host` the host that the request is addressed to counts.
    ///
    /// - Returns: nil where a header is missing.
    init?(enrolment request: HubRequest, body: [UInt8]) {
        let named = request.header(HeaderNames.host) ?? request.authority.flatMap(HostCheck.host(of:))
        guard let host = named?.lowercased() else { return nil }
        self.init(request, host: host) { path, date in
            SignedRequest.signedBytes(method: "POST", path: path, date: date, body: body, host: host)
        }
    }

    /// Of a renewal of a terminal's token.
    ///
    /// - Returns: nil where a header is missing.
    init?(renewal request: HubRequest, of terminalId: String, body: [UInt8]) {
        let host = request.header(HeaderNames.host)?.lowercased()
        self.init(request, host: host) { path, date in
            host.map {
                SignedRequest.signedBytes(
                    method: "POST", path: path, date: date, body: body, host: $0, terminalId: terminalId)
            } ?? SignedRequest.signedBytes(method: "POST", path: path, date: date, body: body)
        }
    }

    private init?(
        _ request: HubRequest, host: String?, signed: (_ path: String, _ date: String) -> [UInt8]
    ) {
        guard let date = request.header(HeaderNames.date),
            let signature = request.header(HeaderNames.signature).flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        self.host = host
        dateText = date
        self.signature = signature
        self.signed = signed(request.path, date)
    }

    /// Whether the request is for one of these hosts; none: any.
    func isMeant(for hosts: Set<String>) -> Bool {
        host.map { hosts.isEmpty || hosts.contains($0) } ?? true
    }

    /// - Parameter publicKey: Ed25519, in base64.
    func isSigned(by publicKey: String) -> Bool {
        guard let raw = Data(base64Encoded: publicKey),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return false }
        return key.isValidSignature(signature, for: signed)
    }

    /// The date that was signed, in milliseconds since 1970.
    ///
    /// - Parameter last: that of the terminal's last renewal; each counts once. Nil for an enrolment, whose
    ///   code counts once.
    /// - Throws: `clock_skew` with a time that would do.
    @discardableResult
    func date(at now: Int64, after last: Int64?) throws(Problem) -> Int64 {
        guard let date = Timestamp.milliseconds(of: dateText),
            abs(date - now) <= SignedRequest.maximumSkewMilliseconds, last.map({ date > $0 }) ?? true
        else { throw .clockSkew(hubTime: max(now, last.map { $0 + 1 } ?? now)) }
        return date
    }
}

extension Problem {
    static func clockSkew(hubTime: Int64) -> Problem {
        Problem(
            status: 401, code: .clockSkew, title: "The clocks disagree",
            detail: "Pos-Date is more than 5 minutes off, or not later than that of the last renewal. "
                + "Sign again with hubTime.",
            extensions: ["hubTime": .string(Timestamp.text(milliseconds: hubTime))])
    }
}
