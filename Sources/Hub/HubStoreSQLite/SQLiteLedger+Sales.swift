internal import DirectSQLite
internal import GRDB
package import HubCore
package import HubStore

extension SQLiteLedger {
    /// One read beside the writer. By product, tender or tax every entry of the filter is read; otherwise
    /// SQLite sums them up.
    package func sales(
        by dimension: SalesDimension, _ filter: SalesFilter
    ) async throws(LedgerError) -> [SalesRow] {
        try await file.read { db in
            var report = SalesReport(by: dimension)
            guard dimension.part == nil else {
                let query = SalesQuery.parts(filter, page: nil) { "?\($0)" }
                _ = try DirectStatement(query.sql, in: db).all({ parameters in
                    for value in query.values { parameters.add(value) }
                }) { row in report.add(SalePart.parts(of: row.text(3)), row.text(2)) }
                return report.rows
            }
            let query = SalesQuery.sums(by: dimension, filter) { "?\($0)" }
            for row in try db.all(query.sql, StatementArguments(query.values)) {
                let key = dimension.names.indices.map { row["k\($0)"] as String? }
                report.add(key, row["currency"]) { name in row[name] }
            }
            return report.rows
        }
    }

    /// One write transaction for each portion.
    package func rebuildSales() async throws(LedgerError) -> Int {
        var (last, count): (String?, Int) = ("", 0)
        while let place = last {
            let portion = try await writer.write { db in .keep(try SQLiteSales.rebuild(after: place, in: db))
            }
            last = portion.last
            count += portion.entries
        }
        return count
    }
}
