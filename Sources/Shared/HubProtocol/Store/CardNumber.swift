/// Card numbers, which nothing here may keep or show.
public enum CardNumber {
    /// Whether `text` looks like one: 13 to 19 digits, spaces and hyphens between them left aside, whose last
    /// one is their check digit (Luhn). A part of a text between other characters counts too.
    public static func isLike(_ text: String) -> Bool {
        var digits: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39: digits.append(byte - 0x30)
            case UInt8(ascii: " "), UInt8(ascii: "-"): continue
            case _:
                if isLike(digits) { return true }
                digits = []
            }
        }
        return isLike(digits)
    }

    private static func isLike(_ digits: [UInt8]) -> Bool {
        guard (13...19).contains(digits.count), digits.contains(where: { $0 != 0 }) else { return false }
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            let doubled = Int(digit) * (place.isMultiple(of: 2) ? 1 : 2)
            sum += doubled > 9 ? doubled - 9 : doubled
        }
        return sum.isMultiple(of: 10)
    }
}
