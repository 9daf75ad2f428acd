package import HubProtocol
internal import Pricing

/// Orders, down to the mutations that made them.
extension DashboardPages {
    /// Orders of a day and store, the newest first.
    package func orders(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        return records(
            "orders", frame, title: wording.text("Orders", "订单"), list, rows: "orders", path: "/orders", query
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
            let simulated = payment.simulated == true ? [wording.text("simulated", "模拟")] : []
            return [
                "method": payment.method ?? "", "amount": amount(payment.amount),
                "note": (note.filter { !$0.isEmpty } + simulated).joined(separator: ", "),
            ]
        }
        let reversals = (order["reversals"]?.array ?? []).map { reversal -> PageValues in
            var row = RecordValues(reversal, wording)
            let isVoid = reversal["kind"]?.string == "void"
            row.set("kind", isVoid ? wording.text("void", "作废") : wording.text("refund", "退款"))
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
            "order", frame, title: order["orderNumber"]?.string ?? wording.text("Order", "订单"), values)
    }

    private func facts(of order: JSONValue, _ wording: Wording) -> [(String, String)] {
        let currency = order["currency"]?.string ?? ""
        func money(_ name: String) -> String? {
            order[name]?.integer.flatMap { $0 == 0 ? nil : AmountText.money($0, currency) }
        }
        let pairs: [(String, String?)] = [
            (wording.text("Total", "合计"), money("total")),
            (wording.text("Tax in it", "含税"), money("tax")),
            (wording.text("Discounts", "折扣"), money("discounts")),
            (wording.text("Change", "找零"), money("change")),
            (wording.text("Came back", "已退"), money("refunded")),
            (wording.text("Cashier", "收银员"), order["cashierId"]?.string),
            (wording.text("Approver", "授权人"), order["approverId"]?.string),
            (wording.text("Member", "会员"), order["memberId"]?.string),
            (wording.text("Mode of the till", "终端模式"), order["mode"]?.string),
            (wording.text("Business day", "营业日"), order["businessDay"]?.string),
            (wording.text("Mutation", "记录"), order["mutationId"]?.string),
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
        let (word, tone) =
            switch order["state"]?.string {
            case "voided": (wording.text("voided", "已作废"), "bad")
            case "refunded": (wording.text("refunded", "已退款"), "warning")
            case "refundedInPart": (wording.text("refunded in part", "部分退款"), "warning")
            case _: (wording.text("completed", "已完成"), "good")
            }
        row.set("word", word)
        row.set("tone", tone)
        return row.values
    }
}
