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
