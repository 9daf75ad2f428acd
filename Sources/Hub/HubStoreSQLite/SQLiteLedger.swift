internal import GRDB
internal import HubProtocol
package import HubStore

/// The ledger in one SQLite file, owned by one process.
package final class SQLiteLedger: Ledger, SQLiteStore {
    let file: SQLiteFile
    let writer: GroupWriter
    /// What an import decides by holds as long as no other one comes between.
    let imports = SerialGate()
    let penalties: PushPenalties
    package let memory = IntakeMemory()

    /// Opens the store at `path`, making or migrating it as needed.
    ///
    /// - Parameter isChecked: whether every page is looked at first, which reads the whole file; for a hub
    /// that
    ///   starts. Default: false, for a command.
    package convenience init(path: String, isChecked: Bool = false) throws(LedgerError) {
        try self.init(path: path, budget: PushBudget(), isChecked: isChecked)
    }

    init(path: String, budget: PushBudget, isChecked: Bool = false) throws(LedgerError) {
        penalties = PushPenalties(budget)
        file = try SQLiteFile(path: path, schema: .ledger, isChecked: isChecked)
        writer = GroupWriter(file)
    }

    /// Bytes that a check writes: a few pages, as a push of some sales does. Half of it would find room on a
    /// disk where a push does not; at one check a second it is 16 KiB/s that the disk wears.
    private static let probeBytes: Int64 = 16 << 10

    /// An empty transaction would be well on a full disk, so this one writes and keeps pages.
    package func checkWritable() async throws(LedgerError) {
        try await writer.write { db in
            try db.run(
                "INSERT OR REPLACE INTO write_checks (id, content) VALUES (1, randomblob(?))",
                [Self.probeBytes])
            return .keep(())
        }
    }

    /// Reads every page of the file beside the hub; it ends at the first page that cannot be read.
    package func check() async throws(LedgerError) -> StoreCheck {
        // A page that cannot be read at all ends the check itself.
        do {
            let findings = try await file.read { db in
                Result { try SQLiteFile.findings(in: db, isComplete: true, limit: StoreCheck.listed) }
                    .mapError {
                        SQLiteFile.translated($0)
                    }
            }
            return StoreCheck(findings: try findings.get(), looked: ["every page, row and index of the file"])
        } catch .failed(let message) {
            return StoreCheck(findings: [message], looked: ["pages up to the first that cannot be read"])
        }
    }

    /// Closes the connections; a call after this fails.
    package func close() {
        file.close()
    }
}
