extension PostgresLedger {
    /// The secret that the hubs of this database share: it signs tokens and cursors. 32 bytes.
    public func hubKey() async throws(LedgerError) -> [UInt8] {
        let text = try await database.ask { connection throws(PostgresError) in
            try connection.ask("SELECT value FROM meta WHERE key = 'hub_key'").first?.optionalText(0)
        }
        let digits = (text ?? "").compactMap(\.hexDigitValue)
        guard digits.count == 64 else { throw .failed("the hub's key in the database is damaged") }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}
