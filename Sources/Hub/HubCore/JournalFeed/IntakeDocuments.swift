import HubProtocol

/// What the effects of one mutation did that its documents say.
struct IntakeOutcome {
    /// The member whose points a sale moved; nil: none that the hub knows.
    var visitor: String?
    /// The sale that a void or a refund is of; nil: the hub does not have it.
    var sale: CompletedOrder?
    /// What a void or a refund moved back of points; nil: nothing.
    var returnedPoints: ReturnedPoints?
    /// What the points that went back had paid of the sale, in minor units; nil: none did.
    private(set) var returnedValue: Int64?
    /// The debts that ended in place of money, by the payments' keys as the terminal names them.
    private(set) var debts: [String: EndedDebt] = [:]

    /// What a void or a refund was of, before it.
    ///
    /// - Parameter value: minor units that the points which went back had paid.
    mutating func note(_ order: RefundableOrder, _ points: ReturnedPoints?, value: Int64?) {
        sale = order.state == nil ? nil : order.sale
        returnedPoints = order.memberId == nil ? nil : points
        returnedValue = (returnedPoints?.spentReturned ?? 0) > 0 ? value : nil
    }

    mutating func note(_ debt: EndedDebt?, named key: String) {
        if let debt { debts[key] = debt }
    }
}

/// The documents of the journal feed that an accepted mutation makes.
struct IntakeDocuments {
    private let record: MutationRecord
    private let outcome: IntakeOutcome
    /// Of a sale, a void or a refund; nil for all others.
    let sale: SaleDocument?

    init(of record: MutationRecord, _ outcome: IntakeOutcome) {
        self.record = record
        self.outcome = outcome
        switch record.mutation.fact {
        case .order: sale = record.mutation.saleDocument
        case .refund(let refund):
            sale = record.mutation.saleDocument?.ending(outcome.debts, of: refund.payments)
        case .void(let void):
            sale = SaleDocument(of: void, taking: outcome.sale)
                .ending(outcome.debts, of: outcome.sale?.payments)
        case .other, nil: sale = nil
        }
    }

    /// - Parameter flags: all of the mutation's.
    func all(flags: Set<IntakeFlag>) -> [JournalDocument] {
        switch record.mutation.fact {
        case .order(let order): return [saleDocument(.order, flags, points: moved(order.points, flags))]
        case .refund: return [saleDocument(.refund, flags, points: returned)] + settlements(by: .refund)
        case .void: return [saleDocument(.void, flags, points: returned)] + settlements(by: .void)
        case .other, nil:
            return (shiftDocument(flags).map { [$0] } ?? []) + cardFindings(flags) + settlements(by: .void)
        }
    }

    /// What a person has to compare of a card machine, one document for each flag: the entry has none.
    private func cardFindings(_ flags: Set<IntakeFlag>) -> [JournalDocument] {
        guard case .success(let mutation) = record.mutation.content,
            ShiftCardMachine.types.contains(mutation.type)
        else { return [] }
        var said = ShiftCardMachine()
        said.add(mutation.type, mutation.payload)
        return flags.sorted().map { flag in
            var common = JournalCommons(.flag, of: record)
            common.id += "." + flag.rawValue
            var finding = FlagDocument(flag.rawValue, isSet: true, of: record.mutation.id)
            (finding.cardDay, finding.cardDecision) = (said.days.first, said.decisions.first)
            return JournalDocument(common, finding)
        }
    }

    private func saleDocument(
        _ kind: JournalDocument.Kind, _ flags: Set<IntakeFlag>, points: SaleDocument.Points?
    ) -> JournalDocument {
        var common = JournalCommons(kind, of: record)
        // A void may name its sale as its entity alone.
        if kind == .void { common.orderId = common.orderId ?? outcome.sale?.orderId }
        common.orderNumber = common.orderNumber ?? outcome.sale?.orderNumber
        common.currency = common.currency ?? outcome.sale?.currency
        var document = sale ?? SaleDocument()
        document.flags = flags.sorted().map(\.rawValue)
        document.points = points
        document.memberId = document.memberId ?? outcome.sale?.pointsMember
        document.replaces = record.supersedes
        return JournalDocument(common, document, entry: record.key)
    }

    /// What a sale's points moved.
    private func moved(_ points: SalePoints?, _ flags: Set<IntakeFlag>) -> SaleDocument.Points? {
        let moved: MovedPoints =
            flags.contains(.pointsLimit) ? .none : flags.contains(.pointsHeld) ? .spentAlone : .all
        return points.flatMap(moved.points).map(SaleDocument.Points.init)
    }

    private var returned: SaleDocument.Points? {
        outcome.returnedPoints.map { SaleDocument.Points($0, value: outcome.returnedValue) }
    }

    private func settlements(by way: DebtSettledDocument.Way) -> [JournalDocument] {
        outcome.debts.values.sorted { $0.key < $1.key }.map { debt in
            var common = JournalCommons(.debtSettled, of: record)
            // One refund can end the debts of two cards.
            common.id += "." + debt.key
            common.orderId = common.orderId ?? outcome.sale?.orderId
            common.currency = common.currency ?? outcome.sale?.currency
            return JournalDocument(common, DebtSettledDocument(debt.key, debt.amount, by: way))
        }
    }

    /// Of the drawer; nil for what cannot be read, and for a closing that ends no shift.
    private func shiftDocument(_ flags: Set<IntakeFlag>) -> JournalDocument? {
        guard case .success(let mutation) = record.mutation.content else { return nil }
        let payload = mutation.payload
        switch mutation.type {
        case CashMove.type:
            guard let move = try? CashMove(json: payload) else { return nil }
            return JournalDocument(JournalCommons(.cash, of: record), CashDocument(move), entry: record.key)
        case ShiftOpening.type:
            guard let opening = try? ShiftOpening(json: payload) else { return nil }
            return JournalDocument(
                JournalCommons(.cash, of: record),
                CashDocument(.float, opening.float, by: opening.openedBy), entry: record.key)
        case ShiftClosing.type where !flags.contains(.shiftOverlaps) && !flags.contains(.detailsUnreadable):
            return JournalDocument(JournalCommons(.shift, of: record), payload.canonicalBytes)
        case _: return nil
        }
    }
}

extension JournalDocument {
    /// A member's balance changed by an entry that is no sale, or besides what its document says.
    static func points(
        _ memberId: String, _ delta: Int64, reason: String?, of record: MutationRecord
    ) -> JournalDocument {
        var common = JournalCommons(.points, of: record)
        // Where members become one, an entry changes two balances.
        common.id += "." + memberId
        return JournalDocument(common, PointsDocument(memberId, delta, reason: reason))
    }
}

extension SaleDocument {
    /// With what ended debts as payments of their own kind.
    ///
    /// - Parameter payments: those of which this document was made, in the same order.
    fileprivate func ending(_ debts: [String: EndedDebt], of payments: [RecordedPayment]?) -> SaleDocument {
        guard !debts.isEmpty else { return self }
        var document = self
        for (index, payment) in (payments ?? []).enumerated()
        where payment.authorizationKey.flatMap({ debts[$0] }) != nil {
            document.payments[index].kind = Payment.debt
        }
        return document
    }
}
