/// Numbers with two decimal digits in each byte, as ZVT has them.
package enum BCD {
    /// The number; nil where a half byte is no decimal digit, or for more than 9 bytes.
    static func number(_ bytes: some Collection<UInt8>) -> Int64? {
        guard bytes.count <= 9 else { return nil }
        var value: Int64 = 0
        for byte in bytes {
            guard byte >> 4 <= 9, byte & 0xF <= 9 else { return nil }
            value = value * 100 + Int64(byte >> 4) * 10 + Int64(byte & 0xF)
        }
        return value
    }

    /// `value` in `count` bytes, with zeros in front; nil where it is negative or has more digits.
    static func bytes(_ value: Int64, count: Int) -> [UInt8]? {
        guard value >= 0 else { return nil }
        var rest = value
        var bytes = [UInt8](repeating: 0, count: count)
        for index in bytes.indices.reversed() {
            bytes[index] = UInt8(rest / 10 % 10) << 4 | UInt8(rest % 10)
            rest /= 100
        }
        return rest == 0 ? bytes : nil
    }

    /// `value` with zeros in front, where it has fewer digits.
    package static func text(_ value: Int64, digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The half bytes as they are, the higher one of each byte first.
    static func halves(_ bytes: some Collection<UInt8>) -> [UInt8] {
        bytes.flatMap { [$0 >> 4, $0 & 0xF] }
    }
}
