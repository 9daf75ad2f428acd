/// Whole numbers of a peer that only tune a response: what is out of range is brought into it (http.md
/// section 1), what is no number is refused.
enum ClampedNumber {
    /// The number in `text` within `range`, also where it is too large for any integer type; nil for what is
    /// no whole number.
    static func value(of text: String, in range: ClosedRange<Int64>) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.utf8.dropFirst() : Substring(text).utf8
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return clamped(Int64(text) ?? (isNegative ? .min : .max), into: range)
    }

    static func clamped(_ value: Int64, into range: ClosedRange<Int64>) -> Int64 {
        min(max(value, range.lowerBound), range.upperBound)
    }
}
