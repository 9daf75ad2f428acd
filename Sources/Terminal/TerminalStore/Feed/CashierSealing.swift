internal import Credentials
internal import GRDB
internal import HubProtocol

/// How cashiers' PINs are stored in the database: the feed's `pinHash` is replaced by `pinVerifier`, a
/// ``SealedPIN`` under the secret of this device, before anything is written.
enum CashierSealing {
    /// The fact that names the secret under which the rows are sealed.
    private static let fact = "deviceSecret"

    /// A cashier of the feed as the database keeps it. One whose `pinHash` cannot be read has no verifier.
    static func sealed(_ value: JSONValue, with secret: DeviceSecret) -> JSONValue {
        guard var members = value.object, let hash = members["pinHash"]?.string else { return value }
        members["pinHash"] = nil
        members["pinVerifier"] = JSONValue(SealedPIN(sealing: PINHash(text: hash), with: secret)?.text)
        return .object(members)
    }

    /// Drops what was sealed under another secret and can no longer be checked; those cashiers come again
    /// with the next pull.
    static func settle(in database: Database, with secret: DeviceSecret) throws {
        let known = try String.fetchOne(
            database, sql: "SELECT value FROM facts WHERE name = ?", arguments: [fact])
        guard known != secret.fingerprint else { return }
        try database.inOneTransaction {
            try dropVerifiers(in: database)
            try database.execute(
                sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)",
                arguments: [fact, secret.fingerprint])
        }
    }

    private static func dropVerifiers(in database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT generation, entity_id, value FROM feed_entities
                WHERE entity = 'cashier' AND value IS NOT NULL
                """)
        var hasLost = false
        for row in rows {
            guard let value = try? JSONParser.parse((row["value"] as String).utf8),
                var members = value.object, members["pinVerifier"] != nil
            else { continue }
            members["pinVerifier"] = nil
            hasLost = true
            try database.execute(
                sql: """
                    UPDATE feed_entities SET value = ?
                    WHERE generation = ? AND entity = 'cashier' AND entity_id = ?
                    """,
                arguments: [
                    JSONValue.object(members).canonicalText, row["generation"] as Int64,
                    row["entity_id"] as String,
                ])
        }
        guard hasLost else { return }
        try SQLiteCatalogue.begin(after: SQLiteCatalogue.feed(in: database), in: database)
    }
}
