extension Schema {
    /// A person's decision about a refusal, and the shift's notes.
    ///
    /// `settled_by` is the entry that settled a refused one: the edit that replaces it, or the entry that
    /// discards it. `revision` is the entry that an order is read from after an edit; NULL is its own.
    /// `origin` is the mutation that made the hub's version; `note_changes` has the changes made here that
    /// the hub's version does not contain yet.
    static let version3 = """
        ALTER TABLE journal ADD COLUMN settled_by INTEGER;
        ALTER TABLE orders ADD COLUMN revision INTEGER;

        ALTER TABLE feed_entities ADD COLUMN hlc TEXT;
        ALTER TABLE feed_entities ADD COLUMN origin TEXT;
        CREATE TABLE note_changes (
            note_id TEXT PRIMARY KEY, mutation_id TEXT NOT NULL, value TEXT, deleted_at TEXT
        ) WITHOUT ROWID;
        """
}
