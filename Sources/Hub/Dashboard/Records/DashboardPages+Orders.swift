package import HubProtocol
internal import Pricing

/// Orders, down to the mutations that made them.
extension DashboardPages {
    /// Orders of a day and store, the newest first.
    package func orders(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        return records(
            "orders", frame, title: wording.texts.page(.orders), list, rows: "orders", path: "/orders", query
        ) { Self.values(ofOrder: $0, wording) }
    }

    /// One order: its lines, what paid it, what came back of it, its flags and its mutation.
    package func order(_ frame: PageFrame, _ order: JSONValue) -> String {
        let order = TextBound.shown(order)
        let wording = frame.wording
        let currency = order["currency"]?.string ?? ""
        func amount(_ value: Int64?) -> String {
            value.map { AmountText.text($0, currency: currency) } ?? ""
        }
        // The document has the members of the sale under their names.
        let sale = CompletedOrder(shown: order)
        var values = Self.values(ofOrder: order, wording)
        values["currency"] = currency
        values["facts"] = facts(of: order, wording).map { ["name": $0, "value": $1] as PageValues }
        values["lines"] = sale.lines.map { line -> PageValues in
            let discount = line.given ?? 0
            return [
                "name": line.name ?? line.sku, "barcode": line.barcode ?? "",
                "quantity": QuantityText.text(milli: line.quantityMilli), "price": amount(line.unitPrice),
                "total": amount(line.total), "discount": discount == 0 ? "" : amount(discount),
                "offers": (line.offers ?? []).compactMap(\.name).joined(separator: ", "),
            ]
        }
        values["payments"] = (sale.payments ?? []).map { payment -> PageValues in
            let note = [payment.shownDetails.state?.rawValue, payment.approvalCode].compactMap(\.self)
            let simulated = payment.simulated == true ? [wording.texts.sale(.simulated)] : []
            return [
                "method": payment.method ?? "", "amount": amount(payment.amount),
                "note": (note.filter { !$0.isEmpty } + simulated).joined(separator: ", "),
            ]
        }
        let reversals = (order["reversals"]?.array ?? []).map { reversal -> PageValues in
            var row = RecordValues(reversal, wording)
            let isVoid = reversal["kind"]?.string == "void"
            row.set("kind", isVoid ? wording.texts.sale(.void) : wording.texts.sale(.refund))
            row.set("amount", amount(reversal["amount"]?.integer))
            row.set("why", reversal["reason"]?.string)
            row.set("cashier", reversal["cashierId"]?.string)
            row.set("mutationId", reversal["mutationId"]?.string)
            row.set("received", time: "receivedAt")
            return row.values
        }
        values["hasReversals"] = !reversals.isEmpty
        values["reversals"] = reversals
        let flags = (order["flags"]?.array ?? []).compactMap(\.string)
        if !flags.isEmpty { values["flagged"] = flags.joined(separator: ", ") }
        return rendered(
            "order", frame, title: order["orderNumber"]?.string ?? wording.texts.frame(.order), values)
    }

    private func facts(of order: JSONValue, _ wording: Wording) -> [(String, String)] {
        let currency = order["currency"]?.string ?? ""
        func money(_ name: String) -> String? {
            order[name]?.integer.flatMap { $0 == 0 ? nil : AmountText.money($0, currency) }
        }
        let pairs: [(String, String?)] = [
            (wording.texts.sale(.total), money("total")),
            (wording.texts.sale(.tax), money("tax")),
            (wording.texts.sale(.discounts), money("discounts")),
            (wording.texts.sale(.change), money("change")),
            (wording.texts.sale(.refunded), money("refunded")),
            (wording.texts.frame(.cashier), order["cashierId"]?.string),
            (wording.texts.sale(.approver), order["approverId"]?.string),
            (wording.texts.sale(.member), order["memberId"]?.string),
            (wording.texts.sale(.tillMode), order["mode"]?.string),
            (wording.texts.sale(.businessDay), order["businessDay"]?.string),
            (wording.texts.sale(.mutation), order["mutationId"]?.string),
        ]
        return pairs.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func values(ofOrder order: JSONValue, _ wording: Wording) -> PageValues {
        var row = RecordValues(order, wording)
        let currency = order["currency"]?.string ?? ""
        row.set("id", order["orderId"]?.string)
        row.set("number", order["orderNumber"]?.string)
        row.set("cashier", order["cashierId"]?.string)
        row.set("day", order["businessDay"]?.string)
        row.set("received", time: "receivedAt")
        row.set("amount", order["total"]?.integer.map { AmountText.money($0, currency) })
        let state = order["state"]?.string.flatMap(PageWord.Order.init) ?? .completed
        row.set("word", wording.texts.state(state))
        switch state {
        case .completed: row.set("tone", "good")
        case .voided: row.set("tone", "bad")
        case .refunded, .refundedInPart: row.set("tone", "warning")
        }
        return row.values
    }
}
