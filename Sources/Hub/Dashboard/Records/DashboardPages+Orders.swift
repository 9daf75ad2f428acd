internal import Base
package import HubProtocol
internal import Pricing

/// Orders, down to the mutations that made them.
extension DashboardPages {
    /// Orders of a day and store, the newest first.
    package func orders(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        var values: PageValues = ["hasSeveral": frame.stores.days(at: frame.now).count > 1]
        if query.day == ListQuery.own { values["isOwn"] = true }
        return records(
            "orders", frame, title: wording.texts.page(.orders), list, rows: "orders", path: "/orders", query,
            with: values
        ) { Self.values(ofOrder: $0, CompletedOrder(shown: $0.json), wording) }
    }

    /// One order: its lines, what paid it, what came back of it, its flags and its mutation.
    package func order(_ frame: PageFrame, _ order: JSONValue) -> String {
        let order = ListRow<OrderMember>(TextBound.shown(order))
        let wording = frame.wording
        // The document has the members of the sale under their names, and the hub's beside them.
        let sale = CompletedOrder(shown: order.json)
        let currency = sale.currency
        func amount(_ value: Int64?) -> String {
            value.map { wording.amount($0, currency) } ?? ""
        }
        var values = Self.values(ofOrder: order, sale, wording)
        values["currency"] = currency
        values["facts"] = facts(of: order, sale, wording).map { ["name": $0, "value": $1] as PageValues }
        values["lines"] = sale.lines.map { line -> PageValues in
            let discount = line.given ?? 0
            return [
                "name": line.name ?? line.sku, "barcode": line.barcode ?? "",
                "quantity": QuantityText.text(milli: line.quantityMilli), "price": amount(line.unitPrice),
                "total": amount(line.total), "discount": discount == 0 ? "" : amount(discount),
                "offers": wording.list((line.offers ?? []).compactMap(\.name)),
            ]
        }
        values["payments"] = (sale.payments ?? []).map { payment -> PageValues in
            let state = payment.shownDetails.state.map(wording.texts.state)
            let note = [state, payment.approvalCode].compactMap(\.self)
            let simulated = payment.simulated == true ? [wording.texts.sale(.simulated)] : []
            return [
                "method": payment.method ?? "", "amount": amount(payment.amount),
                "note": wording.list(note.filter { !$0.isEmpty } + simulated),
            ]
        }
        let reversals = order.list(.reversals).map(ListRow<ReversalMember>.init).map {
            reversal -> PageValues in
            var row = RecordValues(reversal, wording)
            let isVoid = reversal[.kind]?.string == "void"
            row.set("kind", isVoid ? wording.texts.sale(.void) : wording.texts.sale(.refund))
            row.set("amount", amount(reversal[.amount]?.integer))
            row.set("why", .reason)
            row.set("cashier", .cashierId)
            row.set("mutationId", .mutationId)
            row.set("received", time: .receivedAt)
            return row.values
        }
        values["hasReversals"] = !reversals.isEmpty
        values["reversals"] = reversals
        let flags = order.list(.flags).compactMap(\.string).map(wording.flag)
        if !flags.isEmpty { values["flagged"] = wording.list(flags) }
        return rendered(
            "order", frame, title: sale.orderNumber.isEmpty ? wording.texts.frame(.order) : sale.orderNumber,
            values)
    }

    private func facts(
        of order: ListRow<OrderMember>, _ sale: CompletedOrder, _ wording: Wording
    ) -> [(String, String)] {
        func money(_ amount: Int64?) -> String? {
            amount.flatMap { $0 == 0 ? nil : wording.money($0, sale.currency) }
        }
        let sold = order[.soldAt]?.string.flatMap(Timestamp.milliseconds(of:))
        let pairs: [(String, String?)] = [
            (wording.texts.sale(.sold), sold.map(wording.moment)),
            (wording.texts.sale(.total), money(sale.total)),
            (wording.texts.sale(.tax), money(sale.tax)),
            (wording.texts.sale(.discounts), money(order[.discounts]?.integer)),
            (wording.texts.sale(.change), money(sale.change)),
            (wording.texts.sale(.refunded), money(order[.refunded]?.integer)),
            (wording.texts.frame(.cashier), sale.cashierId),
            (wording.texts.sale(.approver), sale.approverId),
            (wording.texts.sale(.member), sale.memberId),
            (
                wording.texts.sale(.tillMode),
                sale.mode.map { FleetMode(rawValue: $0).map(wording.texts.mode) ?? $0 }
            ),
            (wording.texts.sale(.businessDay), sale.businessDay),
            (wording.texts.sale(.mutation), order[.mutationId]?.string),
        ]
        return pairs.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func values(
        ofOrder order: ListRow<OrderMember>, _ sale: CompletedOrder, _ wording: Wording
    ) -> PageValues {
        var row = RecordValues(order, wording)
        row.set("id", sale.orderId)
        row.set("number", sale.orderNumber)
        row.set("cashier", sale.cashierId)
        row.set("day", sale.businessDay)
        row.set("received", time: .receivedAt)
        row.set("sold", time: .soldAt)
        row.set("amount", wording.money(sale.total, sale.currency))
        row.set("sum", wording.amount(sale.total, sale.currency))
        row.set("currency", sale.currency)
        let state = order[.state]?.string.flatMap(PageWord.Order.init) ?? .completed
        row.set("word", wording.texts.state(state))
        switch state {
        case .completed: row.set("tone", "good")
        case .voided: row.set("tone", "bad")
        case .refunded, .refundedInPart: row.set("tone", "warning")
        }
        return row.values
    }
}
