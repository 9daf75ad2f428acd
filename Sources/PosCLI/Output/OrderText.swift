internal import HubProtocol
internal import Pricing

/// The words for one order.
enum OrderText {
    /// The receipt, and behind it what came back of the sale.
    static func receipts(_ order: JSONValue) -> String {
        let receipt = order["receipt"]?.string ?? order.canonicalText
        let refunds = (order["refunds"]?.array ?? []).map { refund in
            let state = refund["sync"]?.string ?? "-"
            let lines = (refund["lines"]?.array ?? []).map { line in
                "    \(QuantityText.text(milli: line["quantityMilli"]?.integer ?? 0)) of \(line["name"]?.string ?? "-")"
            }
            return
                ([
                    "refunded \(OutboxText.money(refund["paid"])) in cash at \(refund["madeAt"]?.string ?? "-") (\(state))"
                ] + lines).joined(separator: "\n")
        }
        return ([receipt] + refunds).joined(separator: "\n")
    }

    /// The slip of a refund. Money goes back in cash alone, also that of a card.
    static func refund(_ refund: JSONValue) -> String {
        let receipt = refund["receipt"]?.string ?? refund.canonicalText
        guard refund["paidByCard"]?.bool == true else { return receipt }
        return receipt + "note: the sale was paid by card in part or whole; this gives cash from the drawer"
    }

    /// What a voided order means for the drawer.
    static func voided(_ order: JSONValue, isChinese: Bool = false) -> String {
        let number = order["orderNumber"]?.string ?? "-"
        let currency = order["total"]?["currency"]?.string ?? ""
        let change = order["change"]?["amount"]?.integer ?? 0
        let parts = (order["paid"]?.array ?? []).map { payment in
            let paid = payment["amount"]?.integer ?? 0
            guard payment["method"] != "cash" else {
                let money = AmountText.money(paid - change, currency)
                return isChinese ? "现金退还 \(money)" : "hand back \(money) in cash"
            }
            let money = AmountText.money(paid, currency)
            let method = payment["method"]?.string ?? "-"
            return isChinese
                ? "\(method) 的 \(money) 将撤销，无需退现金" : "the \(money) by \(method) are voided, no cash for them"
        }
        let head = isChinese ? "订单 \(number) 已作废" : "order \(number) is void"
        return ([head] + parts).joined(separator: isChinese ? "；" : "; ")
    }
}
