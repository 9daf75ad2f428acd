internal import OfflineCore
internal import OfflineMode
internal import Pricing
package import HubProtocol

/// What of a sale can still come back, over all terminals as far as the hub responds.
package struct OrderLeft: Hashable, Sendable {
    /// Thousandths of a unit, in the order of the sale's lines.
    package let quantities: [Int64]
    /// What came back at other terminals, oldest first; of a void the whole order.
    package let elsewhere: [ReceiptSale.Refund]
    /// False: the hub did not respond, or does not have the sale, and this terminal knows its own refunds
    /// alone.
    package let isByHub: Bool

    /// Of an order of this terminal.
    ///
    /// - Parameter known: the sale as the hub has it; nil: the terminal knows its own refunds alone.
    init(of order: Order, known: ReceiptSale?) {
        let own = Set(order.refunds.map(\.id))
        elsewhere = (known?.refunds ?? []).filter { !own.contains($0.refundId) }
        isByHub = known != nil
        let lines = order.sale.content.lines
        guard order.sale.voidedAt == nil, known?.isVoided != true else {
            quantities = lines.map { _ in 0 }
            return
        }
        var left = lines.map(\.price.quantityMilli)
        for line in order.refunds.flatMap(\.content.lines) where left.indices.contains(line.place) {
            left[line.place] = max(0, left[line.place] - line.quantityMilli)
        }
        var gone = ReturnedQuantities(elsewhere)
        for (place, line) in lines.enumerated() {
            left[place] -= gone.take(of: line.sku, atMost: left[place])
        }
        quantities = left
    }

    /// Of a sale that is not this terminal's.
    ///
    /// - Parameter plan: the refund of all that is left of it; nil: nothing is.
    init(of sale: AbsentSale, _ plan: RefundPlan?) {
        var left = sale.lines.map { _ in Int64(0) }
        for line in plan?.lines ?? [] { left[line.place] += line.quantityMilli }
        (quantities, elsewhere, isByHub) = (left, sale.returned, sale.orderId != nil)
    }
}

/// What came back of a sale by sku, as it is taken off its lines: in their order, as refunds take them.
struct ReturnedQuantities {
    private var open: [String: Int64] = [:]

    init(_ refunds: [ReceiptSale.Refund]) {
        for (sku, quantity) in refunds.flatMap(\.quantities) {
            let (sum, overflows) = (open[sku] ?? 0).addingReportingOverflow(max(0, quantity))
            open[sku] = overflows ? .max : sum
        }
    }

    /// Takes the part of a line that came back.
    mutating func take(of sku: String, atMost quantity: Int64) -> Int64 {
        let part = min(quantity, open[sku] ?? 0)
        open[sku] = (open[sku] ?? 0) - part
        return part
    }
}

/// The sale of a receipt with what of it can still come back.
package struct ReceiptGoods: Hashable, Sendable {
    /// As printed.
    package let orderNumber: String
    /// ISO 4217.
    package let currency: String
    /// What can be refunded here at all: without the hub no article that the catalogue does not have.
    package let lines: [RefundableLine]
    /// In the order of ``lines``.
    package let left: OrderLeft
}

extension Orders {
    /// What of an order can still come back. The hub is waited for within the budget of a sale.
    ///
    /// - Parameter code: of the order's receipt, by which the hub shows it; nil: it cannot be signed.
    package func left(of order: Order, code: String?) async -> OrderLeft {
        await left(of: order, code: code, within: SaleWaiting(budget: delivery.waitBudget))
    }

    private func left(of order: Order, code: String?, within waiting: SaleWaiting) async -> OrderLeft {
        guard let code = code.flatMap({ try? ReceiptCode(text: $0) }) else {
            return OrderLeft(of: order, known: nil)
        }
        let inquiry = HubInquiry(modes: modes, time: time, waits: receipts.waits)
        let found = await inquiry.query(.order, within: waiting) {
            [hub = receipts.hub] () throws(InquiryError) in
            try await hub.find(code)
        }
        guard case .sale(let sale) = found else { return OrderLeft(of: order, known: nil) }
        return OrderLeft(of: order, known: sale)
    }

    /// What of a receipt's sale can still come back: what a refund of all of it would take now. The hub is
    /// waited for as a refund waits for it.
    ///
    /// - Parameter text: the code of the receipt of any terminal.
    package func left(ofReceipt text: String) async throws(OrderRefusal) -> ReceiptGoods {
        let waiting = SaleWaiting(budget: delivery.waitBudget, isOfSale: false)
        if let order = try await order(of: .receipt(text)) {
            return ReceiptGoods(
                orderNumber: order.sale.orderNumber.description, currency: order.sale.content.currency,
                lines: order.sale.content.lines.map(RefundableLine.init),
                left: await left(of: order, code: text, within: waiting))
        }
        let code = try Self.code(text)
        let sale = try await absent(code, within: waiting)
        if sale.lines.isEmpty, let line = code.lines.first { throw .articleUnknown(line.barcode) }
        return ReceiptGoods(
            orderNumber: code.orderNumber, currency: sale.currency, lines: sale.lines,
            left: OrderLeft(of: sale, try await planOfAll(sale, text)))
    }

    /// Nil: nothing of it is left.
    private func planOfAll(_ sale: AbsentSale, _ text: String) async throws(OrderRefusal) -> RefundPlan? {
        let request = RefundRequest(of: .receipt(text), items: [], by: PersonClaim())
        let nobody = Authorization(cashierId: nil, approverId: nil)
        do throws(OrderRefusal) {
            return try await plan(
                RefundDraft(of: .absent(sale.limited(.none)), with: entry(of: request, by: nobody, [])))
        } catch {
            guard case .nothingLeft = error else { throw error }
            return nil
        }
    }
}
