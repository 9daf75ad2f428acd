extension Schema {
    /// Wrong PINs, the sign-in, and card sales that nobody has seen.
    static let version8 = """
        -- Wrong PINs in a row of each cashier at this terminal, with both clocks at the last one: Unix
        -- milliseconds, and milliseconds since the boot that is named beside them.
        CREATE TABLE failed_pins (
            cashier_id TEXT PRIMARY KEY, count INTEGER NOT NULL, wall INTEGER NOT NULL,
            boot INTEGER NOT NULL, boot_id TEXT NOT NULL
        ) WITHOUT ROWID;

        -- Who is signed in: one row or none, with both clocks at the last command of theirs. `verifier` is what
        -- the PIN was checked against; NULL: the hub checked it.
        CREATE TABLE sign_in (
            id INTEGER PRIMARY KEY CHECK (id = 1), cashier_id TEXT NOT NULL, name TEXT NOT NULL,
            role TEXT NOT NULL, verifier TEXT, signed_in_at INTEGER NOT NULL, used_wall INTEGER NOT NULL,
            used_boot INTEGER NOT NULL, used_boot_id TEXT NOT NULL
        );

        -- A card sale is `sold` until whoever asked for it has its answer, then `seen`.
        UPDATE card_intents SET state = 'seen' WHERE state = 'sold';
        CREATE INDEX card_intents_sold ON card_intents (key) WHERE state = 'sold';
        """
}
