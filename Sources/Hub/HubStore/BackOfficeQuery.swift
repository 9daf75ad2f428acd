package import HubCore

/// What people and back offices look at, as queries. Lists have the newest first and go on behind a place.
package enum BackOfficeQuery {
    /// Which rows of a list are meant.
    package struct Page: Hashable, Sendable {
        /// Days and store; the days are business days of orders, and days of arrival (UTC) of all else.
        package var filter: SalesFilter
        /// The place that the page begins behind: the sort key of the last row before, as its columns give
        /// it; empty for the first page.
        package var after: [String]
        /// How many rows, at least 1.
        package var limit: Int

        /// A page of `limit` rows.
        package init(_ filter: SalesFilter, after: [String], limit: Int) {
            self.filter = filter
            self.after = after
            self.limit = limit
        }
    }

    /// A condition that grows by its terms.
    struct Terms {
        private(set) var sql: [String] = []
        private(set) var values: [StoreValue] = []

        mutating func add(_ term: String) { sql.append(term) }

        /// - Parameter term: with `#` for the value's mark.
        mutating func add(_ term: String, _ value: StoreValue?) {
            guard let value else { return }
            values.append(value)
            sql.append(
                term.split(separator: "#", omittingEmptySubsequences: false)
                    .joined(separator: "$\(values.count)"))
        }

        /// The mark of one more value.
        private mutating func mark(_ text: String) -> String {
            values.append(.text(text))
            return "$\(values.count)"
        }

        /// Of each store its own day.
        mutating func add(_ own: StoreDays?, day: String, store: String) {
            guard let own, let first = own.days.first, let last = own.days.last else { return }
            // The range is what an index finds by.
            sql.append("\(day) >= \(mark(first)) AND \(day) <= \(mark(last))")
            var groups: [String] = []
            var named: [String] = []
            for (other, stores) in own.others.sorted(by: { $0.key < $1.key }) where !stores.isEmpty {
                let marks = stores.map { mark($0) }
                named += marks
                groups.append(
                    "(\(day) = \(mark(other)) AND \(store) IN (\(marks.joined(separator: ", "))))")
            }
            let rest = named.isEmpty ? "" : " AND \(store) NOT IN (\(named.joined(separator: ", ")))"
            groups.append("(\(day) = \(mark(own.usual))\(rest))")
            sql.append("(\(groups.joined(separator: " OR ")))")
        }

        /// - Parameters:
        ///   - columns: of the sort key.
        ///   - isAscending: whether the smallest comes first; else it is the newest, which has the largest.
        mutating func addPlace(
            _ columns: [String], _ place: [StoreValue], isAscending: Bool = false
        ) {
            guard place.count == columns.count else { return }
            values += place
            let marks = columns.indices.map { "$\(values.count - columns.count + $0 + 1)" }
            sql.append(
                "(\(columns.joined(separator: ", "))) \(isAscending ? ">" : "<") "
                    + "(\(marks.joined(separator: ", ")))")
        }

        var condition: String { sql.isEmpty ? "" : "WHERE \(sql.joined(separator: " AND ")) " }
    }

    /// What each terminal has of open leases, by kind: `terminal_id`, `store_id`, `kind`, `left_over` and
    /// `lent_at`, when it was lent something last.
    package static var lentByTerminal: StoreQuery {
        StoreQuery(
            "SELECT terminal_id, store_id, kind, CAST(SUM(CASE WHEN used < amount THEN amount - used ELSE 0 END) "
                + "AS BIGINT) AS left_over, MAX(issued_at) AS lent_at FROM leases WHERE state = 'open' "
                + "GROUP BY terminal_id, store_id, kind ORDER BY terminal_id, store_id, kind")
    }

    /// The columns of an entry of the figures: a sale with its order, a void or a refund without. `entry` is
    /// its document of the journal feed; where an archive has that, `archived` is its file and `stub` what is
    /// left of the mutation.
    private static let entry =
        "SELECT s.day, s.mutation_id, s.kind, s.store_id, s.terminal_id, s.cashier_id, "
        + "COALESCE(o.currency, s.currency) AS currency, s.gross, s.discounts, s.refunds, s.tax, "
        + "o.order_id, o.order_number, o.voided_by, m.received_at, d.document AS entry, "
        + "(SELECT a.file FROM archives a WHERE a.id = m.archive) AS archived, "
        + "CASE WHEN m.archive IS NOT NULL THEN m.document END AS stub, "
        + "(SELECT CAST(SUM(r.total >> 32) AS BIGINT) FROM refunds r WHERE r.order_id = o.order_id) AS refunded_high, "
        + "(SELECT CAST(SUM(r.total & 4294967295) AS BIGINT) FROM refunds r WHERE r.order_id = o.order_id) "
        + "AS refunded_low "
    private static let entryTables =
        "FROM sales s JOIN mutations m ON m.id = s.mutation_id LEFT JOIN documents d ON d.entry = s.mutation_id "
        + "LEFT JOIN orders o ON o.mutation_id = s.mutation_id "

    /// Sales, by business day and mutation; for an export with voids and refunds, each with its mutation as
    /// the terminal wrote it, and without what is in archives.
    package static func orders(_ page: Page, forExport: Bool = false) -> StoreQuery {
        var terms = Terms()
        // Of what is in an archive the lines are there alone.
        terms.add(forExport ? "m.archive IS NULL" : "s.kind = 'sale'")
        terms.add("s.day >= #", page.filter.from.map { .text($0) })
        terms.add("s.day <= #", page.filter.to.map { .text($0) })
        terms.add("s.store_id = #", page.filter.storeId.map { .text($0) })
        terms.add(page.filter.own, day: "s.day", store: "s.store_id")
        terms.addPlace(["s.day", "s.mutation_id"], page.after.map { .text($0) })
        return StoreQuery(
            entry + (forExport ? ", m.document " : "") + entryTables + terms.condition
                + "ORDER BY s.day DESC, s.mutation_id DESC LIMIT \(page.limit)", terms.values,
            texts: ["order_id", "order_number", "cashier_id", "entry", "stub"]
                + (forExport ? ["document"] : []))
    }

    /// The sales with this order id, order number or mutation, with their documents; of an id that several
    /// devices used, all.
    package static func order(_ id: String) -> StoreQuery {
        StoreQuery(
            entry + ", m.document " + entryTables
                + "WHERE s.kind = 'sale' AND (\(EntryRows.isOrder("o", mintedAs: "$1")) OR o.order_number = $1 OR o.mutation_id IN \(EntryRows.keys(of: "$1"))) "
                + "ORDER BY s.mutation_id LIMIT 10", [.text(id)])
    }

    /// The mutations that voided an order or gave back of it, with what they add to the figures.
    package static func reversals(ofOrder id: String) -> StoreQuery {
        StoreQuery(
            "SELECT s.mutation_id, s.kind, s.day, s.store_id, s.terminal_id, s.cashier_id, s.currency, "
                + "s.gross, s.discounts, s.refunds, m.received_at, m.document FROM sales s "
                + "JOIN mutations m ON m.id = s.mutation_id WHERE s.mutation_id IN ("
                + "SELECT r.mutation_id FROM refunds r WHERE r.order_id = $1 UNION ALL "
                + "SELECT o.voided_by FROM orders o WHERE o.order_id = $1 AND o.voided_by IS NOT NULL) "
                + "ORDER BY s.mutation_id LIMIT \(mostReversals + 1)", [.text(id)], texts: ["document"])
    }

    /// Refunds of one order that are shown; it was paid for once, so more are no shop's.
    package static let mostReversals = 1_000

    package static func flags(ofMutation id: String) -> StoreQuery {
        StoreQuery("SELECT flag FROM flags WHERE mutation_id = $1 ORDER BY flag", [.text(id)])
    }

    /// Flags, by mutation and flag.
    ///
    /// - Parameter flag: one kind alone; nil for all.
    package static func flags(_ page: Page, flag: String?) -> StoreQuery {
        var terms = Terms()
        addArrival(page.filter, to: &terms, column: "f.received_at")
        terms.add("f.flag = #", flag.map { .text($0) })
        terms.addPlace(["f.mutation_id", "f.flag"], page.after.map { .text($0) })
        return StoreQuery(
            "SELECT f.flag, f.mutation_id, f.terminal_id, t.store_id, f.received_at, m.type, o.order_number "
                + "FROM flags f LEFT JOIN terminals t ON t.id = f.terminal_id "
                + "LEFT JOIN mutations m ON m.id = f.mutation_id "
                + "LEFT JOIN orders o ON o.mutation_id = f.mutation_id \(terms.condition)"
                + "ORDER BY f.mutation_id DESC, f.flag DESC LIMIT \(page.limit)", terms.values,
            texts: ["type", "order_number"])
    }

    /// An alarm that nobody acknowledged since it was raised last.
    static let openAlarm = "(a.acknowledged_at IS NULL OR a.acknowledged_at < a.last_at)"
    private static let alarm =
        "SELECT a.id, a.kind, a.terminal_id, t.store_id, a.mutation_id, a.detail, a.raised_at, a.last_at, "
        + "a.count, a.acknowledged_at, a.acknowledged_by, a.note, "
        + "CASE WHEN \(openAlarm) THEN 'open' ELSE 'acknowledged' END AS state "
        + "FROM alarms a LEFT JOIN terminals t ON t.id = a.terminal_id "

    /// Alarms, by when they were raised last.
    package static func alarms(_ page: Page, openOnly: Bool) -> StoreQuery {
        var terms = Terms()
        addArrival(page.filter, to: &terms, column: "a.last_at")
        if openOnly { terms.add(openAlarm) }
        terms.addPlace(
            ["a.last_at", "a.id"], page.after.compactMap { Int64($0) }.map { .integer($0) })
        return StoreQuery(
            alarm + terms.condition + "ORDER BY a.last_at DESC, a.id DESC LIMIT \(page.limit)", terms.values,
            texts: ["detail", "note"])
    }

    /// What each store, the `entity_id`, has set, as the `value` of its `storeConfig`.
    package static let storeSettings = StoreQuery(
        "SELECT c.entity_id, c.value FROM changes c WHERE c.entity = 'storeConfig' AND c.value IS NOT NULL "
            + "ORDER BY c.entity_id")

    /// How many alarms are open, by kind.
    package static let openAlarmCounts = StoreQuery(
        "SELECT a.kind, COUNT(*) AS count FROM alarms a WHERE \(openAlarm) GROUP BY a.kind ORDER BY a.kind")

    package static func alarm(_ id: Int64) -> StoreQuery {
        StoreQuery(alarm + "WHERE a.id = $1", [.integer(id)])
    }

    /// Notes who looked at an alarm; changes nothing where none of that id is open.
    ///
    /// - Parameter raisedAt: when it was raised last as far as the person knows; nil: whenever it was.
    package static func acknowledgement(
        of id: Int64, raisedAt: Int64?, by name: String, note: String, at now: Int64
    ) -> [StoreQuery] {
        [
            StoreQuery(
                "UPDATE alarms AS a SET acknowledged_at = $1, acknowledged_by = $2, note = $3 WHERE a.id = $4 "
                    + "AND \(openAlarm) AND a.last_at = COALESCE($5, a.last_at) RETURNING id",
                [.integer(now), .text(name), .text(note), .integer(id), raisedAt.map { .integer($0) } ?? .null])
        ]
    }

    /// A refusal that its terminal neither edited nor gave up, and that nobody decided against.
    static let openRefusal =
        "NOT \(EntryRows.isDiscarded("r.mutation_id", of: "r.terminal_id")) "
        + "AND NOT \(EntryRows.isEdited("r.mutation_id", of: "r.terminal_id")) "
    private static let refusal =
        "SELECT r.mutation_id, r.terminal_id, t.store_id, r.received_at, r.result, r.resolved_at, "
        + "r.resolved_by, r.kept, r.reason, m.type, m.sequence, m.outcome, m.document, "
        + "CASE WHEN \(openRefusal) THEN 'open' ELSE 'resolved' END AS state FROM refusals r "
        + "JOIN mutations m ON m.id = r.mutation_id LEFT JOIN terminals t ON t.id = r.terminal_id "

    /// Refusals that wait for a person or for their terminal, by mutation.
    package static func refusals(_ page: Page, openOnly: Bool) -> StoreQuery {
        var terms = Terms()
        addArrival(page.filter, to: &terms, column: "r.received_at")
        if openOnly { terms.add(openRefusal) }
        terms.addPlace(["r.mutation_id"], page.after.map { .text($0) })
        return StoreQuery(
            refusal + terms.condition + "ORDER BY r.mutation_id DESC LIMIT \(page.limit)", terms.values,
            texts: ["type", "result", "document"])
    }

    /// How many refusals are open.
    package static let openRefusalCount = StoreQuery(
        "SELECT COUNT(*) AS count FROM refusals r WHERE \(openRefusal)")

    /// The terminals in whose journals entries are missing between others, each with how many.
    package static let journalGaps = StoreQuery(
        "SELECT g.terminal_id, CAST(SUM(g.missing) AS BIGINT) AS missing FROM ("
            + "SELECT e.terminal_id, e.highest - e.acknowledged_through - (SELECT COUNT(*) FROM journal j "
            + "WHERE j.terminal_id = e.terminal_id AND j.epoch = e.epoch "
            + "AND j.sequence > e.acknowledged_through) AS missing "
            + "FROM epochs e WHERE e.highest > e.acknowledged_through) g WHERE g.missing > 0 "
            + "GROUP BY g.terminal_id")

    package static func refusal(_ id: String) -> StoreQuery {
        StoreQuery(refusal + "WHERE r.mutation_id = $1", [.text(id)])
    }

    /// Notes what a person decided about a refusal; changes nothing where it is resolved.
    ///
    /// - Parameter keepsServer: the hub's state stays, and the mutation is given up for its terminal.
    ///   Otherwise the terminal has to send it again, and until then the refusal stays open.
    package static func resolution(
        of id: String, keepsServer: Bool, by name: String, reason: String, at now: Int64
    ) -> [StoreQuery] {
        let noted = StoreQuery(
            "UPDATE refusals AS r SET resolved_at = $1, resolved_by = $2, reason = $3, kept = $4 "
                + "WHERE r.mutation_id = $5 AND \(openRefusal)RETURNING mutation_id",
            [
                .integer(now), .text(name), .text(reason), .text(keepsServer ? "server" : "terminal"),
                .text(id),
            ])
        guard keepsServer else { return [noted] }
        return [
            noted,
            StoreQuery(
                "INSERT INTO discards (mutation_id, terminal_id, discarded_by) "
                    + "SELECT \(EntryRows.mintedId(of: "mutation_id")), terminal_id, $1 FROM refusals WHERE mutation_id = $2 "
                    + "ON CONFLICT DO NOTHING", [.text("operator \(name)"), .text(id)]),
            StoreQuery(
                "UPDATE mutations SET discarded_by = $1 WHERE id = $2",
                [.text("operator \(name)"), .text(id)]),
        ]
    }

    /// The terminals by their ids, each with its last report.
    package static func terminals(_ page: Page) -> StoreQuery {
        var terms = Terms()
        terms.add("t.store_id = #", page.filter.storeId.map { .text($0) })
        terms.addPlace(["t.id"], page.after.map { .text($0) }, isAscending: true)
        return StoreQuery(
            "SELECT t.id, t.store_id, t.number, t.name, t.enrolled_at, t.revoked_at, t.unconfirmed_since, "
                + "(SELECT r.document FROM telemetry r WHERE r.terminal_id = t.id "
                + "ORDER BY r.received_at DESC, r.app_version LIMIT 1) AS document "
                + "FROM terminals t \(terms.condition)ORDER BY t.id LIMIT \(page.limit)", terms.values,
            texts: ["name", "document"])
    }

    /// What stores have of articles, by store and article: first what all stores count together, whose
    /// `store_id` is empty.
    package static func stock(_ page: Page) -> StoreQuery {
        var terms = Terms()
        terms.add("s.store_id = #", page.filter.storeId.map { .text($0) })
        terms.addPlace(["s.store_id", "s.id"], page.after.map { .text($0) }, isAscending: true)
        return StoreQuery(
            "SELECT s.store_id, s.id, s.value, s.hlc, s.stock FROM ("
                + "SELECT store_id, entity_id AS id, value, hlc, NULL AS stock FROM changes "
                + "WHERE entity = 'stock' AND value IS NOT NULL UNION ALL "
                + "SELECT '' AS store_id, '/' || sku AS id, NULL AS value, NULL AS hlc, "
                + "stock_milli - sold_milli AS stock FROM products WHERE stock_milli IS NOT NULL) s "
                + "\(terms.condition)ORDER BY s.store_id, s.id LIMIT \(page.limit)", terms.values,
            texts: ["id", "value"])
    }

    static func addArrival(_ filter: SalesFilter, to terms: inout Terms, column: String) {
        terms.add("\(column) >= #", filter.from.flatMap(SaleEntry.milliseconds).map { .integer($0) })
        terms.add(
            "\(column) < #",
            filter.to.flatMap(SaleEntry.milliseconds).map { .integer($0 + 86_400_000) })
        terms.add("t.store_id = #", filter.storeId.map { .text($0) })
    }
}
