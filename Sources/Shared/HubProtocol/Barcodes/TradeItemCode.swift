/// A GTIN as EAN-8, UPC-A, EAN-13 or with fourteen digits: one number, which a scanner or a list may write
/// with or without the zeros in front (GS1 General Specifications, section 3.3.2).
package struct TradeItemCode: Hashable, Sendable {
    /// Fourteen digits.
    package let gtin: String

    /// How it can be written; the longest has fourteen digits.
    private static let lengths = [14, 13, 12, 8]

    /// Reads a code; nil for what has another number of digits, or whose last one is not their check digit.
    package init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard Self.lengths.contains(digits.count), digits.allSatisfy(\.isDigit), EANCheckDigit.isRight(digits)
        else { return nil }
        gtin = String(repeating: "0", count: 14 - digits.count) + text
    }

    /// How a catalogue may have the article: with fourteen digits, or as EAN-13, UPC-A or EAN-8 without the
    /// zeros that a GTIN has in front of them.
    package var forms: [String] {
        Self.lengths.filter { length in gtin.dropLast(length).allSatisfy { $0 == "0" } }.map {
            String(gtin.suffix($0))
        }
    }

    /// All codes that name what `code` names, itself among them.
    package static func forms(of code: String) -> [String] { TradeItemCode(code)?.forms ?? [code] }

    /// What is equal for two codes exactly if they name the same: the number, else the code itself.
    package static func key(of code: String) -> String { TradeItemCode(code)?.gtin ?? code }

    /// Whether `text`, where an amount is expected, is rather such a code. What ends with two zeros is an
    /// amount: so do large ones in currencies without decimals, and one code in a hundred.
    package static func isLikely(_ text: some StringProtocol) -> Bool {
        TradeItemCode(text) != nil && !text.hasSuffix("00")
    }
}
