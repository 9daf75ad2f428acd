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
