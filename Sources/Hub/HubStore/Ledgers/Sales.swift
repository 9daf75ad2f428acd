package import HubCore
internal import HubProtocol

extension SQLLedger {
    /// By product, tender or tax every entry of the filter is read, in pages of one moment; otherwise the
    /// database sums them up.
    package func sales(
        by dimension: SalesDimension, _ filter: SalesFilter
    ) async throws(LedgerError) -> [SalesRow] {
        guard dimension.part == nil else {
            return try await snapshot { session in
                var report = SalesReport(by: dimension)
                try session.addParts(to: &report, filter)
                return report.rows
            }
        }
        return try await read(isLong: true) { session in
            var report = SalesReport(by: dimension)
            for row in try session.run([SalesQuery.sums(by: dimension, filter)]) {
                let key = dimension.names.indices.map { row.text("k\($0)") }
                try report.add(key, try row["currency"]) { name in try row[name] }
            }
            return report.rows
        }
    }

    /// One transaction for each portion.
    package func rebuildSales() async throws(LedgerError) -> Int {
        var (last, count): (String?, Int) = ("", 0)
        while let place = last {
            let portion = try await perform(.frozen, isLong: true) { session in
                .keep(try session.rebuildSales(after: place))
            }
            last = portion.last
            count += portion.entries
        }
        return count
    }
}

/// What people and back offices look at.
extension SQLLedger {
    /// One statement, a snapshot of its own.
    package func rows(of query: StoreQuery) async throws(LedgerError) -> [StoreRow] {
        try await read { session in try session.run([query]) }
    }

    /// What lies behind the page is not held.
    package func page(of query: StoreQuery, rows count: Int) async throws(LedgerError) -> StorePage {
        try await read { session in try session.page(of: query, rows: count, behind: nil).page }
    }

    /// One transaction.
    package func change(by changes: [StoreQuery]) async throws(LedgerError) -> Bool {
        try await write { session in
            for (index, change) in changes.enumerated() {
                let rows = try session.run([change])
                if index == 0, rows.isEmpty { return .undo(false) }
            }
            return .keep(true)
        }
    }
}

/// Rows of one page of entries that are added up here, a few megabytes.
private let partsAtOnce = 5_000

/// Entries that one portion of a rebuild looks at: some milliseconds' worth, so that pushes go between.
private let portion = 500

extension StoreSession {
    fileprivate func addParts(to report: inout SalesReport, _ filter: SalesFilter) throws {
        var last: (day: String, mutationId: String)? = ("", "")
        while let place = last {
            let rows = try run([SalesQuery.parts(filter, after: place, rows: partsAtOnce)])
            for row in rows { report.add(SalePart.parts(of: try row[3]), try row[2]) }
            last = rows.count < partsAtOnce ? nil : try rows.last.map { (try $0[0], try $0[1]) }
        }
    }

    /// Computes a portion again, and removes what belongs to no accepted mutation of it, within a transaction
    /// with one snapshot: what is pushed meanwhile is not looked at and not removed.
    ///
    /// - Parameter last: the id behind which the portion begins.
    /// - Returns: the id of its last mutation, nil at the end; and how many entries it has.
    package func rebuildSales(after last: String) throws -> (last: String?, entries: Int) {
        let rows = try rows(
            "SELECT m.id, m.type, m.terminal_id, m.received_at, m.document, "
                + "COALESCE(o.store_id, t.store_id, '') FROM mutations m "
                + "LEFT JOIN orders o ON o.mutation_id = m.id LEFT JOIN terminals t ON t.id = m.terminal_id "
                + "WHERE m.id > $1 AND m.outcome = 'applied' AND m.type \(dialect.isOne("$2")) "
                + "ORDER BY m.id LIMIT $3", [last, StoreValue.texts(SaleEntry.types), portion])
        let end: String? = rows.count < portion ? nil : try rows.last?[0]
        let insertions = try rows.compactMap { row in
            try saleEntry(of: row).map {
                try $0.insertion(of: row[0], storeId: row[5], terminalId: row[2], at: row[3])
            }
        }
        try run(
            [
                StoreQuery(
                    "DELETE FROM sales WHERE mutation_id > $1 "
                        + "AND (CAST($2 AS TEXT) IS NULL OR mutation_id <= $2)", of: [last, end])
            ] + insertions)
        return (end, insertions.count)
    }

    private func saleEntry(of row: StoreRow) throws -> SaleEntry? {
        let document = JSONValue.stored(try row[4])
        let id: String = try row[0]
        return try SaleEntry.entry(
            id: id, type: try row[1], entityId: document["entityId"]?.string ?? "",
            document["payload"] ?? .null
        ) { orderId throws(any Error) in
            let voided: String? = try first(
                "SELECT order_id FROM orders o WHERE \(EntryRows.isOrder("o", mintedAs: "$1")) "
                    + "AND voided_by = $2", [orderId, id])?[0]
            return try refundable(.id(voided ?? orderId), isLocked: false)
        }
    }

    /// Whether the read model was filled, once in the life of a store: that of an older hub has no entries.
    package func hasSales() throws -> Bool {
        try first("SELECT 1 FROM meta WHERE key = '\(ReadModelMark.key)'") != nil
    }

    package func markSales() throws {
        try run("INSERT INTO meta (key, value) VALUES ('\(ReadModelMark.key)', '1') ON CONFLICT DO NOTHING")
    }
}

extension SaleEntry {
    /// Of the table `sales`, behind `mutation_id`.
    package static let columns = [
        "kind", "order_id", "day", "store_id", "terminal_id", "cashier_id", "currency", "orders", "gross",
        "discounts", "refunds", "tax", "parts",
    ]

    /// A row of the same mutation is replaced: after a restore of the store's tables from another moment none
    /// may stop the intake.
    package static let replacing =
        " ON CONFLICT (mutation_id) DO UPDATE SET "
        + columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")

    private static let insertion =
        "INSERT INTO sales (mutation_id, \(columns.joined(separator: ", "))) VALUES ("
        + (0...columns.count).map { "$\($0 + 1)" }.joined(separator: ", ") + ")" + replacing

    fileprivate func insertion(
        of mutationId: String, storeId: String, terminalId: String, at receivedAt: Int64
    ) -> StoreQuery {
        StoreQuery(
            Self.insertion,
            of: [
                mutationId, kind.rawValue, orderId, day(receivedAt: receivedAt), storeId, terminalId,
                cashierId, currency, amounts.orders, amounts.gross, amounts.discounts, amounts.refunds,
                amounts.tax, SalePart.text(of: parts),
            ])
    }
}
