extension Schema {
    /// A sale in fewer pages: what the journal's entry contains is not written a second time.
    ///
    /// The outbox becomes an index over the entries that are not applied, an order becomes the key to its
    /// entry, and a line is kept only for the stock that it moves.
    static let version2 = """
        ALTER TABLE journal ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
        UPDATE journal SET
            attempts = (SELECT attempts FROM outbox WHERE outbox.sequence = journal.sequence),
            result = (SELECT problem FROM outbox WHERE outbox.sequence = journal.sequence)
        WHERE sequence IN (SELECT sequence FROM outbox);
        DROP TABLE outbox;
        ALTER TABLE journal DROP COLUMN entity_id;
        CREATE INDEX journal_unsettled ON journal (verdict)
            WHERE verdict IS NULL OR verdict IN ('rejected', 'conflicted');

        CREATE TABLE stock_moves (
            sequence INTEGER NOT NULL, line INTEGER NOT NULL, sku TEXT NOT NULL,
            delta_milli INTEGER NOT NULL, PRIMARY KEY (sequence, line)
        ) WITHOUT ROWID;
        INSERT INTO stock_moves
            SELECT sequence, line, sku, stock_delta_milli FROM order_lines WHERE stock_delta_milli <> 0;
        INSERT INTO stock_moves SELECT sequence, position, sku, delta_milli FROM stock_returns;
        DROP TABLE order_lines;
        DROP TABLE order_payments;
        DROP TABLE stock_returns;

        ALTER TABLE orders RENAME TO orders_of_version_1;
        CREATE TABLE orders (
            sequence INTEGER PRIMARY KEY REFERENCES journal,
            order_id TEXT NOT NULL UNIQUE, sale_key TEXT NOT NULL UNIQUE, order_number TEXT NOT NULL UNIQUE,
            mode TEXT NOT NULL, voided_at INTEGER, void_sequence INTEGER REFERENCES journal
        );
        INSERT INTO orders
            SELECT sequence, order_id, sale_key, order_number, mode, voided_at, void_sequence
            FROM orders_of_version_1;
        DROP TABLE orders_of_version_1;
        """
}
