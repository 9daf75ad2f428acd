internal import GRDB
internal import HubProtocol
public import Base
import OfflineCore
public import Retail

/// Keeps card intents in the terminal's database.
public struct SQLiteCardIntents: CardIntentLedger {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Both ids are journal ids, minted in the transaction that stores the intent.
    public func open(
        saleKey: ULID, amount: Int64, currency: String, at wallMilliseconds: Int64
    ) async throws(StorageError) -> CardIntent {
        try await database.ledgerWrite { connection in
            var journal = try JournalWriter(connection)
            let intent = CardIntent(
                key: journal.mintId(at: wallMilliseconds), orderId: journal.mintId(at: wallMilliseconds),
                saleKey: saleKey, amount: amount, currency: currency, openedAt: wallMilliseconds)
            try connection.execute(
                sql: """
                    INSERT INTO card_intents (key, order_id, sale_key, amount, currency, opened_at, state)
                    VALUES (?, ?, ?, ?, ?, ?, 'open')
                    """,
                arguments: [
                    intent.key, intent.orderId, saleKey.description, amount, currency, wallMilliseconds,
                ])
            try journal.finish()
            return intent
        }
    }

    /// Does nothing to an intent that is settled already.
    public func decline(_ intent: CardIntent) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            _ = try Self.settle(intent, as: "declined", in: connection)
        }
    }

    /// The mutation `payment.voided` has the authorisation's key as its entity id.
    public func void(
        _ intent: CardIntent, reason: String, at wallMilliseconds: Int64
    ) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            guard try Self.settle(intent, as: "voided", in: connection) else { return }
            var journal = try JournalWriter(connection)
            _ = try journal.append(
                JournalWriter.NewEntry(
                    type: "payment.voided", entity: "payment", entityId: intent.key,
                    madeAt: wallMilliseconds,
                    payload: OrderPayload.paymentVoided(
                        authorizationKey: intent.key, orderId: intent.orderId, amount: intent.amount,
                        currency: intent.currency, reason: reason
                    ).bytes))
            try journal.finish()
        }
    }

    /// In the order of the keys, which is the order of time.
    public func unsettled() async throws(StorageError) -> [CardIntent] {
        try await intents("FROM card_intents WHERE state = 'open' ORDER BY key")
    }

    /// In the order of the keys, which is the order of time.
    public func unseen() async throws(StorageError) -> [CardIntent] {
        try await intents(
            """
            FROM card_intents JOIN orders USING (order_id)
            WHERE state = 'sold' AND voided_at IS NULL ORDER BY key
            """)
    }

    /// Does nothing unless the intent's sale was made and not yet seen.
    public func noteSeen(orderId: String) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            try connection.execute(
                sql: "UPDATE card_intents SET state = 'seen' WHERE order_id = ? AND state = 'sold'",
                arguments: [orderId])
        }
    }

    private func intents(_ clause: String) async throws(StorageError) -> [CardIntent] {
        let columns = "SELECT key, order_id, card_intents.sale_key, amount, currency, opened_at "
        return try await database.ledgerRead { connection in
            try Row.fetchAll(connection, sql: columns + clause).map { row in
                guard let saleKey = ULID(row["sale_key"] as String) else {
                    throw JournalChain.Broken(detail: "a card intent cannot be read")
                }
                return CardIntent(
                    key: row["key"], orderId: row["order_id"], saleKey: saleKey, amount: row["amount"],
                    currency: row["currency"], openedAt: row["opened_at"])
            }
        }
    }

    /// - Returns: whether the intent was open until now.
    private static func settle(
        _ intent: CardIntent, as state: String, in connection: Database
    ) throws -> Bool {
        try connection.execute(
            sql: "UPDATE card_intents SET state = ? WHERE key = ? AND state = 'open'",
            arguments: [state, intent.key])
        return connection.changesCount == 1
    }
}
