extension Schema {
    /// What an entry moves of counted stocks lies in its row: a sale writes a page and some rows less.
    ///
    /// Moves go with the entry that stands in for theirs now, however often it was edited.
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
