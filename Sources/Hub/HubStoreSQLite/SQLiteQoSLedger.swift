internal import GRDB
package import HubProtocol
package import HubStore

/// The QoS store in one SQLite file.
package final class SQLiteQoSLedger: QoSLedger, SQLiteStore {
    let file: SQLiteFile
    let writer: GroupWriter

    /// Changes of a service that are kept; older ones are dropped.
    private static let maximumHistory = 1_000

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

    /// One read transaction: the issuer and the services belong together.
    package func load() async throws(LedgerError) -> QoSMemory {
        try await file.read { db in
            let issuer: String = try db.first("SELECT value FROM meta WHERE key = 'issuer'", [])?[0] ?? ""
            let rows = try db.all("SELECT service, generation, state FROM services", [])
            let services = rows.map { row -> (String, QoSMemory.Kept) in
                (
                    row["service"],
                    QoSMemory.Kept(generation: row["generation"], state: JSONValue.stored(row["state"]))
                )
            }
            return QoSMemory(issuer: issuer, services: Dictionary(services) { _, last in last })
        }
    }

    /// Compares the generation and writes state and history in one transaction; the oldest history beyond
    /// 1,000 changes goes.
    package func decide(_ decision: QoSKeptDecision) async throws(LedgerError) -> QoSOutcome {
        try await writer.write { db in
            let kept = try db.first(
                "SELECT generation, state FROM services WHERE service = ?", [decision.service])
            if let kept, kept[0] != decision.previous {
                return .undo(
                    .overtaken(by: .init(generation: kept[0], state: JSONValue.stored(kept[1]))))
            }
            try Self.write(decision, in: db)
            return .keep(.kept)
        }
    }

    private static func write(_ decision: QoSKeptDecision, in db: Database) throws {
        try db.run(
            "INSERT INTO services (service, generation, state) VALUES (?1, ?2, ?3) "
                + "ON CONFLICT (service) DO UPDATE "
                + "SET generation = ?2, state = ?3",
            [decision.service, decision.generation, decision.state.canonicalText])
        for change in decision.changes {
            try db.run(
                "INSERT INTO history (service, change) VALUES (?, ?)",
                [decision.service, change.canonicalText])
        }
        try db.run(
            "DELETE FROM history WHERE service = ?1 AND id <= (SELECT id FROM history "
                + "WHERE service = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            [decision.service, maximumHistory])
    }

    /// A read of at most `limit` rows; it waits for no writer.
    package func history(of service: String, limit: Int) async throws(LedgerError) -> [JSONValue] {
        try await file.read { db in
            try db.all(
                "SELECT change FROM history WHERE service = ? ORDER BY id DESC LIMIT ?", [service, limit]
            ).map { JSONValue.stored($0[0]) }
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

extension SQLiteQoSLedger {
    /// One statement.
    package func propose(_ proposal: QoSProposal) async throws(LedgerError) {
        try await writer.write { db in
            .keep(
                try db.run(
                    "INSERT OR REPLACE INTO proposals (service, id, expires_at, document) VALUES (?, ?, ?, ?)",
                    [proposal.service, proposal.id, proposal.expiresAt, proposal.json.canonicalText]))
        }
    }

    /// A read of a few rows at most.
    package func proposals(at now: Int64) async throws(LedgerError) -> [QoSProposal] {
        try await file.read { db in
            try db.all("SELECT document FROM proposals WHERE expires_at > ? ORDER BY service", [now])
                .compactMap { QoSProposal(json: JSONValue.stored($0[0])) }
        }
    }

    /// One statement deletes and returns it.
    package func takeProposal(of service: String, id: String?) async throws(LedgerError) -> QoSProposal? {
        try await writer.write { db in
            let rows = try db.all(
                "DELETE FROM proposals WHERE service = ?1 AND (?2 IS NULL OR id = ?2) RETURNING document",
                [service, id])
            return .keep(rows.first.flatMap { QoSProposal(json: JSONValue.stored($0[0])) })
        }
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
        """,
        """
        -- An operator's override for the chain that waits for a second operator.
        CREATE TABLE proposals (
            service TEXT PRIMARY KEY, id TEXT NOT NULL, expires_at INTEGER NOT NULL,
            document TEXT NOT NULL) WITHOUT ROWID;
        """,
    ])
}
