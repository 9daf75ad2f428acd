internal import HubCore
internal import HubProtocol

/// Debts: cards that terminals took offline and that the payment service refused when they were forwarded.
extension BackOfficeQuery {
    private static let isDebt = PaymentRows.isDebt(of: "p.")
    private static let isOpenDebt = PaymentRows.isOpenDebt(of: "p.")
    private static let owed = PaymentRows.owed(of: "p.")
    private static let debt =
        "SELECT p.key, p.terminal_id, t.store_id, p.order_id, p.shift_id, \(owed) AS amount, p.debt, p.currency, "
        + "p.decline_reason, p.decided_at, p.stored_at, p.settled_at, p.settled_by, p.settled_reason, "
        + "(SELECT MIN(o.order_number) FROM orders o WHERE \(EntryRows.isOrder("o", mintedAs: "p.order_id")) "
        + "AND \(EntryRows.isOneDevice("o.terminal_id", "p.terminal_id")) "
        + "AND o.terminal_id = p.terminal_id) AS order_number, "
        + "CASE WHEN p.settled_at IS NULL THEN 'open' ELSE 'settled' END AS state "
        + "FROM payments p LEFT JOIN terminals t ON t.id = p.terminal_id "

    private static let debtTexts = [
        "order_id", "shift_id", "decline_reason", "settled_reason", "order_number",
    ]
    /// Debts of the shifts of one page that are shown.
    package static let mostDebts = 10_000

    /// Debts, by when they were refused; the days of the page are those (UTC).
    package static func debts(_ page: Page, openOnly: Bool) -> StoreQuery {
        var terms = Terms()
        terms.add(openOnly ? isOpenDebt : isDebt)
        addArrival(page.filter, to: &terms, column: "p.decided_at")
        let place: [StoreValue] =
            page.after.count == 2
            ? [.integer(Int64(page.after[0]) ?? 0), .text(page.after[1])] : []
        terms.addPlace(["p.decided_at", "p.key"], place)
        return StoreQuery(
            debt + terms.condition + "ORDER BY p.decided_at DESC, p.key DESC LIMIT \(page.limit)",
            terms.values, texts: debtTexts)
    }

    /// One debt, by the payment's key.
    package static func debt(_ key: String) -> StoreQuery {
        StoreQuery(debt + "WHERE p.key = $1 AND \(isDebt)", [.text(key)])
    }

    /// The same of a payment in any state.
    static func payment(_ key: String) -> StoreQuery {
        StoreQuery(debt + "WHERE p.key = $1", [.text(key)])
    }

    /// The debts of all shifts whose ids lie between two, both included: the shifts of a page follow each
    /// other by their ids.
    package static func debts(ofShifts first: String, through last: String) -> StoreQuery {
        StoreQuery(
            debt + "WHERE \(isDebt) AND p.shift_id >= $1 AND p.shift_id <= $2 "
                + "ORDER BY p.decided_at, p.key LIMIT \(mostDebts + 1)", [.text(first), .text(last)],
            texts: debtTexts)
    }

    /// What is open, by store and currency, as a high and a low part: a sum of hostile amounts has no room in
    /// one number.
    package static func openDebtSums(storeId: String?) -> StoreQuery {
        var terms = Terms()
        terms.add(isOpenDebt)
        terms.add("t.store_id = #", storeId.map { .text($0) })
        return StoreQuery(
            "SELECT t.store_id, p.currency, COUNT(*) AS count, "
                + "CAST(SUM((\(owed)) >> 32) AS BIGINT) AS high, "
                + "CAST(SUM((\(owed)) & 4294967295) AS BIGINT) AS low "
                + "FROM payments p LEFT JOIN terminals t ON t.id = p.terminal_id \(terms.condition)"
                + "GROUP BY t.store_id, p.currency ORDER BY t.store_id, p.currency LIMIT 10000", terms.values)
    }

    /// How many debts are open.
    package static let openDebtCount = StoreQuery(
        "SELECT COUNT(*) AS count FROM payments p WHERE \(isOpenDebt)")

    /// Notes that a debt was paid or written off; changes nothing where none of that key is open. With a
    /// terminal's last open debt its alarms about debts are acknowledged.
    static func debtSettlement(
        of key: String, by name: String, reason: String, at now: Int64
    ) -> (debt: StoreQuery, alarms: StoreQuery) {
        (
            StoreQuery(
                "UPDATE payments AS p SET settled_at = $1, settled_by = $2, settled_reason = $3 "
                    + "WHERE p.key = $4 AND \(isOpenDebt) RETURNING \(PaymentRows.owed()) AS amount",
                [.integer(now), .text(name), .text(reason), .text(key)]),
            StoreQuery(
                "UPDATE alarms AS a SET acknowledged_at = $1, acknowledged_by = $2, note = $3 "
                    + "WHERE a.kind = '\(AlarmKind.paymentForwardDeclined.rawValue)' AND \(openAlarm) "
                    + "AND a.terminal_id = (SELECT s.terminal_id FROM payments s WHERE s.key = $4) "
                    + "AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.terminal_id = a.terminal_id "
                    + "AND \(isOpenDebt))",
                [.integer(now), .text(name), .text(reason), .text(key)])
        )
    }
}
