internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import Pricing

/// Orders and refunds as text.
enum OrderText {
    /// One line for each order.
    static func list(_ response: OrderListResponse, _ text: any PosTexts) -> String {
        list(response, text, none: text.noOrders)
    }

    /// One line for each order that matches.
    static func found(_ response: OrderListResponse, _ text: any PosTexts) -> String {
        list(response, text, none: text.noOrderMatches)
    }

    private static func list(_ response: OrderListResponse, _ text: any PosTexts, none: String) -> String {
        let rows = response.orders.map { order in
            let sale = order.sale
            let states = [sale.mode.rawValue, order.state, order.sync].map(text.word)
            return
                "\(sale.orderNumber)  \(sale.total.text)  \(states.joined(separator: "  "))  \(sale.orderId)"
                + (order.refunded.amount == 0
                    ? "" : "  " + text.refunded(order.refunded.text))
        }
        return rows.isEmpty ? none : rows.joined(separator: "\n")
    }

    /// The receipt, and below it the refunds of the order.
    static func receipts(_ response: OrderResponse, _ text: any PosTexts) -> String {
        let refunds = response.order.refunds.map { refund in
            let lines = refund.lines.map { line in
                let quantity = QuantityText.text(milli: line.quantityMilli)
                return "    " + text.refundedLine(quantity, name: line.name)
            }
            let head = text.refunded(refund)
            let cards = refund.cardReturns.map { "    \(text.back($0))" }
            return ([head] + lines + cards).joined(separator: "\n")
        }
        let elsewhere = response.order.returnedElsewhere.map { refund in
            let money = MoneyAmount(refund.total, response.order.sale.total.currency).text
            return text.returnedElsewhere(refund, money)
        }
        return ([response.receipt] + refunds + elsewhere).joined(separator: "\n")
    }

    /// The slip of a refund, with a note where a card's money goes back in cash.
    static func refund(_ response: RefundResponse, _ text: any PosTexts) -> String {
        let cards = response.refund.cardReturns.map {
            text.note(text.back($0))
        }
        let notes =
            response.isPaidByCard
            ? [
                text.paysCashForCard
            ] : []
        let unseen = response.unseen.map { $0.isEmpty ? [] : [text.unseenTills($0.count)] } ?? []
        return response.receipt + (cards + notes + unseen).joined(separator: "\n")
    }

    /// One line for each amount that has to go back to a card.
    static func owed(_ response: CardReturnsCall.Response, _ text: any PosTexts) -> String {
        let rows = response.returns.map {
            "\($0.refundId)  \($0.orderNumber)  \($0.madeAt)  \(text.back($0))"
        }
        return rows.isEmpty
            ? text.nothingOwed : rows.joined(separator: "\n")
    }

    /// One line for each refund that another till may make.
    static func granted(_ response: GrantedRefundsCall.Response, _ text: any PosTexts) -> String {
        let rows = response.granted.map { refund in
            let till = text.tillName(refund.number.map(String.init) ?? refund.terminalId)
            let what = "\(refund.refundId)  \(refund.orderNumber)  \(refund.amount.text)  \(refund.madeAt)"
            return "\(what)  \(till)  \(text.silent(seconds: refund.silentSeconds))"
        }
        return rows.isEmpty ? text.nothingGranted : rows.joined(separator: "\n")
    }

    static func tookBack(_ refund: GrantedRefundRecord, _ text: any PosTexts) -> String {
        text.tookBack(refund.amount.text, order: refund.orderNumber)
    }

    /// What is handed to the customer.
    static func repaid(_ move: MoveCashCall.Response, _ text: any PosTexts) -> String {
        text.repaid(move.amount.text, reason: move.reason)
    }

    /// Both receipts, and what the customer pays or gets.
    static func exchange(_ response: SaleResponse, _ text: any PosTexts) -> String {
        guard let exchange = response.exchange else { return response.receipt }
        let due = exchange.due
        let rest =
            due.amount < 0
            ? text.giveBack(MoneyAmount(-due.amount, due.currency).text)
            : text.customerPays(due.text)
        return [exchange.receipt, response.receipt, rest].joined(separator: "\n")
    }

    /// What a voided order means for the drawer.
    static func voided(_ order: OrderEntry, _ text: any PosTexts) -> String {
        let sale = order.sale
        let cash = sale.paid.filter(\.isCash)
        var parts: [String] = []
        if !cash.isEmpty {
            // The change is what went out of all cash together.
            let back = cash.reduce(0) { $0 + $1.amount.amount } - sale.change.amount
            let money = MoneyAmount(back, sale.total.currency).text
            parts.append(text.handBack(money))
        }
        parts += order.cardReturns.map(text.back)
        parts += otherTenders(of: order).map { payment in
            let money = MoneyAmount(payment.amount.amount, sale.total.currency).text
            return text.tenderVoided(money, method: payment.method)
        }
        let head = text.orderVoided(sale.orderNumber)
        return ([head] + parts).joined(separator: text.semicolon)
    }

    /// What neither cash paid nor the terminal's own card machine gives back.
    private static func otherTenders(of order: OrderEntry) -> [SaleRecord.Payment] {
        var byMachine = order.cardReturns
        return order.sale.paid.filter { payment in
            guard !payment.isCash else { return false }
            let place = byMachine.firstIndex {
                $0.method == payment.method && $0.amount == payment.amount
            }
            if let place { byMachine.remove(at: place) }
            return place == nil
        }
    }
}
