internal import GRDB
package import HubStore

/// What an order store shows to somebody who changes nothing in it: no migration, no companion file.
package struct SQLiteStoreSummary: Sendable {
    /// The schema of the file.
    package let schema: Int
    /// The newest schema that this program knows.
    package static var knownSchema: Int { SQLiteSchema.ledger.steps.count }
    /// Terminals that wait for an operator's confirmation.
    package let unconfirmed: Int
    /// The public halves of the hub's keys as JSON; nil before the first start.
    package let publicKeys: String?
    /// When the store was made of a backup, in milliseconds since 1970; nil for one that never was.
    package let restoredAt: Int64?
    /// When the tokens end of operators without a password, the first to end first.
    package let tokens: [(name: String, end: Int64)]

    /// Reads the file at `path`, beside a hub that works on it.
    package init(path: String) throws(LedgerError) {
        do {
            let queue = try SQLiteFile.readOnly(path)
            defer { try? queue.close() }
            (schema, unconfirmed, publicKeys, restoredAt, tokens) = try queue.read { db in
                let isThere = try db.columns(in: "terminals").contains { $0.name == "unconfirmed_since" }
                let unconfirmed =
                    isThere
                    ? try Int.fetchOne(
                        db,
                        sql: "SELECT COUNT(*) FROM terminals "
                            + "WHERE unconfirmed_since IS NOT NULL AND revoked_at IS NULL") : 0
                func meta(_ key: String) throws -> String? {
                    try db.first("SELECT value FROM meta WHERE key = ?", [key])?[0]
                }
                return (
                    try SQLiteSchema.ledger.version(of: db), unconfirmed ?? 0,
                    try meta("hub_public_keys"), try meta("restored_at").flatMap { Int64($0) },
                    try db.columns(in: "operators").contains { $0.name == "password_hash" }
                        ? try Row.fetchAll(db, sql: EndingTokens.selection).map { ($0[0], $0[1]) } : []
                )
            }
        } catch {
            throw SQLiteFile.opening(path, error)
        }
    }
}
