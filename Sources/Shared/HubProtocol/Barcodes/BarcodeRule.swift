/// A store's rule for barcodes with a weight or a price inside: EAN-13 of the prefixes 20 to 29, which GS1
/// leaves to each store (GS1 General Specifications, section 1.4.4).
///
/// It is written as thirteen characters, `21AAAAAWWWWWC` for example: two digits of the prefix, `A` for the
/// digits of the article, `W` for a weight in thousandths of a unit or `P` for a price in minor units, `V`
/// for a digit that checks the value and is not read, `C` for the check digit of the barcode.
package struct BarcodeRule: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        /// Thousandths of a unit.
        case weightMilli(Int64)
        /// Minor units of the article's currency.
        case priceMinor(Int64)
    }

    /// What a list of rules has to be, as text.
    package static let expected =
        "rules of 13 characters with commas between them, each another prefix: 21AAAAAWWWWWC,22AAAAAPPPPPC"

    /// Digits of the whole barcode.
    static let length = 13

    private let pattern: [UInt8]
    private let article: Range<Int>
    private let value: Range<Int>
    private let isPrice: Bool

    /// Reads one rule; nil for what is none.
    package init?(_ text: String) {
        let pattern = Array(text.utf8)
        guard pattern.count == Self.length, pattern[0] == UInt8(ascii: "2"), pattern[1].isDigit,
            pattern.last == UInt8(ascii: "C"),
            let article = Self.run(of: "A", in: pattern),
            let value = Self.run(of: "W", in: pattern) ?? Self.run(of: "P", in: pattern),
            pattern[2..<12].count(where: { $0 != UInt8(ascii: "V") }) == article.count + value.count,
            !article.isEmpty, !value.isEmpty
        else { return nil }
        self.pattern = pattern
        self.article = article
        self.value = value
        isPrice = pattern[value.lowerBound] == UInt8(ascii: "P")
    }

    /// Reads rules with commas between them; nil when one of them is none or two have the same prefix.
    package static func list(_ text: String) -> [BarcodeRule]? {
        let texts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " })
        }
        let rules = texts.compactMap(BarcodeRule.init)
        guard rules.count == texts.count, Set(rules.map(\.prefix)).count == rules.count else { return nil }
        return rules
    }

    /// The one run of `letter` behind the prefix; nil without one or with several.
    private static func run(of letter: Unicode.Scalar, in pattern: [UInt8]) -> Range<Int>? {
        let places = pattern.indices.dropFirst(2).filter { pattern[$0] == UInt8(ascii: letter) }
        guard let first = places.first, let last = places.last, last - first + 1 == places.count else {
            return nil
        }
        return first..<last + 1
    }

    private var prefix: ArraySlice<UInt8> { pattern.prefix(2) }

    /// What `code` means by this rule; nil when it is no barcode of the rule, its check digit is wrong or its
    /// value is zero.
    ///
    /// - Returns: the value, and how a catalogue may have the article: as the barcode with a value of zero,
    ///   as its digits before the value, or by the article's digits alone.
    package func reading(of code: String) -> (articles: [String], value: Value)? {
        let digits = Array(code.utf8)
        guard digits.count == Self.length, digits.allSatisfy(\.isDigit), digits.starts(with: prefix),
            EANCheckDigit.isRight(digits)
        else { return nil }
        let number = Self.number(digits[value])
        guard number > 0 else { return nil }
        var zeroed = digits
        for place in 2..<12 where !article.contains(place) { zeroed[place] = UInt8(ascii: "0") }
        zeroed[12] = EANCheckDigit.digit(for: zeroed.dropLast())
        let articles = [zeroed, Array(prefix + digits[article]), Array(digits[article])].map {
            String(decoding: $0, as: UTF8.self)
        }
        return (articles, isPrice ? .priceMinor(number) : .weightMilli(number))
    }

    /// What is wrong with a code of this rule's form and prefix that has no reading; nil for one that has a
    /// reading or is none of the rule.
    package func fault(in code: String) -> BarcodeFault? {
        let digits = Array(code.utf8)
        guard digits.count == Self.length, digits.allSatisfy(\.isDigit), digits.starts(with: prefix) else {
            return nil
        }
        return EANCheckDigit.fault(in: digits[...], of: nil)
            ?? (Self.number(digits[value]) == 0 ? .noValue : nil)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64 {
        digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}

/// The last digit of EAN, UPC and GTIN (GS1 General Specifications, section 7.9).
enum EANCheckDigit {
    /// The digit behind `digits`, ASCII; the weights 3 and 1 alternate from the last one back.
    static func digit(for digits: some BidirectionalCollection<UInt8>) -> UInt8 {
        let sum = digits.reversed().enumerated().reduce(0) { sum, next in
            sum + Int(next.element - UInt8(ascii: "0")) * (next.offset.isMultiple(of: 2) ? 3 : 1)
        }
        return UInt8(ascii: "0") + UInt8((10 - sum % 10) % 10)
    }

    /// Whether the last of `digits`, ASCII, is the check digit of those before it.
    static func isRight(_ digits: [UInt8]) -> Bool { digits.last == digit(for: digits.dropLast()) }

    /// What is wrong with `digits`, ASCII; nil: the last one is their check digit.
    static func fault(in digits: ArraySlice<UInt8>, of source: String?) -> BarcodeFault? {
        guard let last = digits.last, case let right = digit(for: digits.dropLast()), right != last else {
            return nil
        }
        return .wrongCheckDigit(
            of: source, digit: String(Unicode.Scalar(last)), right: String(Unicode.Scalar(right)))
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

/// Why a code that has a form known here cannot be read.
package enum BarcodeFault: Error, Hashable, Sendable {
    /// The code was misread or mistyped. `of` is the application identifier of the data; nil: the whole code.
    case wrongCheckDigit(of: String?, digit: String, right: String)
    /// GS1 has assigned no application identifier that begins so, so where its data ends is unknown too.
    case unknownIdentifier(String)
    /// Data that is too short, too long or not of digits for its application identifier.
    case malformedData(of: String)
    /// The weight or price in a label is zero: the scale was empty, or the code is the article's own.
    case noValue
    /// Two elements are the article (01).
    case repeatedArticle
    /// It is longer than any code that a scanner reads.
    case tooLong
    /// The elements can be read, and none of them is the article (01).
    case noArticle
}
