internal import Foundation
internal import GRDB
package import HubStore

/// The SQLite files of a hub, read to be moved. They stay as they are, but for migrations that they lack.
package final class SQLiteMoveSource: StoreMoveSource {
    private let ledger: SQLiteFile
    private let decisions: SQLiteFile?

    /// - Parameters:
    ///   - ledger: the path of the order store.
    ///   - qos: the path of the QoS store; nil when there is none.
    package init(ledger: String, qos: String?) throws(LedgerError) {
        self.ledger = try SQLiteFile(path: ledger, schema: .ledger)
        decisions = if let qos { try SQLiteFile(path: qos, schema: .qos) } else { nil }
    }

    deinit {
        ledger.close()
        decisions?.close()
    }

    package func readLedger<Value>(
        _ body: (any MovedTables) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        try Self.read(ledger, body)
    }

    package func readDecisions<Value>(
        _ body: (any MovedTables) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value? {
        guard let decisions else { return nil }
        return try Self.read(decisions, body)
    }

    private static func read<Value>(
        _ file: SQLiteFile, _ body: (any MovedTables) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        do {
            return try file.pool.read { db in try body(SQLiteMovedTables(db: db)) }
        } catch let error as LedgerError {
            throw error
        } catch {
            throw SQLiteFile.translated(error)
        }
    }
}

/// The tables of one file, within a read transaction.
private struct SQLiteMovedTables: MovedTables {
    let db: Database

    func meta(_ key: String) throws(LedgerError) -> String? {
        try translating { try db.first("SELECT value FROM meta WHERE key = ?", [key])?["value"] }
    }

    func count(of table: MovedTable) throws(LedgerError) -> Int {
        try translating { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table.source)") ?? 0 }
    }

    func pages(
        of table: MovedTable, _ body: (MovedPage) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try translating {
            let rows = try Row.fetchCursor(db, sql: "SELECT \(table.names) FROM \(table.source)")
            var page: [Row] = []
            while let row = try rows.next() {
                page.append(row.copy())
                guard page.count == table.page else { continue }
                try body(MovedPage(page, of: table))
                page = []
            }
            if !page.isEmpty { try body(MovedPage(page, of: table)) }
        }
    }

    private func translating<Value>(_ body: () throws -> Value) throws(LedgerError) -> Value {
        do {
            return try body()
        } catch let error as LedgerError {
            throw error
        } catch {
            throw SQLiteFile.translated(error)
        }
    }
}

extension MovedPage {
    /// Rows that were read by ``MovedTable/names``; by position, since a large move reads millions of them.
    fileprivate init(_ rows: [Row], of table: MovedTable) {
        let columns = table.columns.enumerated().map { index, column -> Values in
            switch column {
            case .text: .texts(rows.map { $0[index] })
            case .integer: .integers(rows.map { $0[index] })
            case .bytes: .bytes(rows.map { ($0[index] as Data?).map(Array.init) })
            }
        }
        self.init(columns: columns, count: rows.count)
    }
}
