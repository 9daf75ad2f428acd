internal import Crypto

/// Digests as the contract writes them.
public enum Digest {
    /// SHA-256 of `bytes` in 64 lower-case hexadecimal characters.
    public static func sha256Hex(_ bytes: [UInt8]) -> String { hex(SHA256.hash(data: bytes)) }

    fileprivate static func hex(_ digest: some Sequence<UInt8>) -> String {
        let alphabet = Array("0123456789abcdef".utf8)
        var characters: [UInt8] = []
        characters.reserveCapacity(64)
        for byte in digest {
            characters.append(alphabet[Int(byte >> 4)])
            characters.append(alphabet[Int(byte & 15)])
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

/// SHA-256 over bytes that come one piece after the other.
public struct RunningDigest: Sendable {
    private var hash = SHA256()

    public init() {}

    public mutating func add(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// Of all that was added, in 64 lower-case hexadecimal characters.
    public var hex: String { Digest.hex(hash.finalize()) }
}
