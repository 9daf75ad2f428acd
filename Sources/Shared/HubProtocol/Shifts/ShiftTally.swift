import Base

internal import Pricing

/// Adds up the entries of a shift (docs/concepts/shifts.md): the terminal for its X and Z, the hub for
/// the comparison. Both use this code, so that the same entries come to the same sums.
///
/// A sale, a refund, a void and a cash movement count in the shift in which they were made: the void of an
/// earlier shift's sale takes its money out of this one's drawer.
package struct ShiftTally: Hashable, Sendable {
    /// The types of entries that count; others change nothing.
    package static let types = [
        CompletedOrder.type, VoidedOrder.type, CompletedRefund.type, CashMove.type,
    ]

    private static let cash = Settlement.Method.cash.name

    private var counted = ShiftSums()
    private var tenders: [String: ShiftSums.Count] = [:]
    private var taxes: [Int64: Tax] = [:]

    private struct Tax: Hashable {
        var paid: Int64 = 0
        var tax: Int64 = 0
    }

    /// Nothing counted yet.
    package init() {}

    /// What the entries come to so far.
    package var sums: ShiftSums {
        var sums = counted
        sums.tenders = tenders.sorted { $0.key < $1.key }.map {
            ShiftSums.Tender(method: $0.key, count: $0.value.count, amount: $0.value.total)
        }
        sums.taxes = taxes.sorted { $0.key < $1.key }.map {
            ShiftSums.Tax(taxBasisPoints: $0.key, paid: $0.value.paid, tax: $0.value.tax)
        }
        return sums
    }

    /// Counts an entry. One whose amounts cannot be read or added is left out as a whole and named in
    /// ``ShiftSums/uncounted``: a till sold it all the same, and its shift has to end.
    ///
    /// - Parameters:
    ///   - id: of the entry's mutation.
    ///   - type: of the entry's mutation.
    ///   - voided: the payload of the sale that a void reverses, ``voidedOrder(by:_:)``; nil: it is not
    ///     known, and its money counts as cash.
    package mutating func add(id: String, type: String, payload: JSONValue, voided: JSONValue? = nil) {
        let before = self
        do throws(ShapeError) {
            try add(type, payload, voided)
        } catch {
            self = before
            counted.uncounted.add(id)
        }
    }

    /// The order that an entry voids; nil: it voids none.
    package static func voidedOrder(by type: String, _ payload: JSONValue) -> String? {
        type == VoidedOrder.type ? EntryMembers(shown: payload).orderId : nil
    }

    /// Facts are read as they are shown: what a sum needs is checked here, and what it does not need may be
    /// anything.
    private mutating func add(
        _ type: String, _ payload: JSONValue, _ voided: JSONValue?
    ) throws(ShapeError) {
        switch type {
        case CompletedOrder.type: try add(CompletedOrder(shown: payload), 1)
        case VoidedOrder.type where PlantedBug.voidLeavesCash.isPlanted: break
        case VoidedOrder.type:
            try add(VoidedOrder(shown: payload), of: voided.map { CompletedOrder(shown: $0) })
        case CompletedRefund.type: try add(CompletedRefund(shown: payload))
        case CashMove.type: try add(CashMove(json: payload))
        case _: break
        }
    }

    private mutating func add(_ sale: CompletedOrder, _ sign: Int64) throws(ShapeError) {
        let total = try sale.total.within(PayloadRange.count)
        if sign > 0 {
            try counted.sales.add(total)
            if let points = sale.points {
                try counted.pointsEarned.add(points.earned.within(PayloadRange.count))
                try counted.pointsSpent.add(points.spent.within(PayloadRange.count))
            }
        }
        try add(sale.payments, sign)
        let change = try (sale.change ?? 0).within(PayloadRange.difference)
        if change != 0 { try tenders[Self.cash, default: .init()].total.add(-sign * change) }
        try addTaxes(of: sale.lines.map { ($0.taxBasisPoints, $0.total) }, sign)
    }

    private mutating func add(_ void: VoidedOrder, of sale: CompletedOrder?) throws(ShapeError) {
        let total = try void.total.required.within(PayloadRange.count)
        guard void.orderId != nil else { throw .unreadable }
        try counted.voids.add(total)
        try takeBack(void.points)
        if let sale {
            try add(sale, -1)
        } else {
            try tenders[Self.cash, default: .init()].addRepayment(of: total)
        }
    }

    private mutating func add(_ refund: CompletedRefund) throws(ShapeError) {
        try counted.refunds.add(refund.total.required.within(PayloadRange.count))
        try takeBack(refund.points)
        try add(refund.payments, -1)
        try addTaxes(of: refund.lines.required.map { ($0.taxBasisPoints, $0.total) }, -1)
    }

    private mutating func takeBack(_ points: ReturnedPoints?) throws(ShapeError) {
        guard let points else { return }
        try counted.pointsEarned.add(-points.earnedReturned.within(PayloadRange.count))
        try counted.pointsSpent.add(-points.spentReturned.within(PayloadRange.count))
    }

    private mutating func add(_ move: CashMove) throws(ShapeError) {
        guard move.kind != .out || !PlantedBug.cashOutNotCounted.isPlanted else { return }
        try counted.cashMoves[move.kind].add(move.kind.hasAmount ? move.amount : 1)
    }

    private mutating func add(_ payments: [RecordedPayment]?, _ sign: Int64) throws(ShapeError) {
        for payment in try payments.required {
            let amount = try payment.amount.required.within(PayloadRange.count)
            let isCash = payment.shownDetails.kind == .cash
            // Without a kind only one tender is cash, by its name.
            let name = isCash ? payment.method ?? "" : try payment.method.required
            let method = Settlement.Method(name, isCash: isCash).counted
            try tenders[method, default: .init()].count.add(1)
            try tenders[method, default: .init()].total.add(sign * amount)
        }
    }

    /// The tax of a receipt is rounded once for each rate, so each receipt is taken by itself.
    private mutating func addTaxes(
        of lines: [(taxBasisPoints: Int64?, total: Int64?)], _ sign: Int64
    ) throws(ShapeError) {
        var paid: [(basisPoints: Int64, amount: Int64)] = []
        for line in lines {
            paid.append(
                (
                    try line.taxBasisPoints.required.within(0...1_000_000),
                    try line.total.required.within(PayloadRange.count)
                ))
        }
        guard let totals = try? ReceiptTotals(paid: paid) else { throw .sumTooLarge }
        for share in totals.taxes {
            try taxes[share.basisPoints, default: Tax()].paid.add(sign * share.paid)
            try taxes[share.basisPoints, default: Tax()].tax.add(sign * share.tax)
        }
    }
}

extension ShiftSums {
    /// What should be in the drawer: the float, cash of sales less refunds and voids, and what was moved.
    ///
    /// - Parameter float: minor units of cash at the begin.
    package func expectedCash(float: Int64) -> Int64 {
        float + (tenders.first { $0.method == Settlement.Method.cash.name }?.amount ?? 0) + cashMoves.inDrawer
    }

    /// The sums of two parts of a shift together, which lie on both sides of a restored database.
    ///
    /// - Throws: ``ShapeError`` where a sum is too large to be money.
    package func adding(_ other: ShiftSums) throws(ShapeError) -> ShiftSums {
        var sums = self
        for figure in Self.figures.values { try sums[keyPath: figure].add(other[keyPath: figure]) }
        for tender in other.tenders {
            let place = sums.tenders.firstIndex { $0.method == tender.method }
            guard let place else {
                sums.tenders.append(tender)
                continue
            }
            try sums.tenders[place].count.add(tender.count)
            try sums.tenders[place].amount.add(tender.amount)
        }
        for tax in other.taxes {
            let place = sums.taxes.firstIndex { $0.taxBasisPoints == tax.taxBasisPoints }
            guard let place else {
                sums.taxes.append(tax)
                continue
            }
            try sums.taxes[place].paid.add(tax.paid)
            try sums.taxes[place].tax.add(tax.tax)
        }
        sums.uncounted.add(other.uncounted)
        sums.tenders.sort { $0.method < $1.method }
        sums.taxes.sort { $0.taxBasisPoints < $1.taxBasisPoints }
        return sums
    }

    /// The figures that every shift has, each by its path in ``json``.
    static var figures: [String: WritableKeyPath<ShiftSums, Int64>] {
        let moves = CashMove.Kind.allCases.map { kind in
            ("cashMoves.\(kind.rawValue)", \ShiftSums.cashMoves[kind])
        }
        return [
            "sales.count": \.sales.count, "sales.total": \.sales.total, "refunds.count": \.refunds.count,
            "refunds.total": \.refunds.total, "voids.count": \.voids.count, "voids.total": \.voids.total,
            "points.earned": \.pointsEarned, "points.spent": \.pointsSpent,
        ].merging(moves) { $1 }
    }
}

extension ShiftSums.Count {
    fileprivate mutating func add(_ amount: Int64) throws(ShapeError) {
        try count.add(1)
        try total.add(amount)
    }

    fileprivate mutating func addRepayment(of amount: Int64) throws(ShapeError) {
        try count.add(1)
        try total.add(-amount)
    }
}

extension Int64 {
    fileprivate mutating func add(_ amount: Int64) throws(ShapeError) {
        let (sum, overflows) = addingReportingOverflow(amount)
        guard !overflows, PayloadRange.sum.contains(sum) else { throw .sumTooLarge }
        self = sum
    }

    fileprivate func within(_ range: ClosedRange<Int64>) throws(ShapeError) -> Int64 {
        guard range.contains(self) else { throw .unreadable }
        return self
    }
}

extension Optional {
    /// What no entry counts without.
    fileprivate var required: Wrapped {
        get throws(ShapeError) {
            guard let self else { throw .unreadable }
            return self
        }
    }
}

extension ShapeError {
    /// Of an entry, which is named and not described.
    fileprivate static let unreadable = ShapeError(path: "payload", expected: "amounts that a shift adds")
    fileprivate static let sumTooLarge = ShapeError(path: "sums", expected: "at most 10^15 in each figure")
}
