extension Schema {
    /// An entry's moves of counted stocks are in its row: a sale writes one page and some rows less.
    ///
    /// Moves belong to the entry that replaces their first one, however often it was edited.
    static let version7 = """
        ALTER TABLE journal ADD COLUMN stock_moves TEXT;
        WITH RECURSIVE carrier (origin, sequence) AS (
            SELECT DISTINCT sequence, sequence FROM stock_moves
            UNION
            SELECT origin, journal.settled_by FROM carrier JOIN journal USING (sequence)
            WHERE verdict = 'superseded' AND settled_by IS NOT NULL
        )
        UPDATE journal SET stock_moves = (
            SELECT json_group_array(json_array(line, sku, delta_milli))
            FROM carrier JOIN stock_moves AS moves ON moves.sequence = carrier.origin
            WHERE carrier.sequence = journal.sequence
        )
        WHERE verdict IS NOT 'superseded' AND sequence IN (SELECT sequence FROM carrier);
        DROP TABLE stock_moves;
        """
}
