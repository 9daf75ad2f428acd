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

    /// A read beside the writer.
    package func rows(of query: StoreQuery) async throws(LedgerError) -> [StoreRow] {
        try await file.read { db in try query.rows(in: db) }
    }

    /// Rows are read one by one until the page is full.
    package func page(of query: StoreQuery, rows count: Int) async throws(LedgerError) -> StorePage {
        try await file.read { db in try query.page(of: count, in: db) }
    }

    /// Shares a transaction with what waits for the writer.
    package func change(by changes: [StoreQuery]) async throws(LedgerError) -> Bool {
        try await writer.write { db in
            for (index, change) in changes.enumerated() {
                let rows = try change.rows(in: db)
                if index == 0, rows.isEmpty { return .undo(false) }
            }
            return .keep(true)
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

extension StoreQuery {
    fileprivate func rows(in db: Database) throws -> [StoreRow] {
        try db.all(sql, arguments).map(Self.row)
    }

    fileprivate func page(of count: Int, in db: Database) throws -> StorePage {
        let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var rows: [StoreRow] = []
        var bytes: Int64 = 0
        while let row = try cursor.next() {
            let size = texts.reduce(PageLimit.rowOverhead) { sum, name in
                sum + Int64(String.fromDatabaseValue(row[name])?.utf8.count ?? 0)
            }
            guard rows.count < count, PageLimit.takes(size, behind: bytes) else {
                return StorePage(rows: rows, hasMore: true)
            }
            bytes += size
            rows.append(Self.row(row))
        }
        return StorePage(rows: rows, hasMore: false)
    }

    private var arguments: StatementArguments {
        StatementArguments(
            values.map { value -> any DatabaseValueConvertible in
                switch value {
                case .text(let text): text
                case .integer(let number): number
                }
            })
    }

    private static func row(_ row: Row) -> StoreRow {
        var values: [String: String] = [:]
        for (name, value) in row {
            switch value.storage {
            case .null, .blob: continue
            case .string(let text): values[name] = text
            case .int64(let number): values[name] = String(number)
            case .double(let number): values[name] = String(number)
            }
        }
        return StoreRow(values)
    }
}
