package import HubProtocol
internal import Pricing

/// Compares what the hub countersigned of a shift with the documents of the journal feed that its entries
/// made: whoever books the documents comes to the shift's report.
///
/// A shift is compared only where each of its sales, voids, refunds and movements of cash was applied and has
/// a document; where a sale or refund lacks it, the sums of that entry differ by themselves (``KeptSums``),
/// and of an archived day the file has them.
package struct ShiftDocuments: Sendable {
    /// An entry of the shift's part of the journal.
    package struct Entry: Sendable {
        /// The mutation's type.
        package let type: String
        /// Whether the hub applied it.
        package let isApplied: Bool
        /// As it is served; nil: it has none.
        package let document: String?

        package init(type: String, isApplied: Bool, document: String?) {
            (self.type, self.isApplied, self.document) = (type, isApplied, document)
        }
    }

    private let statement: ShiftStatement
    private let float: Int64
    private var sums = ShiftSums()
    /// As the documents have it; nil: none of them is the shift's opening.
    private var opened: Int64?
    /// By method, cash as one; of what is in ``sums``.
    private var tenders: [String: Int64] = [:]
    /// Whether every entry so far can be compared.
    package private(set) var isComparable: Bool

    /// The entries that have documents.
    private static let types: Set<String> = [
        CompletedOrder.type, "order.voided", "refund.completed", CashMove.type, ShiftOpening.type,
    ]

    /// Nothing added yet.
    ///
    /// - Parameter float: minor units in the drawer at the begin, by the closing.
    package init(of statement: ShiftStatement, float: Int64) {
        (self.statement, self.float) = (statement, float)
        isComparable = statement.sums.uncounted.count == 0
    }

    /// Adds an entry; the order does not matter.
    package mutating func add(_ entry: Entry) {
        guard isComparable, Self.types.contains(entry.type) else { return }
        guard entry.isApplied, let text = entry.document else { return isComparable = false }
        let (common, content) = JournalDocument.shown(text)
        guard common.shiftId == statement.shiftId else { return }
        guard common.kind != .cash else { return count(CashDocument(shown: content)) }
        let document = SaleDocument(shown: content)
        // Of one whose parts do not come to its total, or of a sale that is not here, the shift's report has
        // what the terminal says, and the document has the total alone.
        guard !document.differs, !document.flags.contains(IntakeFlag.orderUnknown.rawValue) else {
            return isComparable = false
        }
        switch common.kind {
        case .order: count(document, 1, in: \.sales)
        case .refund: count(document, -1, in: \.refunds)
        case .void: count(document, -1, in: \.voids)
        case .cash, .shift, .statement, .debt, .debtSettled, .points, .flag: break
        }
    }

    private mutating func count(_ move: CashDocument) {
        switch move.kind {
        case .float: opened = move.amount
        case .move(let kind): sums.cashMoves[kind] &+= kind.hasAmount ? move.amount : 1
        }
    }

    private mutating func count(
        _ document: SaleDocument, _ sign: Int64, in part: WritableKeyPath<ShiftSums, ShiftSums.Count>
    ) {
        // Amounts of money, each within 2⁵³, of at most as many entries as a shift can have.
        sums[keyPath: part].count += 1
        sums[keyPath: part].total &+= document.total
        for kept in document.kept {
            // The rounding is in the drawer.
            let amount = kept.payment.amount &- kept.change
            tenders[kept.payment.tender.counted, default: 0] &+= sign &* amount
        }
    }

    /// Whether the documents come to what the statement says; true where they cannot be compared.
    package var agree: Bool {
        guard isComparable else { return true }
        let stated = statement.sums.tenders.reduce(into: [:]) { $0[$1.method] = $1.amount }
        return sums.sales == statement.sums.sales && sums.refunds == statement.sums.refunds
            && sums.voids == statement.sums.voids && (opened ?? float) == float
            && sums.cashMoves == statement.sums.cashMoves
            && tenders.filter { $0.value != 0 } == stated.filter { $0.value != 0 }
    }
}
