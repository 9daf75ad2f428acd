internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The rows of the read model of sales, within one transaction.
struct SQLiteSales {
    private let db: Database
    private let statements: PreparedStatements

    init(_ db: Database, _ statements: PreparedStatements) {
        self.db = db
        self.statements = statements
    }

    /// The terminal that an entry came from, and when.
    struct Source {
        let mutationId: String
        let storeId: String
        let terminalId: String
        let receivedAt: Int64
    }

    /// Replaces what is there of the same mutation.
    func insert(_ entry: SaleEntry, from source: Source) throws {
        try statements[
            """
            INSERT OR REPLACE INTO sales (mutation_id, kind, order_id, day, store_id, terminal_id, cashier_id,
                currency, orders, gross, discounts, refunds, tax)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ].run { row in
            row.add(source.mutationId)
            row.add(entry.kind.rawValue)
            row.add(entry.orderId)
            row.add(entry.day(receivedAt: source.receivedAt))
            row.add(source.storeId)
            row.add(source.terminalId)
            row.add(entry.cashierId)
            row.add(entry.currency)
            row.add(entry.amounts.orders)
            row.add(entry.amounts.gross)
            row.add(entry.amounts.discounts)
            row.add(entry.amounts.refunds)
            row.add(entry.amounts.tax)
        }
    }

    func append(_ document: JournalDocument) throws {
        try statements[
            """
            INSERT INTO documents (kind, store_id, entry, document) VALUES (?, ?, ?, ?)
                ON CONFLICT (entry) WHERE entry IS NOT NULL DO NOTHING
            """
        ].run {
            row in
            row.add(document.kind.rawValue)
            row.add(document.storeId)
            row.add(document.entry)
            row.add(document.text)
        }
    }
}

extension SQLiteIntake {
    func insert(_ entry: SaleEntry, for record: MutationRecord) throws {
        try sales.insert(
            entry,
            from: SQLiteSales.Source(
                mutationId: record.key, storeId: record.device.storeId,
                terminalId: record.device.terminalId, receivedAt: record.receivedAt))
    }

    func append(_ document: JournalDocument) throws {
        try sales.append(document)
        memory.sales.keep(document)
    }

    func insert(_ flags: [IntakeFlag], for record: MutationRecord) throws {
        for flag in flags {
            try db.run(
                "INSERT OR IGNORE INTO flags (mutation_id, flag, terminal_id, received_at) VALUES (?, ?, ?, ?)",
                [record.key, flag.rawValue, record.device.terminalId, record.receivedAt])
        }
    }

    func insert(_ shift: KeptShift) throws -> Bool { try hasRow(KeptShift.insertion, shift.row) }

    func overlapsAnother(_ shift: KeptShift) throws -> Bool {
        try hasRow(KeptShift.overlap, shift.overlapValues)
    }

    func reconsider(shift shiftId: String, of terminalId: String) throws {
        _ = try hasRow(KeptShift.reconsideration, [.text(terminalId), .text(shiftId)])
    }

    func payload(of id: String, by terminalId: String) throws -> JSONValue? {
        let row = try db.first(
            "SELECT document FROM mutations WHERE id IN \(EntryRows.keys(of: "?1")) AND terminal_id = ?2",
            [id, terminalId])
        return row.flatMap { JSONValue.stored($0[0] as String?)["payload"] }
    }

    private func hasRow(_ sql: String, _ columns: [KeptShift.Column]) throws -> Bool {
        let values: [(any DatabaseValueConvertible)?] = columns.map { column in
            switch column {
            case .text(let text): text
            case .integer(let number): number
            }
        }
        // SQLite counts marks with a question mark. A change is done with its last row, so all are read.
        return try !db.all(sql.replacing("$", with: "?"), StatementArguments(values)).isEmpty
    }

    func insertRefusal(_ result: MutationResult, for record: MutationRecord) throws {
        try db.run(
            "INSERT OR IGNORE INTO refusals (mutation_id, terminal_id, received_at, result) VALUES (?, ?, ?, ?)",
            [
                record.key, record.device.terminalId, record.receivedAt,
                result.json.canonicalText,
            ])
    }
}
