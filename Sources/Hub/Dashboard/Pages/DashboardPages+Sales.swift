internal import Base

/// What was sold.
extension DashboardPages {
    /// The sums of a business day, by tender and by store.
    package func sales(_ frame: PageFrame, _ sales: SalesSummary) -> String {
        let wording = frame.wording
        let last = sales.days.last ?? frame.day
        let date = Timestamp.milliseconds(of: last + "T00:00:00Z")
        func day(_ difference: Int64) -> String? {
            date.map { String(Timestamp.text(milliseconds: $0 + difference * 86_400_000).prefix(10)) }
        }
        var values: PageValues = [
            "days": sales.day, "day": last, "hasSeveral": sales.days.count > 1,
            "hasRows": !sales.total.isEmpty,
            "total": sales.total.map { Self.values(of: $0, wording) },
        ]
        let tenders = sales.tenders.map { Self.values(of: $0, wording) }
        let stores = sales.stores.map { row -> PageValues in
            var values = Self.values(of: row, wording)
            guard !row.key.isEmpty else { return values }
            let day = sales.days.count > 1 ? frame.stores.clock(of: row.key).day(at: frame.now) : last
            values["link"] = "/orders?day=\(day)&store=\(PercentEncoding.encoded(row.key))"
            let name = frame.stores.facts(of: row.key).name
            if !name.isEmpty { values["storeName"] = name }
            return values
        }
        (values["tender"], values["store"]) = (tenders, stores)
        values["lists"] = [
            ("tender", wording.texts.sale(.byTender), wording.texts.sale(.tender), tenders),
            ("store", wording.texts.sale(.salesByStore), wording.texts.frame(.store), stores),
        ].filter { !$0.3.isEmpty }.map { list, title, head, rows -> PageValues in
            ["list": list, "title": title, "head": head, "rows": rows]
        }
        if let before = day(-1) { values["before"] = before }
        values["nothing"] = wording.texts.sale(frame.isToCome(last) ? .notBegun : .noSales)
        if let after = day(1), !frame.isToCome(after) {
            values["after"] = after
        }
        return rendered("sales", frame, title: wording.texts.page(.sales), values)
    }

    private static func values(of row: SalesSummary.Row, _ wording: Wording) -> PageValues {
        func amount(_ amount: Int64) -> String {
            amount == 0 ? "–" : wording.amount(amount, row.currency)
        }
        return [
            "key": row.isOthers ? wording.texts.sale(.others) : row.key.isEmpty ? "–" : row.key,
            "currency": row.currency,
            "orders": wording.number(row.orders), "gross": amount(row.gross),
            "discounts": amount(row.discounts), "refunds": amount(row.refunds),
            "net": wording.amount(row.net, row.currency), "tax": amount(row.tax),
        ]
    }
}
