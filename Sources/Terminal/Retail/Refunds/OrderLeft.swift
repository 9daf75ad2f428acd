internal import OfflineCore
internal import OfflineMode
internal import Pricing
public import HubProtocol

/// What of an order of this terminal can still come back, over all terminals as far as the hub responds.
public struct OrderLeft: Hashable, Sendable {
    /// Thousandths of a unit, in the order of the sale's lines.
    public let quantities: [Int64]
    /// What came back at other terminals, oldest first; of a void the whole order.
    public let elsewhere: [ReceiptSale.Refund]

    /// - Parameter known: the sale as the hub has it; nil: the terminal knows its own refunds alone.
    init(of order: Order, known: ReceiptSale?) {
        let own = Set(order.refunds.map(\.id))
        elsewhere = (known?.refunds ?? []).filter { !own.contains($0.refundId) }
        let lines = order.sale.content.lines
        guard order.sale.voidedAt == nil, known?.isVoided != true else {
            quantities = lines.map { _ in 0 }
            return
        }
        var left = lines.map(\.price.quantityMilli)
        for line in order.refunds.flatMap(\.content.lines) where left.indices.contains(line.place) {
            left[line.place] = max(0, left[line.place] - line.quantityMilli)
        }
        var gone: [String: Int64] = [:]
        for (sku, quantity) in elsewhere.flatMap(\.quantities) {
            let (sum, overflows) = (gone[sku] ?? 0).addingReportingOverflow(max(0, quantity))
            gone[sku] = overflows ? .max : sum
        }
        // In the order of the lines, as refunds take them.
        for (place, line) in lines.enumerated() {
            let part = min(left[place], gone[line.sku] ?? 0)
            left[place] -= part
            gone[line.sku] = (gone[line.sku] ?? 0) - part
        }
        quantities = left
    }
}

extension Orders {
    /// What of an order can still come back. The hub is waited for within the budget of a sale.
    ///
    /// - Parameter code: of the order's receipt, by which the hub shows it; nil: it cannot be signed.
    public func left(of order: Order, code: String?) async -> OrderLeft {
        guard let code = code.flatMap({ try? ReceiptCode(text: $0) }) else {
            return OrderLeft(of: order, known: nil)
        }
        let inquiry = HubInquiry(modes: modes, time: time, waits: receipts.waits)
        let found = await inquiry.query("order", within: SaleWaiting(budget: delivery.waitBudget)) {
            [hub = receipts.hub] () throws(InquiryError) in
            try await hub.find(code)
        }
        guard case .sale(let sale) = found else { return OrderLeft(of: order, known: nil) }
        return OrderLeft(of: order, known: sale)
    }
}
