internal import Base
internal import Pricing

/// What was sold.
extension DashboardPages {
    /// The sums of a business day, by tender and by store.
    package func sales(_ frame: PageFrame, _ sales: SalesSummary) -> String {
        let wording = frame.wording
        let date = Timestamp.milliseconds(of: sales.day + "T00:00:00Z")
        func day(_ difference: Int64) -> String? {
            date.map { String(Timestamp.text(milliseconds: $0 + difference * 86_400_000).prefix(10)) }
        }
        var values: PageValues = [
            "day": sales.day, "hasRows": !sales.total.isEmpty,
            "total": sales.total.map { Self.values(of: $0, wording) },
            "tables": [
                (wording.texts.sale(.byTender), wording.texts.sale(.tender), sales.tenders, false),
                (wording.texts.sale(.salesByStore), wording.texts.frame(.store), sales.stores, true),
            ].map { title, head, rows, hasLinks -> PageValues in
                [
                    "title": title, "head": head,
                    "rows": rows.map { row -> PageValues in
                        var values = Self.values(of: row, wording)
                        if hasLinks, !row.key.isEmpty {
                            values["link"] =
                                "/orders?day=\(sales.day)&store=\(PercentEncoding.encoded(row.key))"
                        }
                        return values
                    },
                ]
            },
        ]
        if let before = day(-1) { values["before"] = before }
        if let after = day(1), after <= PageTime.text(wording.now + 86_400_000).iso.prefix(10) {
            values["after"] = after
        }
        return rendered("sales", frame, title: wording.texts.page(.sales), values)
    }

    private static func values(of row: SalesSummary.Row, _ wording: Wording) -> PageValues {
        func amount(_ amount: Int64) -> String {
            amount == 0 ? "–" : AmountText.text(amount, currency: row.currency)
        }
        return [
            "key": row.isOthers ? wording.texts.sale(.others) : row.key.isEmpty ? "–" : row.key,
            "currency": row.currency,
            "orders": wording.number(row.orders), "gross": amount(row.gross),
            "discounts": amount(row.discounts), "refunds": amount(row.refunds),
            "net": AmountText.text(row.net, currency: row.currency), "tax": amount(row.tax),
        ]
    }
}
