extension Schema {
    /// What a person made of a refusal, and the shift's notes.
    ///
    /// `settled_by` is the entry that answered a refused one: the edit that stands in for it, or the word
    /// that gave it up. `revision` is the entry that an order is read from after an edit; NULL is its own.
    /// `origin` is the mutation that made the hub's word; `note_changes` is what was changed here and the
    /// hub's word does not hold yet.
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
