internal import Base
package import HubProtocol
package import MachineRuntime
internal import OfflineCore
package import OfflineMode
internal import Pricing

/// Lets the hub decide about refunds and voids before money moves.
package protocol RefundDeciding: Sendable {
    /// The hub's decision; what it grants is reserved for this terminal.
    func decide(_ inquiry: RefundInquiry) async throws(InquiryError) -> RefundDecision

    /// Gives back what was reserved for a refund that is not made.
    func release(_ refundId: String) async throws(InquiryError)
}

/// Whether the hub let a refund or void be made.
enum RefundPermission: Hashable, Sendable {
    /// It is reserved.
    case granted
    /// No hub decides for this terminal.
    case unsupported
    /// The hub did not respond, or does not have the sale: the store's tills decide, and the terminal's own
    /// rules hold.
    case undecided
}

/// A refund or void that the hub refused, with what it has of the sale.
package struct HubRefusedRefund: Hashable, Sendable {
    /// Why.
    package let reason: RefundDecision.Reason
    /// As printed.
    package let orderNumber: String
    /// ISO 4217, the sale's.
    package let currency: String
    /// Minor units that can still be given back; nil: the hub does not report it.
    package let left: Int64?
    /// What came back, or is about to, oldest first.
    package let returned: [ReceiptSale.Refund]
    /// In the order of ``returned``, in the store's time; empty: not known.
    private let times: [String]

    init(_ decision: RefundDecision, orderNumber: String, currency: String, calendar: BusinessCalendar) {
        reason = decision.reason ?? .exceedsSale
        self.orderNumber = orderNumber
        self.currency = currency
        left = decision.left?.amount
        returned = decision.returned
        times = decision.returned.map { refund in
            let moment = refund.place.flatMap { Timestamp.milliseconds(of: $0.at) }
            return moment.map(calendar.localTime(at:)) ?? ""
        }
    }

    /// The latest of ``returned`` with its time: five, so that a message stays a line.
    var latest: [(refund: ReceiptSale.Refund, time: String)] {
        zip(returned, times).suffix(5).map { ($0, $1) }
    }

    func money(_ amount: Int64) -> String { AmountText.money(amount, currency) }
}

extension Orders {
    /// Lets the hub decide about a refund within what is left of its wait, and fixes its amount to what the
    /// hub granted. Who does not record it then has to ``release(_:)`` it.
    ///
    /// - Returns: the draft to record. Without the hub's word a refund of a sale that is not here is limited
    ///   (``RefundLimits``), also where the hub described the sale.
    func decided(_ draft: RefundDraft, within waiting: SaleWaiting) async throws(OrderRefusal) -> RefundDraft
    {
        guard let named = try await saleOf(draft) else { return draft }
        // The hub did not describe the sale: only the store's tills can decide.
        let isLimited = if case .absent(let sale) = draft.source { sale.limits != nil } else { false }
        let seesOthers = receipts.sellers?.unseen != nil
        guard !isLimited || seesOthers else { return draft }
        let plan = try await plan(draft)
        let inquiry = RefundInquiry(
            refundId: draft.entry.key.description, kind: .refund, sale: named.sale,
            lines: plan.lines.map { RefundInquiry.Line(sku: $0.sku, quantityMilli: $0.quantityMilli) },
            amount: plan.total)
        var decided = draft
        decided.mayBeReserved = !isLimited
        let permission =
            isLimited
            ? .undecided : try await permission(inquiry, named.number, named.currency, within: waiting)
        switch permission {
        case .granted: decided.entry.judgement = judgementOfHub
        case .unsupported: break
        case .undecided:
            decided.isClaimed = seesOthers
            decided.noted = receipts.sellers?.returned(of: named.number) ?? [:]
            decided.entry.judgement = try await judgement(of: decided, inquiry, named.number)
            if case .absent(let sale) = draft.source {
                decided = decided.of(.absent(sale.limited(policy.refundLimits.limits(in: sale.currency))))
            }
        }
        decided.promised = plan.total + plan.cashRounding
        return decided
    }

    /// Nil where this terminal sees no other tills: nothing is said of who decided then.
    private var judgementOfHub: RefundJudgement? {
        receipts.sellers?.unseen == nil ? nil : RefundJudgement(.hub)
    }

    /// Lets the till that sold it decide, where the hub does not.
    private func judgement(
        of draft: RefundDraft, _ inquiry: RefundInquiry, _ number: String
    ) async throws(OrderRefusal) -> RefundJudgement? {
        guard let sellers = receipts.sellers, let unseen = sellers.unseen else { return nil }
        receipts.unrecorded.begin(inquiry.refundId)
        switch draft.source {
        case .order: return RefundJudgement(.seller, unseen: unseen)
        case .absent(let sale):
            guard let code = sale.receipt else { return nil }
            switch await sellers.decide(inquiry, of: number, by: code.terminalId) {
            case .granted(.hub): return RefundJudgement(.hub)
            case .granted(let arbiter): return RefundJudgement(arbiter, unseen: unseen)
            case .silent:
                let silent = Set(unseen).union([code.terminalId]).sorted()
                return RefundJudgement(.none, unseen: silent)
            case .refused:
                await release(draft)
                throw .returnedElsewhere(orderNumber: number)
            }
        }
    }

    /// Lets the hub decide about the void of an order of this terminal.
    ///
    /// - Returns: who decided it; nil: this terminal sees no other tills.
    func permit(voidOf sale: Sale) async throws(OrderRefusal) -> RefundJudgement? {
        let inquiry = RefundInquiry(
            refundId: sale.orderId, kind: .void, sale: .number(sale.orderNumber.description), lines: [],
            amount: sale.content.totals.total)
        let waiting = SaleWaiting(budget: delivery.waitBudget, isOfSale: false)
        let number = sale.orderNumber.description
        switch try await permission(inquiry, number, sale.content.currency, within: waiting) {
        case .granted: return judgementOfHub
        case .unsupported: return nil
        case .undecided:
            guard let sellers = receipts.sellers, let unseen = sellers.unseen else { return nil }
            guard sellers.returned(of: number).isEmpty else {
                await release(sale.orderId)
                throw .refundedAlready(orderNumber: number)
            }
            return RefundJudgement(.seller, unseen: unseen)
        }
    }

    /// Gives back at the hub what may be reserved for a refund or void that was not made. It waits no longer
    /// than a sale; without a response what is reserved ends with the next head of this terminal's journal.
    func release(_ refundId: String) async {
        defer { receipts.unrecorded.end(refundId) }
        guard let decisions = receipts.decisions else { return }
        let hub = HubInquiry(modes: modes, time: time, waits: receipts.waits)
        let waiting = SaleWaiting(budget: delivery.waitBudget)
        _ = await hub.reply(of: .order, within: waiting, isRepeatable: false) {
            () throws(InquiryError) in try await decisions.release(refundId)
        }
    }

    /// The same where the store did not record it. What it may have recorded although it failed stays
    /// reserved: the next head of the journal says whether it did.
    func release(_ refundId: String, after failure: StorageError) async {
        if case .unavailable = failure {
            receipts.unrecorded.end(refundId)
        } else {
            await release(refundId)
        }
    }

    /// The same for a draft that was not recorded, where the hub may have granted it.
    ///
    /// - Parameter failure: of the store; nil: it refused nothing.
    func release(_ draft: RefundDraft, after failure: StorageError? = nil) async {
        let refundId = draft.entry.key.description
        // What the seller granted for one that may be recorded stays with this till until its next start.
        let isUnclear = if case .unavailable? = failure { true } else { false }
        if draft.isClaimed, !isUnclear { receipts.sellers?.end(refundId, isMade: false) }
        guard draft.mayBeReserved else { return receipts.unrecorded.end(refundId) }
        guard let failure else { return await release(refundId) }
        await release(refundId, after: failure)
    }

    /// What the hub granted for a draft is used, or given back.
    func end(_ draft: RefundDraft) {
        if draft.isClaimed { receipts.sellers?.end(draft.entry.key.description, isMade: true) }
        receipts.unrecorded.end(draft.entry.key.description)
    }

    func plan(_ draft: RefundDraft) async throws(OrderRefusal) -> RefundPlan {
        let plan = try await OrderRefusal.accessing(await archive.plan(draft))
        return try plan.get()
    }

    /// How hub and tills know the sale of a draft; nil: nobody decides about goods without a receipt.
    private func saleOf(
        _ draft: RefundDraft
    ) async throws(OrderRefusal) -> (sale: RefundInquiry.Sale, number: String, currency: String)? {
        switch draft.source {
        case .order(let id):
            let sale = try await show(id).sale
            let number = sale.orderNumber.description
            return (.number(number), number, sale.content.currency)
        case .absent(let sale):
            guard let code = sale.receipt else { return nil }
            return (.receipt(code.text), code.orderNumber, sale.currency)
        }
    }

    private func permission(
        _ inquiry: RefundInquiry, _ orderNumber: String, _ currency: String, within waiting: SaleWaiting
    ) async throws(OrderRefusal) -> RefundPermission {
        guard let decisions = receipts.decisions else { return .unsupported }
        let hub = HubInquiry(modes: modes, time: time, waits: receipts.waits)
        receipts.unrecorded.begin(inquiry.refundId)
        // Sent once: what arrives after it was given back would be reserved for nobody.
        let reply = await hub.reply(of: .order, within: waiting, isRepeatable: false) {
            () throws(InquiryError) in try await decisions.decide(inquiry)
        }
        guard case .response(let decision) = reply else { return .undecided }
        switch decision.verdict {
        case .granted: return .granted
        case .unknown: return .undecided
        case .refused:
            receipts.unrecorded.end(inquiry.refundId)
            throw .refusedByHub(
                HubRefusedRefund(
                    decision, orderNumber: orderNumber, currency: currency, calendar: policy.calendar))
        }
    }
}

extension ReceiptPorts {
    /// What the hub says of a refund that another till would make of a sale of this one; nothing stays
    /// reserved for it here.
    ///
    /// - Parameter budget: how long is waited for the hub.
    /// - Returns: nil: the hub does not respond, or does not have the sale.
    package func hubAllows(
        _ inquiry: RefundInquiry, modes: any OfflineModeProviding, time: any SystemTime,
        within budget: Duration
    ) async -> Bool? {
        guard let decisions else { return nil }
        let hub = HubInquiry(modes: modes, time: time, waits: waits)
        let waiting = SaleWaiting(budget: budget, isOfSale: false)
        let reply = await hub.reply(of: .order, within: waiting, isRepeatable: false) {
            () throws(InquiryError) in
            let decision = try await decisions.decide(inquiry)
            if decision.verdict == .granted { try await decisions.release(inquiry.refundId) }
            return decision
        }
        guard case .response(let decision) = reply, decision.verdict != .unknown else { return nil }
        return decision.verdict == .granted
    }
}
