internal import Crypto

/// Digests as the contract writes them.
package enum Digest {
    /// SHA-256 of `bytes` in 64 lower-case hexadecimal characters.
    package static func sha256Hex(_ bytes: [UInt8]) -> String {
        hex(SHA256.hash(data: bytes))
    }

    /// Whether `text` is a digest as ``sha256Hex(_:)`` writes it.
    package static func isSHA256Hex(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The first 50 bits of a digest in ten characters of Crockford's base 32: short enough to be read out
    /// from paper, and one in 10¹⁵ to be met by chance. Two characters fewer would be one in 10¹².
    ///
    /// - Parameter hex: a digest as ``sha256Hex(_:)`` writes it.
    /// - Returns: nil for anything else.
    package static func shortCode(of hex: String) -> String? {
        guard isSHA256Hex(hex), let bits = UInt64(hex.prefix(16), radix: 16) else { return nil }
        return String((0..<10).map { shortAlphabet[Int(bits >> UInt64(59 - 5 * $0)) & 31] })
    }

    private static let shortAlphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

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
package struct RunningDigest: Sendable {
    private var hash = SHA256()

    /// Starts a digest of no bytes.
    package init() {}

    /// Adds the next bytes; how they are split changes nothing.
    package mutating func add(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// Of all that was added, in 64 lower-case hexadecimal characters.
    package var hex: String { Digest.hex(hash.finalize()) }
}
