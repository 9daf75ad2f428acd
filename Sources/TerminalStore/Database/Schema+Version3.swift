extension Schema {
    /// What a person made of a refusal, and the shift's notes.
    ///
    /// `settled_by` is the entry that answered a refused one: the edit that stands in for it, or the word
    /// that gave it up. `revision` is the entry that an order is read from after an edit; NULL is its own.
    static let version3 = """
        ALTER TABLE journal ADD COLUMN settled_by INTEGER;
        ALTER TABLE orders ADD COLUMN revision INTEGER;
        """
}
