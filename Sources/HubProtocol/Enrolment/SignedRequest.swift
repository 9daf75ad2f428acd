/// What a device signs to renew its token (http.md section 2).
public enum SignedRequest {
    /// The bytes under the Ed25519 signature: `METHOD\nPATH\nDATE\nhex(sha-256(body))`.
    ///
    /// - Parameter date: the value of `Pos-Date`, RFC 3339 UTC.
    public static func signedBytes(method: String, path: String, date: String, body: [UInt8]) -> [UInt8] {
        Array("\(method)\n\(path)\n\(date)\n\(Digest.sha256Hex(body))".utf8)
    }

    /// How far `Pos-Date` may be from the hub's clock, in milliseconds.
    public static let maximumSkewMilliseconds: Int64 = 300_000
}
