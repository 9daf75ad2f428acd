extension Schema {
    /// Not released yet: statements may be added here.
    static let version8 = """
        -- Wrong PINs in a row of each cashier at this terminal, with both clocks at the last one: Unix
        -- milliseconds, and milliseconds since the boot that is named beside them.
        CREATE TABLE failed_pins (
            cashier_id TEXT PRIMARY KEY, count INTEGER NOT NULL, wall INTEGER NOT NULL,
            boot INTEGER NOT NULL, boot_id TEXT NOT NULL
        ) WITHOUT ROWID;
        """
}
