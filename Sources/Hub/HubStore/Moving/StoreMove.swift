package import HubCore

/// The files that a hub moves out of.
package protocol StoreMoveSource {
    /// Reads the order store as it is at one moment.
    func readLedger<Value>(
        _ body: (any MovedTables) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value

    /// Reads the QoS store as it is at one moment; nil when there is none.
    func readDecisions<Value>(
        _ body: (any MovedTables) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value?
}

/// The tables of one store, as they are at one moment.
package protocol MovedTables {
    /// A value of the table `meta`; nil for none under this key.
    func meta(_ key: String) throws(LedgerError) -> String?

    /// The rows of a table.
    func count(of table: MovedTable) throws(LedgerError) -> Int

    /// Calls `body` with all rows of a table, at most ``MovedTable/page`` at once.
    func pages(
        of table: MovedTable, _ body: (MovedPage) throws(LedgerError) -> Void
    ) throws(LedgerError)
}

/// The database that a hub moves into, in one transaction.
package protocol StoreMoveTarget {
    /// Begins the transaction.
    ///
    /// - Throws: ``LedgerError/notEmpty(path:)`` for a database that was written to.
    func begin(for tables: [MovedTable]) throws(LedgerError)

    /// Replaces the identity of the change feed, the clock and the hub's keys, and keeps the mark of a store
    /// that was made of a backup.
    func keep(
        feed: String, journal: String, clock: HybridLogicalClock, keys: KeyRecord, restoredAt: String?
    ) throws(LedgerError)

    /// Replaces the identity of the QoS store.
    func keep(issuer: String) throws(LedgerError)

    /// Inserts the rows of `page`.
    func insert(_ page: MovedPage, into table: MovedTable) throws(LedgerError)

    /// Ends the transaction; all of it is durable then.
    func commit() throws(LedgerError)
}

/// Moves a hub from its SQLite files into an empty PostgreSQL database, in one transaction.
///
/// Everything that a terminal has of the hub stays valid: its token (the key moves), its idempotency
/// keys and their responses, its place in the change feed (the feed's incarnation and positions move), and
/// what was decided on the services. The files stay as they are. Nobody may write them meanwhile.
package struct StoreMove: Sendable {
    private let keys: KeyRecord

    /// - Parameter keys: the hub's keys as the database holds them from then on.
    package init(keys: KeyRecord) {
        self.keys = keys
    }

    /// Moves all of it.
    ///
    /// - Parameter reported: called with the share that is moved, from 0 to 1.
    /// - Returns: how many rows were moved.
    /// - Throws: ``LedgerError/notEmpty(path:)`` for a database that was written to.
    package func run(
        from source: some StoreMoveSource, to target: some StoreMoveTarget, reported: (Double) -> Void
    ) throws(LedgerError) -> Int {
        try target.begin(for: MovedTable.ledger + MovedTable.qos)
        var count = try source.readLedger { tables throws(LedgerError) in
            try target.keep(
                feed: try tables.meta("feed") ?? "", journal: try tables.meta("journal") ?? "",
                clock: try tables.meta("clock").flatMap(HybridLogicalClock.init) ?? HybridLogicalClock(),
                keys: keys, restoredAt: try tables.meta("restored_at"))
            return try Self.copy(MovedTable.ledger, from: tables, to: target, reported)
        }
        count +=
            try source.readDecisions { tables throws(LedgerError) in
                try target.keep(issuer: try tables.meta("issuer") ?? "")
                return try Self.copy(MovedTable.qos, from: tables, to: target, reported)
            } ?? 0
        try target.commit()
        return count
    }

    private static func copy(
        _ list: [MovedTable], from tables: any MovedTables, to target: some StoreMoveTarget,
        _ reported: (Double) -> Void
    ) throws(LedgerError) -> Int {
        var total = 0
        for table in list { total += try tables.count(of: table) }
        var count = 0
        for table in list {
            try tables.pages(of: table) { page throws(LedgerError) in
                try target.insert(page, into: table)
                count += page.count
                reported(Double(count) / Double(max(1, total)))
            }
            reported(Double(count) / Double(max(1, total)))
        }
        return count
    }
}
