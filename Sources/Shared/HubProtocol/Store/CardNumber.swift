/// Card numbers, which nothing here may keep or show.
///
/// A text is cut into runs of digits and blanks, dots, dashes and slashes, as people and card readers group
/// numbers. Within a run every sequence of complete groups counts, so that an expiry date or a check value
/// beside the number hides nothing.
package enum CardNumber {
    /// ISO/IEC 7812: the shortest that are in use have 13 digits, the longest possible ones 19.
    private static let lengths = 13...19

    /// Whether `text` has a part that looks like one: 13 to 19 digits whose last one is their check digit
    /// (Luhn), in groups or not. Longer numbers without a gap are searched at every place. Dates are no
    /// groups: order numbers, and dates with a time, have as many digits.
    package static func isLike(_ text: String) -> Bool {
        // Most texts of a request are shorter than any card number.
        guard text.utf8.count >= lengths.lowerBound else { return false }
        var run: [[UInt8]] = []
        var group: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let digit = digit(scalar) {
                group.append(digit)
                continue
            }
            if !group.isEmpty { run.append(group) }
            group = []
            guard !isGap(scalar) else { continue }
            if hasNumber(run) { return true }
            run = []
        }
        if !group.isEmpty { run.append(group) }
        return hasNumber(run)
    }

    /// Whether `number` looks like one.
    package static func isLike(_ number: Int64) -> Bool {
        // Nothing below has 13 digits.
        number.magnitude >= 1_000_000_000_000 && isLike(String(number))
    }

    /// Whether `text` is an EAN-13. One in ten of them has the check digit of a card number too; of numbers
    /// of cards, whose form with 13 digits is no longer issued, one in ten has that of an EAN.
    package static func isEAN(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        return digits.count == 13 && digits.allSatisfy(\.isDigit) && EANCheckDigit.isRight(digits)
    }

    /// Whether `text` has the form of a telephone number rather than of a card number: with the sign or the
    /// zero of its prefix at most the 15 digits of E.164, as no card number begins with a zero; without them
    /// 13 digits that begin with another one than 4, as Visa alone has issued cards with 13.
    package static func isTelephone(_ text: String) -> Bool {
        let number = text.unicodeScalars.drop { $0 == "+" || $0 == "0" }
        guard number.allSatisfy({ digit($0) != nil || isGap($0) || $0 == "(" || $0 == ")" }) else {
            return false
        }
        let digits = number.compactMap(digit)
        guard number.count == text.unicodeScalars.count else { return digits.count <= 15 }
        return digits.count == 13 && digits.first != 4
    }

    /// `text` for a message: of what looks like a card number and is no EAN only the last four digits.
    package static func masked(_ text: String) -> String {
        guard isLike(text), !isEAN(text) else { return text }
        let digits = text.unicodeScalars.compactMap(digit).suffix(4).map { String($0) }
        return "…" + digits.joined()
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar.value {
        case 0x30...0x39: UInt8(scalar.value - 0x30)
        // As a Chinese input method enters them.
        case 0xFF10...0xFF19: UInt8(scalar.value - 0xFF10)
        case _: nil
        }
    }

    private static func isGap(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "/", "·", "．", "／": true
        case _: scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
        }
    }

    private static func hasNumber(_ run: [[UInt8]]) -> Bool {
        var run = run[...]
        while let place = run.indices.first(where: { date(at: $0, in: run) != nil }) {
            if hasNumber(groups: run[..<place]) { return true }
            run = run[(place + (date(at: place, in: run) ?? 1))...]
        }
        return hasNumber(groups: run)
    }

    private static func hasNumber(groups run: ArraySlice<[UInt8]>) -> Bool {
        for start in run.indices {
            var digits: [UInt8] = []
            for group in run[start...] where digits.count < lengths.upperBound {
                digits += group
                if lengths.contains(digits.count), isNumber(digits[...]) { return true }
            }
            if run[start].count > lengths.upperBound, hasNumber(within: run[start]) { return true }
        }
        return false
    }

    private static func hasNumber(within digits: [UInt8]) -> Bool {
        digits.indices.contains { start in
            lengths.contains { start + $0 <= digits.count && isNumber(digits[start..<start + $0]) }
        }
    }

    /// How many groups at `place` are a date: 20261124, or 2026, 11 and 24; nil: none.
    private static func date(at place: Int, in run: ArraySlice<[UInt8]>) -> Int? {
        func number(_ digits: some Sequence<UInt8>) -> Int { digits.reduce(0) { $0 * 10 + Int($1) } }
        func isDay(_ year: Int, _ month: Int, _ day: Int) -> Bool {
            (2000...2099).contains(year) && (1...12).contains(month) && (1...31).contains(day)
        }
        let first = run[place]
        if first.count == 8 {
            return isDay(number(first[..<4]), number(first[4..<6]), number(first[6...])) ? 1 : nil
        }
        guard first.count == 4, place + 2 < run.endIndex, run[place + 1].count == 2,
            run[place + 2].count == 2,
            isDay(number(first), number(run[place + 1]), number(run[place + 2]))
        else { return nil }
        return 3
    }

    private static func isNumber(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.contains(where: { $0 != 0 }) else { return false }
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            let doubled = Int(digit) * (place.isMultiple(of: 2) ? 1 : 2)
            sum += doubled > 9 ? doubled - 9 : doubled
        }
        return sum.isMultiple(of: 10)
    }
}
