extension Schema {
    /// Files that mutations carry; their bytes are in the data folder under the attachment's id.
    ///
    /// `whole_at` is when the hub had all bytes of one, in Unix milliseconds; while it is NULL, the mutations
    /// that name it are not sent.
    static let version4 = """
        CREATE TABLE attachments (
            id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
            name TEXT NOT NULL, urgent INTEGER NOT NULL, made_at INTEGER NOT NULL, whole_at INTEGER,
            problem TEXT
        ) WITHOUT ROWID;
        CREATE INDEX attachments_unfinished ON attachments (made_at, id) WHERE whole_at IS NULL;
        CREATE TABLE mutation_attachments (
            mutation_id TEXT NOT NULL, attachment_id TEXT NOT NULL,
            PRIMARY KEY (mutation_id, attachment_id)
        ) WITHOUT ROWID;
        CREATE INDEX mutation_attachments_by_attachment ON mutation_attachments (attachment_id);
        """
}
