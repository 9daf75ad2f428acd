package import HubProtocol

/// Compares what the hub countersigned of a shift with the documents of the journal feed that its entries
/// made: whoever books the documents comes to the shift's report.
///
/// Cash movements are left out: their documents are not found by their entry. A shift is compared only where
/// each of its sales, voids and refunds was applied and has a document; where one lacks it, the sums of that
/// entry differ by themselves (``KeptSums``), and of an archived day the file has them.
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
    private var sums = ShiftSums()
    /// By method, cash as one; of what is in ``sums``.
    private var tenders: [String: Int64] = [:]
    /// Whether every entry so far can be compared.
    package private(set) var isComparable: Bool

    /// Nothing added yet.
    package init(of statement: ShiftStatement) {
        self.statement = statement
        isComparable = statement.sums.uncounted.count == 0
    }

    /// Adds an entry; the order does not matter.
    package mutating func add(_ entry: Entry) {
        guard isComparable, [CompletedOrder.type, "order.voided", "refund.completed"].contains(entry.type)
        else { return }
        guard entry.isApplied, let text = entry.document else { return isComparable = false }
        let (common, content) = JournalDocument.shown(text)
        guard common.shiftId == statement.shiftId else { return }
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

    private mutating func count(
        _ document: SaleDocument, _ sign: Int64, in part: WritableKeyPath<ShiftSums, ShiftSums.Count>
    ) {
        // Amounts of money, each within 2⁵³, of at most as many entries as a shift can have.
        sums[keyPath: part].count += 1
        sums[keyPath: part].total &+= document.total
        for payment in document.payments {
            let method = payment.isCash ? TenderKind.cash.rawValue : payment.method
            tenders[method, default: 0] &+= sign &* payment.amount
        }
        tenders[TenderKind.cash.rawValue, default: 0] &-= sign &* document.change
    }

    /// Whether the documents come to what the statement says; true where they cannot be compared.
    package var agree: Bool {
        guard isComparable else { return true }
        let stated = statement.sums.tenders.reduce(into: [:]) { $0[$1.method] = $1.amount }
        return sums.sales == statement.sums.sales && sums.refunds == statement.sums.refunds
            && sums.voids == statement.sums.voids
            && tenders.filter { $0.value != 0 } == stated.filter { $0.value != 0 }
    }
}
