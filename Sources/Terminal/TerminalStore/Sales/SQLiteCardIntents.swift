internal import GRDB
internal import HubProtocol
import Base
import OfflineCore
package import Retail

/// Keeps card intents in the terminal's database.
package struct SQLiteCardIntents: CardIntentLedger {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Both ids are journal ids, minted in the transaction that stores the intent.
    package func open(
        _ request: CardRequest, at wallMilliseconds: Int64
    ) async throws(StorageError) -> CardIntent {
        try await database.ledgerWrite { connection in
            var journal = try JournalWriter(connection, database.clocks())
            let key = journal.mintId(at: wallMilliseconds)
            let intent = CardIntent(
                key: key, orderId: request.orderId ?? journal.mintId(at: wallMilliseconds),
                saleKey: request.saleKey, amount: request.amount, currency: request.currency,
                openedAt: wallMilliseconds, method: request.method, channel: request.channel)
            try connection.execute(
                sql: """
                    INSERT INTO card_intents (key, order_id, sale_key, amount, currency, opened_at, state, method,
                        channel)
                    VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?)
                    """,
                arguments: [
                    intent.key, intent.orderId, intent.saleKey.description, intent.amount, intent.currency,
                    wallMilliseconds, intent.method, intent.channel.rawValue,
                ])
            try journal.finish()
            return intent
        }
    }

    /// One transaction with the row of the cart.
    package func suspend(_ intents: [CardIntent], as cart: KeptCart) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            for intent in intents {
                try connection.execute(
                    sql: """
                        UPDATE card_intents SET state = 'waiting', approval_code = ?, simulated = ?
                        WHERE key = ? AND state IN ('open', 'waiting')
                        """,
                    arguments: [intent.approval?.approvalCode, intent.approval?.isSimulated, intent.key])
            }
            try SQLiteCarts.suspend(cart, in: connection)
        }
    }

    /// In the order of the keys, which is the order of time.
    package func suspended() async throws(StorageError) -> [CardIntent] {
        try await intents(
            """
            FROM card_intents WHERE key IN (
                SELECT key FROM card_intents WHERE state = 'waiting'
                UNION ALL SELECT key FROM card_intents WHERE state = 'voiding')
            ORDER BY key
            """)
    }

    /// Does nothing to an intent whose sale does not wait any more.
    package func grant(_ intent: CardIntent, _ approval: CardApproval) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            try connection.execute(
                sql: """
                    UPDATE card_intents SET approval_code = ?, simulated = ? WHERE key = ? AND state = 'waiting'
                    """, arguments: [approval.approvalCode, approval.isSimulated, intent.key])
        }
    }

    /// Does nothing to an intent that is settled already.
    package func decline(_ intent: CardIntent) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            _ = try Self.settle(intent, as: "declined", in: connection)
        }
    }

    /// The mutation `payment.voided` has the authorisation's key as its entity id.
    package func void(
        _ intent: CardIntent, reason: String, at wallMilliseconds: Int64
    ) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            guard try Self.settle(intent, as: "voided", in: connection) else { return }
            var journal = try JournalWriter(connection, database.clocks())
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

    /// One row; an intent that is being voided already stays so.
    package func beginVoid(_ intent: CardIntent) async throws(StorageError) -> Bool {
        try await database.ledgerWrite { connection in
            try Self.settle(intent, as: "voiding", in: connection)
        }
    }

    /// In the order of the keys, which is the order of time.
    package func unsettled() async throws(StorageError) -> [CardIntent] {
        try await intents(
            """
            FROM card_intents WHERE key IN (
                SELECT key FROM card_intents WHERE state = 'open'
                UNION ALL SELECT key FROM card_intents WHERE state = 'voiding'
                UNION ALL SELECT key FROM card_intents WHERE state = 'waiting'
                    AND sale_key NOT IN (SELECT cart_id FROM carts))
            ORDER BY key
            """)
    }

    /// In the order of the keys, which is the order of time.
    package func unseen() async throws(StorageError) -> [CardIntent] {
        try await intents(
            """
            FROM card_intents JOIN orders USING (order_id)
            WHERE state = 'sold' AND voided_at IS NULL ORDER BY key
            """)
    }

    /// Does nothing unless the intent's sale was made and not yet seen.
    package func noteSeen(orderId: String) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            try connection.execute(
                sql: "UPDATE card_intents SET state = 'seen' WHERE order_id = ? AND state = 'sold'",
                arguments: [orderId])
        }
    }

    private func intents(_ clause: String) async throws(StorageError) -> [CardIntent] {
        let columns = """
            SELECT key, order_id, card_intents.sale_key, amount, currency, opened_at, method, approval_code,
                simulated, channel, state
            """ + " "
        return try await database.ledgerRead { connection in
            try Row.fetchAll(connection, sql: columns + clause).map { row in
                guard let saleKey = ULID(row["sale_key"] as String) else {
                    throw JournalChain.Broken(detail: "a card intent cannot be read")
                }
                var intent = CardIntent(
                    key: row["key"], orderId: row["order_id"], saleKey: saleKey, amount: row["amount"],
                    currency: row["currency"], openedAt: row["opened_at"],
                    method: row["method"] ?? Tender.card.method,
                    approval: (row["approval_code"] as String?).map { code in
                        CardApproval(
                            authorizationKey: row["key"], approvalCode: code,
                            isSimulated: row["simulated"] ?? false)
                    },
                    channel: (row["channel"] as String?).flatMap(CardIntent.Channel.init(rawValue:))
                        ?? .service)
                intent.isVoiding = row["state"] == "voiding"
                return intent
            }
        }
    }

    /// - Returns: whether nothing had settled the intent until now.
    private static func settle(
        _ intent: CardIntent, as state: String, in connection: Database
    ) throws -> Bool {
        try connection.execute(
            sql: """
                UPDATE card_intents SET state = ? WHERE key = ? AND state IN ('open', 'waiting', 'voiding')
                """,
            arguments: [state, intent.key])
        return connection.changesCount == 1
    }
}
