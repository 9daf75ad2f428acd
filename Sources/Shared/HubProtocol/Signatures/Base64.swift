/// Base64 of RFC 4648 without Foundation, strict both ways: one text for each byte sequence.
package enum Base64 {
    /// Section 4: `+` and `/`, padded.
    package static func text(_ bytes: [UInt8]) -> String {
        encoded(bytes, alphabet: standard, isPadded: true)
    }

    /// Section 5 without padding: safe in headers, paths and queries.
    package static func urlText(_ bytes: [UInt8]) -> String {
        encoded(bytes, alphabet: url, isPadded: false)
    }

    /// The bytes of a padded text of section 4; nil for anything that ``text(_:)`` would not have written.
    package static func bytes(_ text: String) -> [UInt8]? {
        guard let bytes = decoded(text, alphabet: standard), self.text(bytes) == text else { return nil }
        return bytes
    }

    /// The bytes of an unpadded text of section 5; nil for anything that ``urlText(_:)`` would not have
    /// written.
    package static func urlBytes(_ text: String) -> [UInt8]? {
        guard let bytes = decoded(text, alphabet: url), urlText(bytes) == text else { return nil }
        return bytes
    }

    private static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let url = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let padding = UInt8(ascii: "=")

    private static func encoded(_ bytes: [UInt8], alphabet: [UInt8], isPadded: Bool) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for place in 0..<4 where place <= group.count {
                output.append(alphabet[Int(bits >> UInt32(18 - 6 * place)) & 63])
            }
            if isPadded { output += Array(repeating: padding, count: 3 - group.count) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Digits as far as they go, then padding; what is not exact shows when the bytes are written again.
    private static func decoded(_ text: String, alphabet: [UInt8]) -> [UInt8]? {
        var digits = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { digits[Int(character)] = UInt8(value) }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count / 4 * 3)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for character in text.utf8 {
            if character == padding { break }
            let digit = digits[Int(character)]
            guard digit != 255 else { return nil }
            bits = (bits << 6 | UInt32(digit)) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return output
    }
}
