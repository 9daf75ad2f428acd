internal import GRDB
internal import HubProtocol

/// The ledger in one SQLite file, owned by one process.
public final class SQLiteLedger: Ledger {
    let file: SQLiteFile
    let writer: GroupWriter
    /// What an import decides by holds as long as no other one comes between.
    let imports = OneAtATime()
    let penalties: PushPenalties

    /// Opens the store at `path`, making or migrating it as needed.
    public convenience init(path: String) throws(LedgerError) {
        try self.init(path: path, budget: PushBudget())
    }

    init(path: String, budget: PushBudget) throws(LedgerError) {
        penalties = PushPenalties(budget)
        file = try SQLiteFile(path: path, schema: .ledger)
        writer = GroupWriter(file)
    }

    public func checkWritable() async throws(LedgerError) {
        try await writer.write { _ in .undo(()) }
    }

    /// Closes the connections; a call after this fails.
    public func close() {
        file.close()
    }

    /// A document of the store's own; what cannot be read shows as null.
    static func document(_ text: String?) -> JSONValue {
        guard let text, let value = try? JSONParser.parse(text.utf8) else { return .null }
        return value
    }
}
