internal import Crypto

/// Digests as the contract writes them.
public enum Digest {
    /// SHA-256 of `bytes` in 64 lower-case hexadecimal characters.
    public static func sha256Hex(_ bytes: [UInt8]) -> String {
        hex(SHA256.hash(data: bytes))
    }

    /// The same of the object in `bytes`, which is canonical, as it would be without its own member `key`.
    static func sha256Hex(_ bytes: [UInt8], without key: StaticString) -> String {
        guard let (before, after) = CanonicalDocument.split(bytes, around: key) else {
            return sha256Hex(bytes)
        }
        var hash = SHA256()
        bytes.withUnsafeBytes { buffer in
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<before]))
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[after...]))
        }
        return hex(hash.finalize())
    }

    fileprivate static func hex(_ digest: SHA256.Digest) -> String {
        String(unsafeUninitializedCapacity: 64) { characters in
            for (index, byte) in digest.enumerated() {
                characters[2 * index] = digit(byte >> 4)
                characters[2 * index + 1] = digit(byte & 15)
            }
            return 64
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
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
