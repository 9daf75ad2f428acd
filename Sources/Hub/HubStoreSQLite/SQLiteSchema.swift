internal import GRDB
internal import HubStore

extension SQLiteSchema {
    /// The tables of ``SQLiteLedger``.
    static let ledger = SQLiteSchema(steps: [
        HubSchema.sqlite + """


            INSERT INTO meta VALUES ('feed', lower(hex(randomblob(8)))),
                ('journal', lower(hex(randomblob(8)))), ('clock', '0000000000000-000000');
            CREATE INDEX changes_by_lookup ON changes (lookup, entity_id) WHERE lookup IS NOT NULL;
            -- What the check of whether the store takes writes wrote last.
            CREATE TABLE write_checks (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
            """
    ])
}

/// The steps that make a database's tables, counted by `user_version`. A step that was released never
/// changes.
struct SQLiteSchema: Sendable {
    /// SQL of each step, oldest first.
    let steps: [String]

    func version(of db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }

    /// Does the steps that the database lacks, each in a transaction of its own.
    func migrate(_ db: Database) throws {
        let found = try version(of: db)
        for (index, step) in steps.enumerated() where index >= found {
            try db.inTransaction(.immediate) {
                try db.execute(sql: step)
                try db.execute(sql: "PRAGMA user_version = \(index + 1)")
                return .commit
            }
        }
    }
}
