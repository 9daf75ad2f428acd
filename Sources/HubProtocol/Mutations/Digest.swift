internal import Crypto

/// Digests as the contract writes them.
public enum Digest {
    /// SHA-256 of `bytes` in 64 lower-case hexadecimal characters.
    public static func sha256Hex(_ bytes: [UInt8]) -> String {
        let alphabet = Array("0123456789abcdef".utf8)
        var characters: [UInt8] = []
        characters.reserveCapacity(64)
        for byte in SHA256.hash(data: bytes) {
            characters.append(alphabet[Int(byte >> 4)])
            characters.append(alphabet[Int(byte & 15)])
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
