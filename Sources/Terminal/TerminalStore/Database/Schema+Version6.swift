extension Schema {
    /// Members are found by their telephone number: `lookup` has its digits, and NULL for everything else.
    static let version6 = """
        ALTER TABLE feed_entities ADD COLUMN lookup TEXT;
        UPDATE feed_entities SET lookup = (
            WITH RECURSIVE digits (rest, kept) AS (
                SELECT json_extract(value, '$.phone'), ''
                UNION ALL
                SELECT substr(rest, 2), kept || CASE WHEN substr(rest, 1, 1) BETWEEN '0' AND '9'
                    THEN substr(rest, 1, 1) ELSE '' END
                FROM digits WHERE rest <> ''
            )
            SELECT NULLIF(kept, '') FROM digits WHERE rest = ''
        ) WHERE entity = 'member' AND value IS NOT NULL;
        CREATE INDEX feed_entities_lookup ON feed_entities (generation, entity, lookup)
            WHERE lookup IS NOT NULL;
        """
}
