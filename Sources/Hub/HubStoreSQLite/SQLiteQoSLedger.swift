internal import GRDB
internal import HubProtocol
package import HubStore

/// The QoS store in one SQLite file.
package final class SQLiteQoSLedger: QoSLedger, SQLiteStore {
    package static let tables = ""

    let file: SQLiteFile
    let writer: GroupWriter

    /// Opens the store at `path`, making or migrating it as needed.
    ///
    /// - Parameter isChecked: whether every page is looked at first. Default: false.
    package init(path: String, isChecked: Bool = false) throws(LedgerError) {
        file = try SQLiteFile(path: path, schema: .qos, isChecked: isChecked)
        writer = GroupWriter(file)
    }

    /// Opens the store at `path`; a damaged one is kept aside and begun anew. Decisions are opinions of the
    /// last minutes, and an issuer that terminals do not know replaces the old one: no sale waits for a file
    /// of them.
    ///
    /// - Parameter setAside: called with the path at which the damaged file lies now.
    package static func opened(
        path: String, setAside: (String) -> Void
    ) throws(LedgerError) -> SQLiteQoSLedger {
        do throws(LedgerError) {
            return try SQLiteQoSLedger(path: path, isChecked: true)
        } catch .damaged {
            setAside(try SQLiteFile.setAside(path))
            return try SQLiteQoSLedger(path: path)
        }
    }

    /// One process owns the file, so there is nobody to exchange with.
    package func exchange(
        _ reports: [SharedReport], of process: String, after position: Int64?, at now: Int64
    ) async throws(LedgerError) -> (reports: [SharedReport], position: Int64) {
        ([], position ?? 0)
    }

    /// Begins a write transaction and undoes it: a busy or unreadable file throws, a full disk need not.
    package func checkWritable() async throws(LedgerError) {
        try await writer.write { _ in .undo(()) }
    }
}

extension SQLiteSchema {
    /// The tables of ``SQLiteQoSLedger``.
    static let qos = SQLiteSchema(steps: [
        """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO meta VALUES ('issuer', lower(hex(randomblob(12))));
        CREATE TABLE services (
            service TEXT PRIMARY KEY, generation INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, service TEXT NOT NULL, change TEXT NOT NULL);
        CREATE INDEX history_by_service ON history (service, id);
        -- An operator's override for the chain that waits for a second operator.
        CREATE TABLE proposals (
            service TEXT PRIMARY KEY, id TEXT NOT NULL, expires_at INTEGER NOT NULL,
            document TEXT NOT NULL) WITHOUT ROWID;
        """
    ])
}
