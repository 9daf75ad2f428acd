internal import AgentAPI
internal import HubProtocol
internal import Pricing

/// Orders and refunds as text.
enum OrderText {
    /// One line for each order.
    static func list(_ response: OrderListResponse, _ text: CheckoutText) -> String {
        list(response, text, none: text("no orders yet", "暂无订单"))
    }

    /// One line for each order that matches.
    static func found(_ response: OrderListResponse, _ text: CheckoutText) -> String {
        list(response, text, none: text("no order of this terminal matches", "本机没有符合条件的订单"))
    }

    private static func list(_ response: OrderListResponse, _ text: CheckoutText, none: String) -> String {
        let rows = response.orders.map { order in
            let sale = order.sale
            return "\(sale.orderNumber)  \(sale.total.text)  \(sale.mode)  \(order.state)  "
                + "\(order.sync)  \(sale.orderId)"
                + (order.refunded.amount == 0
                    ? "" : text("  refunded \(order.refunded.text)", "  已退 \(order.refunded.text)"))
        }
        return rows.isEmpty ? none : rows.joined(separator: "\n")
    }

    /// The receipt, and below it the refunds of the order.
    static func receipts(_ response: OrderResponse, _ text: CheckoutText) -> String {
        let refunds = response.order.refunds.map { refund in
            let lines = refund.lines.map { line in
                let quantity = QuantityText.text(milli: line.quantityMilli)
                return text("    \(quantity) of \(line.name)", "    \(line.name) × \(quantity)")
            }
            let inCash = refund.paidInCash == refund.paid ? text(" in cash", "现金") : ""
            let head =
                refund.isOfExchange
                ? text(
                    "exchanged, worth \(refund.paid.text), at \(refund.madeAt) (\(refund.sync))",
                    "已换货，抵 \(refund.paid.text)，\(refund.madeAt)（\(refund.sync)）")
                : text(
                    "refunded \(refund.paid.text)\(inCash) at \(refund.madeAt) (\(refund.sync))",
                    "已退\(inCash) \(refund.paid.text)，\(refund.madeAt)（\(refund.sync)）")
            let cards = refund.cardReturns.map { "    \(back($0, isChinese: text.isChinese))" }
            return ([head] + lines + cards).joined(separator: "\n")
        }
        let elsewhere = response.order.returnedElsewhere.map { refund in
            let money = MoneyAmount(refund.total, response.order.sale.total.currency).text
            let till = refund.place?.terminalNumber.map { text(" at till \($0)", "，\($0) 号机") } ?? ""
            let store =
                refund.place.map { text(" of store \($0.storeId), \($0.at)", "，门店 \($0.storeId)，\($0.at)") }
                ?? ""
            let done = refund.isVoid ? text("voided", "已作废") : text("refunded", "已退")
            return "\(done) \(money)\(till)\(store)"
        }
        return ([response.receipt] + refunds + elsewhere).joined(separator: "\n")
    }

    /// The slip of a refund, with a note where a card's money goes back in cash.
    static func refund(_ response: RefundResponse, _ text: CheckoutText) -> String {
        let cards = response.refund.cardReturns.map {
            text("note: ", "注意：") + back($0, isChinese: text.isChinese)
        }
        let notes =
            response.isPaidByCard
            ? [
                text(
                    "note: the sale was paid by card or voucher in part or whole; this gives cash from the drawer",
                    "注意：该单部分或全部由刷卡或券支付；本次退款付现金")
            ] : []
        return response.receipt + (cards + notes).joined(separator: "\n")
    }

    /// What becomes of money that goes back to a card by the terminal's own machine.
    static func back(_ card: CardReturnRecord, isChinese: Bool = false) -> String {
        let money = "\(card.amount.text) (\(card.method))"
        switch card.state {
        case "returned": return isChinese ? "\(money) 已退回原卡" : "\(money) is back on the card"
        case "refused":
            let why = card.reason ?? ""
            return isChinese
                ? "刷卡机拒绝退回 \(money)（\(why)）：请用 `pos orders repay \(card.refundId)` 付现金"
                : "the card machine refused \(money) (\(why)): pay it in cash with "
                    + "`pos orders repay \(card.refundId)`"
        case "paidInCash":
            return isChinese ? "\(money) 已付现金" : "\(money) was paid in cash, the card machine refused it"
        case _:
            return isChinese
                ? "\(money) 待刷卡机连通后退回原卡" : "\(money) goes back to the card when the machine can be reached"
        }
    }

    /// One line for each amount that has to go back to a card.
    static func owed(_ response: CardReturnsCall.Response, _ text: CheckoutText) -> String {
        let rows = response.returns.map {
            "\($0.refundId)  \($0.orderNumber)  \($0.madeAt)  \(back($0, isChinese: text.isChinese))"
        }
        return rows.isEmpty
            ? text("nothing is owed to cards", "没有待退回银行卡的款项") : rows.joined(separator: "\n")
    }

    /// What is handed to the customer.
    static func repaid(_ move: MoveCashCall.Response, _ text: CheckoutText) -> String {
        text("hand back \(move.amount.text) in cash; ", "请付现金 \(move.amount.text)；") + move.reason
    }

    /// Both receipts, and what the customer pays or gets.
    static func exchange(_ response: SaleResponse, _ text: CheckoutText) -> String {
        guard let exchange = response.exchange else { return response.receipt }
        let due = exchange.due
        let rest =
            due.amount < 0
            ? text("give back ", "应退顾客 ") + MoneyAmount(-due.amount, due.currency).text
            : text("the customer pays ", "顾客应付 ") + due.text
        return [exchange.receipt, response.receipt, rest].joined(separator: "\n")
    }

    /// What a voided order means for the drawer.
    static func voided(_ order: OrderEntry, isChinese: Bool = false) -> String {
        let sale = order.sale
        let cash = sale.paid.filter { ($0.kind ?? $0.method) == "cash" }
        var parts: [String] = []
        if !cash.isEmpty {
            // The change is what went out of all cash together.
            let back = cash.reduce(0) { $0 + $1.amount.amount } - sale.change.amount
            let money = MoneyAmount(back, sale.total.currency).text
            parts.append(isChinese ? "现金退还 \(money)" : "hand back \(money) in cash")
        }
        parts += order.cardReturns.map { back($0, isChinese: isChinese) }
        parts += otherTenders(of: order).map { payment in
            let money = MoneyAmount(payment.amount.amount, sale.total.currency).text
            return isChinese
                ? "\(payment.method) 的 \(money) 将撤销，无需退现金"
                : "the \(money) by \(payment.method) are voided, no cash for them"
        }
        let head = isChinese ? "订单 \(sale.orderNumber) 已作废" : "order \(sale.orderNumber) is void"
        return ([head] + parts).joined(separator: isChinese ? "；" : "; ")
    }

    /// What neither cash paid nor the terminal's own card machine gives back.
    private static func otherTenders(of order: OrderEntry) -> [SaleRecord.Payment] {
        var byMachine = order.cardReturns
        return order.sale.paid.filter { payment in
            guard (payment.kind ?? payment.method) != "cash" else { return false }
            let place = byMachine.firstIndex {
                $0.method == payment.method && $0.amount == payment.amount
            }
            if let place { byMachine.remove(at: place) }
            return place == nil
        }
    }
}
