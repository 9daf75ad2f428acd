package import HubCore
package import HubStore

extension PostgresLedger {
    /// Rows of one page of entries that are added up here, a few megabytes.
    private static let page = 5_000

    /// By product, tender or tax every entry of the filter is read in pages; otherwise the server sums them
    /// up.
    package func sales(
        by dimension: SalesDimension, _ filter: SalesFilter
    ) async throws(LedgerError) -> [SalesRow] {
        try await database.perform(isLong: true) { connection throws(PostgresError) in
            var report = SalesReport(by: dimension)
            guard dimension.part == nil else {
                try Self.addParts(to: &report, filter, on: connection)
                return report.rows
            }
            let query = SalesQuery.sums(by: dimension, filter) { "$\($0)" }
            for row in try connection.query(query.sql, query.values.map { .text($0) }).rows {
                let key = try dimension.names.indices.map { place throws(PostgresError) in
                    try row.optionalText("k\(place)")
                }
                try report.add(key, try row.text("currency")) { name throws(PostgresError) in
                    try row.integer(name)
                }
            }
            return report.rows
        }
    }

    /// One snapshot, so that a page has nothing that another one lacks.
    private static func addParts(
        to report: inout SalesReport, _ filter: SalesFilter, on connection: PostgresConnection
    ) throws(PostgresError) {
        try connection.query([PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")])
        var last: (day: String, mutationId: String)? = ("", "")
        let result = Result { () throws(PostgresError) in
            while let place = last {
                let query = SalesQuery.parts(filter, page: (place, page)) { "$\($0)" }
                let rows = try connection.query(query.sql, query.values.map { .text($0) }).rows
                for row in rows {
                    report.add(SalePart.parts(of: try row.text("parts")), try row.text("currency"))
                }
                let end = rows.count < page ? nil : rows.last
                last = try end.map { row throws(PostgresError) in
                    (try row.text("day"), try row.text("mutation_id"))
                }
            }
        }
        if !connection.isBroken { try connection.query([.rollback]) }
        try result.get()
    }

    /// One statement, a snapshot of its own.
    package func rows(of query: StoreQuery) async throws(LedgerError) -> [StoreRow] {
        try await database.perform { connection throws(PostgresError) in try query.rows(on: connection) }
    }

    /// The server adds the sizes up without reading large values, and sends no row behind the page.
    package func page(of query: StoreQuery, rows count: Int) async throws(LedgerError) -> StorePage {
        try await database.perform { connection throws(PostgresError) in
            try query.page(of: count, on: connection)
        }
    }

    /// One transaction.
    package func change(by changes: [StoreQuery]) async throws(LedgerError) -> Bool {
        try await database.write { connection throws(PostgresError) in
            for (index, change) in changes.enumerated() {
                let rows = try change.rows(on: connection)
                if index == 0, rows.isEmpty { return .undo(false) }
            }
            return .keep(true)
        }
    }

    /// One transaction for each portion.
    package func rebuildSales() async throws(LedgerError) -> Int {
        var (last, count): (String?, Int) = ("", 0)
        while let place = last {
            let portion = try await database.perform(isLong: true) { connection throws(PostgresError) in
                try PostgresSales.rebuild(after: place, on: connection)
            }
            last = portion.last
            count += portion.entries
        }
        return count
    }
}

extension StoreQuery {
    fileprivate func rows(on connection: PostgresConnection) throws(PostgresError) -> [StoreRow] {
        try connection.query(sql, arguments).rows.map { StoreRow($0.named) }
    }

    fileprivate func page(
        of count: Int, on connection: PostgresConnection
    ) throws(PostgresError) -> StorePage {
        let size = texts.reduce("\(PageLimit.rowOverhead)") {
            $0 + " + COALESCE(octet_length(one.\($1)::text), 0)"
        }
        let place = "$\(values.count + 1)"
        let rows = try connection.query(
            "SELECT * FROM (SELECT counted.*, COUNT(*) OVER () AS available, "
                + "(SUM(size) OVER (ORDER BY place) - size)::bigint AS bytes_before FROM ("
                + "SELECT one.*, ROW_NUMBER() OVER () AS place, (\(size))::bigint AS size "
                + "FROM (\(sql)) AS one) AS counted) AS sized "
                + "WHERE bytes_before = 0 OR bytes_before + size <= \(place) ORDER BY place",
            arguments + [.integer(PageLimit.bytes)]
        ).rows.map { StoreRow($0.named) }
        let available = rows.first?.integer("available") ?? 0
        let shown = rows.prefix(count)
        return StorePage(rows: Array(shown), hasMore: available > Int64(shown.count))
    }

    private var arguments: [PostgresValue] {
        values.map { value in
            switch value {
            case .text(let text): .text(text)
            case .integer(let number): .integer(number)
            }
        }
    }
}
