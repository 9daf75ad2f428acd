internal import Base
internal import Pricing

/// One part of a receipt, before it has a layout: the text of 40 columns and the paper of a printer show the
/// same parts.
package enum ReceiptPart: Hashable, Sendable {
    /// A line of the store's head, in the middle.
    case title(String)
    case mark(ReceiptMark)
    /// In the middle, below everything else.
    case note(String)
    case text(String)
    /// A text at the left margin, an amount at the right one.
    case row(String, String)
    /// As ``row(_:_:)``, for the sum that is paid.
    case total(String, String)
    case rule

    /// The part on one line of ``Receipt/width`` columns.
    var line: String {
        switch self {
        case .title(let text), .note(let text): Receipt.centred(text)
        case .mark(let mark): Receipt.centred(mark.text)
        case .text(let text): Receipt.clipped(text)
        case .row(let left, let right), .total(let left, let right): Receipt.row(left, right)
        case .rule: String(repeating: "-", count: Receipt.width)
        }
    }

    /// The blocks that have parts, with a rule between them.
    static func joined(_ blocks: [[ReceiptPart]]) -> [ReceiptPart] {
        Array(blocks.filter { !$0.isEmpty }.joined(separator: [.rule]))
    }

    /// The lines of a receipt, each ended by a line feed.
    static func text(of parts: [ReceiptPart]) -> String {
        parts.map(\.line).joined(separator: "\n") + "\n"
    }
}

/// What a receipt must say of itself in letters that nobody overlooks.
package enum ReceiptMark: String, Hashable, Sendable {
    case void = "VOID"
    case refund = "REFUND"
    case offline = "OFFLINE"
    /// Not the paper that the customer got first.
    case copy = "COPY"
    /// No money moved.
    case simulated = "SIMULATED"

    /// In every language, as it stands in the text.
    var text: String { framed(Language.allCases.map(\.receiptTexts)) }

    /// As it stands on paper: a printer without a Chinese font gets no Chinese characters.
    package func text(from texts: any ReceiptTexts) -> String { framed([texts]) }

    /// With the English word on every receipt.
    private func framed(_ texts: [any ReceiptTexts]) -> String {
        let others = texts.map { $0.mark(self) }.filter { $0 != rawValue }
        return "*** \(([rawValue] + others).joined(separator: " ")) ***"
    }
}
