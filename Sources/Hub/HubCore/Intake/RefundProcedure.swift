package import HubProtocol

/// What deciding about refunds reads from the store and writes to it within one transaction, besides the
/// intake.
package protocol RefundTransaction: IntakeTransaction {
    /// The terminal's id, and those under which the same device was enrolled in its store before.
    func enrolments(of device: DeviceIdentity) throws -> [String]
    /// The id of the sale whose number counts and is this one; nil: it has not arrived.
    func orderId(numbered number: String) throws -> String?
    /// What is granted to terminals, what has ended included.
    func grants(of terminalIds: [String]) throws -> [RefundGrant]
    /// Keeps a grant, in place of the same terminal's one of the same id.
    func save(_ grant: RefundGrant) throws
}

/// What came of a request for a decision.
package enum RefundOutcome: Hashable, Sendable {
    case decided(RefundDecision)
    /// No terminal of this hub signed the receipt's code, or it is none.
    case receiptInvalid
    /// The terminal has ``RefundInquiry/mostOpen`` grants open.
    case tooMany
}

/// Decides about a refund or void before money moves (http.md section 6), in a transaction that has begun.
///
/// The sale is kept from changing until the transaction ends, so two hubs never grant the same goods twice.
package enum RefundProcedure {
    /// Decides about `inquiry`, and reserves what it grants. The same inquiry of the same terminal gets the
    /// same decision while it is reserved; another one under the same id takes its place.
    ///
    /// - Parameter now: the hub's wall clock, in milliseconds since 1970.
    package static func decide(
        _ inquiry: RefundInquiry, by device: DeviceIdentity, at now: Int64, in store: some RefundTransaction
    ) throws -> RefundOutcome {
        let code: ReceiptCode?
        let number: String
        switch inquiry.sale {
        case .number(let text): (code, number) = (nil, text)
        case .receipt(let text):
            guard let read = try? ReceiptCode(text: text) else { return .receiptInvalid }
            (code, number) = (read, read.orderNumber)
        }
        let order = try store.orderId(numbered: number).map { try store.refundable(.id($0)) }
        if let code {
            let receipt = ReceiptRefund(
                code, signer: try store.receiptSigner(code.terminalId),
                seller: try order?.terminalId.flatMap { try store.receiptSigner($0) },
                order: order ?? .unknown)
            guard receipt.isSigned else { return .receiptInvalid }
        }
        let own = try store.enrolments(of: device)
        guard let order, let orderId = order.orderId, let state = order.state else {
            return .decided(RefundDecision(.unknown))
        }
        // Whoever shows the signed receipt may bring goods back in any store; a void is its own store's.
        if code == nil || inquiry.kind == .void {
            let role = CallerRole.role(of: device, towardsStore: state.storeId)
            guard AuthorizationTable.allows(.reverseOrder, by: role) else {
                return .decided(RefundDecision(.refused, reason: .foreignStore))
            }
        }
        let view = View(inquiry, of: order, by: own)
        if view.isMade { return .decided(view.decision(.granted)) }
        let grant = RefundGrant(
            inquiry.kind, refundId: inquiry.refundId, orderId: orderId, view.facts,
            to: ReturnedPart.Origin(
                terminalId: device.terminalId, storeId: device.storeId, terminalNumber: nil,
                at: RefundGrant.moment(of: inquiry, at: now)))
        if view.isGranted {
            // From now on: a head that was signed before this request shows nothing of what follows.
            try store.save(grant)
            return .decided(view.decision(.granted))
        }
        if let objection = RefundRules.objection(to: view.reversal, of: order, besides: view.others) {
            try store.endGrant(of: inquiry.refundId, by: own)
            return .decided(view.decision(.refused, objection.reason))
        }
        var open = 0
        for other in try store.grants(of: own) where other.refundId != inquiry.refundId {
            if other.isOver {
                try store.endGrant(of: other.refundId, by: own)
            } else {
                open += 1
            }
        }
        guard open < RefundInquiry.mostOpen else { return .tooMany }
        try store.endGrant(of: inquiry.refundId, by: own)
        try store.save(grant)
        return .decided(view.decision(.granted))
    }

    /// A sale as one inquiry meets it.
    private struct View {
        let order: RefundableOrder
        let facts: RefundFacts
        let reversal: Reversal
        /// What is reserved for others, or for other refunds of the same terminal.
        let others: [RefundGrant]
        /// Whether the same is reserved already.
        let isGranted: Bool
        /// Whether the terminal has made it already.
        let isMade: Bool

        init(_ inquiry: RefundInquiry, of order: RefundableOrder, by own: [String]) {
            self.order = order
            switch inquiry.kind {
            case .void:
                facts = RefundFacts(total: order.sale?.total ?? 0, quantities: order.goods ?? [:])
                reversal = .void
                isMade = order.voiding?.origin.map { own.contains($0.terminalId) } ?? false
            case .refund:
                facts = RefundFacts(inquiry)
                reversal = .refund(facts)
                isMade = order.returned.contains { part in
                    part.refundId == inquiry.refundId
                        && (part.origin.map { own.contains($0.terminalId) } ?? false)
                }
            }
            func isThis(_ grant: RefundGrant) -> Bool {
                grant.refundId == inquiry.refundId && own.contains(grant.holder)
            }
            others = order.grants.filter { !isThis($0) }
            isGranted = order.grants.contains { [facts] grant in
                isThis(grant) && grant.kind == inquiry.kind && grant.facts == facts
            }
        }

        func decision(
            _ verdict: RefundDecision.Verdict, _ reason: RefundDecision.Reason? = nil
        ) -> RefundDecision {
            let back = order.returned.map(\.shown) + [order.voiding?.shown(isVoid: true)].compactMap(\.self)
            return RefundDecision(
                verdict, reason: reason, left: left(taking: verdict == .granted && !isMade),
                returned: back + others.map(\.shown))
        }

        private func left(taking isTaken: Bool) -> RefundDecision.Left? {
            guard let sale = order.sale else { return nil }
            guard order.state?.isVoided == false else { return RefundDecision.Left(amount: 0, lines: []) }
            let gone = order.refunds + others.map(\.facts) + (isTaken ? [facts] : [])
            let amount = gone.reduce(sale.total) { max(0, Merging.add(-$1.total, to: $0) ?? 0) }
            var goods = order.goods ?? [:]
            for (sku, quantity) in gone.flatMap(\.quantities) {
                goods[sku] = goods[sku].map { max(0, Merging.add(-quantity, to: $0) ?? 0) }
            }
            return RefundDecision.Left(
                amount: amount,
                lines: goods.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
                    RefundInquiry.Line(sku: $0.key, quantityMilli: $0.value)
                })
        }
    }
}

extension RefundFacts {
    /// What a terminal is about to give back.
    init(_ inquiry: RefundInquiry) {
        self.init(
            total: inquiry.amount,
            quantities: inquiry.lines.reduce(into: [:]) { sums, line in
                sums[line.sku] = Merging.add(line.quantityMilli, to: sums[line.sku] ?? 0) ?? .max
            })
    }
}

extension RefundableOrder {
    /// A sale that has not arrived.
    fileprivate static let unknown = RefundableOrder(
        nil, of: nil, nil, document: .null, moved: .all, returned: [])

    /// What other devices are about to make of it.
    ///
    /// - Parameter own: the ids of the device that has made something of it.
    func reserved(besides own: [String]) -> [RefundGrant] {
        grants.filter { !own.contains($0.holder) }
    }
}
