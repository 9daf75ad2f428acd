internal import Base
package import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing

/// Lets the hub decide about refunds and voids before money moves.
package protocol RefundDeciding: Sendable {
    /// The hub's decision; what it grants is reserved for this terminal.
    func decide(_ inquiry: RefundInquiry) async throws(InquiryError) -> RefundAnswer

    /// Gives back what was reserved for a refund that is not made.
    func release(_ refundId: String) async throws(InquiryError)
}

/// What the hub responded to a ``RefundInquiry``.
package enum RefundAnswer: Hashable, Sendable {
    case decided(RefundDecision)
    /// A hub of before decides nothing.
    case unsupported
}

/// Whether the hub let a refund or void be made.
enum RefundPermission: Hashable, Sendable {
    /// It is reserved, or the hub decides nothing about it.
    case granted
    /// The hub did not respond, or does not have the sale: the terminal's own rules hold.
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
        let plan = try await plan(draft)
        let inquiry = RefundInquiry(
            refundId: draft.entry.key.description, kind: .refund, sale: named.sale,
            lines: plan.lines.map { RefundInquiry.Line(sku: $0.sku, quantityMilli: $0.quantityMilli) },
            amount: plan.total)
        var decided = draft
        decided.mayBeReserved = true
        switch try await permission(inquiry, named.number, named.currency, within: waiting) {
        case .granted: break
        case .undecided:
            if case .absent(let sale) = draft.source {
                decided = decided.of(.absent(sale.limited(policy.refundLimits.limits(in: sale.currency))))
            }
        }
        decided.promised = plan.total + plan.cashRounding
        return decided
    }

    /// Lets the hub decide about the void of an order of this terminal.
    func permit(voidOf sale: Sale) async throws(OrderRefusal) {
        let inquiry = RefundInquiry(
            refundId: sale.orderId, kind: .void, sale: .number(sale.orderNumber.description), lines: [],
            amount: sale.content.totals.total)
        let waiting = SaleWaiting(budget: delivery.waitBudget, isOfSale: false)
        _ = try await permission(
            inquiry, sale.orderNumber.description, sale.content.currency, within: waiting)
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

    /// The same for a draft that was not recorded, where the hub may have granted it.
    func release(_ draft: RefundDraft) async {
        if draft.mayBeReserved { await release(draft.entry.key.description) }
    }

    /// What the hub granted for a draft is used, or given back.
    func end(_ draft: RefundDraft) {
        receipts.unrecorded.end(draft.entry.key.description)
    }

    func plan(_ draft: RefundDraft) async throws(OrderRefusal) -> RefundPlan {
        let plan = try await OrderRefusal.accessing(await archive.plan(draft))
        return try plan.get()
    }

    /// How the hub knows the sale of a draft; nil: it decides nothing about it.
    private func saleOf(
        _ draft: RefundDraft
    ) async throws(OrderRefusal) -> (sale: RefundInquiry.Sale, number: String, currency: String)? {
        switch draft.source {
        case .order(let id):
            let sale = try await show(id).sale
            let number = sale.orderNumber.description
            return (.number(number), number, sale.content.currency)
        case .absent(let sale):
            guard sale.limits == nil, let code = sale.receipt else { return nil }
            return (.receipt(code.text), code.orderNumber, sale.currency)
        }
    }

    private func permission(
        _ inquiry: RefundInquiry, _ orderNumber: String, _ currency: String, within waiting: SaleWaiting
    ) async throws(OrderRefusal) -> RefundPermission {
        guard let decisions = receipts.decisions else { return .granted }
        let hub = HubInquiry(modes: modes, time: time, waits: receipts.waits)
        receipts.unrecorded.begin(inquiry.refundId)
        // Sent once: what arrives after it was given back would be reserved for nobody.
        let reply = await hub.reply(of: .order, within: waiting, isRepeatable: false) {
            () throws(InquiryError) in try await decisions.decide(inquiry)
        }
        guard case .response(let answer) = reply else { return .undecided }
        switch answer {
        case .unsupported: return .granted
        case .decided(let decision):
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
}
