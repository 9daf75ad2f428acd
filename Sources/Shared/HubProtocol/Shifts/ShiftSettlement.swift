/// What became of a closed shift: the terminal and the hub derive it alike from the closing and the
/// statements.
package struct ShiftSettlement: Hashable, Sendable {
    /// The states of a shift (docs/concepts/shifts.md).
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Not closed yet.
        case open
        /// Closed; the hub has not compared it yet.
        case provisional
        /// The hub has every entry, and the same sums.
        case confirmed
        /// Sums or heads differ, or entries are missing for good.
        case disputed
    }

    /// A figure that differs.
    package struct Difference: Fact {
        /// For example `sales.total` or `tenders.cash.amount`.
        package private(set) var figure = ""
        package private(set) var terminal: Int64 = 0
        package private(set) var hub: Int64 = 0

        init(figure: String, terminal: Int64, hub: Int64) {
            (self.figure, self.terminal, self.hub) = (figure, terminal, hub)
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("figure", &figure)
            try m.number("hub", &hub, .optional)
            try m.number("terminal", &terminal, .optional)
        }
    }

    /// Never ``State/open``.
    package let state: State
    /// Empty unless ``state`` is ``State/disputed``.
    package let differences: [Difference]
    /// Whether the hub's copy of the shift's last entry has the same hash; true while there is none.
    package let isHeadEqual: Bool

    /// Compares a closing with the statements of its shift, one for each epoch.
    ///
    /// A database that was restored, or a clone, can close a shift that was closed and confirmed before. The
    /// statement of before is then an earlier epoch's, and the shift provisional until the one of this epoch
    /// came. In the copy that closed it first a later epoch's statement shows that the shift did not end
    /// there: it is disputed.
    ///
    /// - Parameters:
    ///   - statements: in the order of their epochs.
    ///   - epoch: the journal's in which the hub got the closing, or a later one; nil: it does not have it.
    package init(_ closing: ShiftClosing, _ statements: [ShiftStatement], arrivedIn epoch: Int64?) {
        guard let epoch, let last = statements.last, last.to == closing.to || last.epoch >= epoch else {
            (state, differences, isHeadEqual) = (.provisional, [], true)
            return
        }
        var differences: [Difference] = []
        let gap = statements.reduce(0) { $0 + $1.gap }
        if gap != 0 { differences.append(Difference(figure: "gap", terminal: 0, hub: gap)) }
        var sums: ShiftSums? = ShiftSums()
        for statement in statements { sums = try? sums?.adding(statement.sums) }
        differences += (sums ?? ShiftSums()).differences(from: closing.sums)
        isHeadEqual = last.head == closing.head
        self.differences = differences
        state = differences.isEmpty && isHeadEqual ? .confirmed : .disputed
    }
}

extension ShiftSums {
    /// The figures of the hub, this value, that are not the terminal's.
    func differences(from terminal: ShiftSums) -> [ShiftSettlement.Difference] {
        let (own, other) = (named, terminal.named)
        return Set(own.keys).union(other.keys).sorted().compactMap { name in
            let (hub, till) = (own[name] ?? 0, other[name] ?? 0)
            return hub == till
                ? nil : ShiftSettlement.Difference(figure: name, terminal: till, hub: hub)
        }
    }

    /// Each figure by its path in ``json``.
    private var named: [String: Int64] {
        var figures = Self.figures.mapValues { self[keyPath: $0] }
        figures["uncounted"] = uncounted.count
        for tender in tenders {
            figures["tenders.\(tender.method).count"] = tender.count
            figures["tenders.\(tender.method).amount"] = tender.amount
        }
        for tax in taxes {
            figures["taxes.\(tax.taxBasisPoints).paid"] = tax.paid
            figures["taxes.\(tax.taxBasisPoints).tax"] = tax.tax
        }
        return figures
    }
}
