internal import GRDB
internal import HubProtocol
import Base
import OfflineCore
package import Retail

/// Keeps what sales request of cards in the terminal's database, in the rows of ``SQLiteDeviceRequests``.
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
            // A till that gets the cart now is refused as long as the card has no result.
            if let taker = try SQLiteCarts.taker(of: request.saleKey, in: connection) {
                throw StoreFailure.cartGranted(to: taker)
            }
            var journal = try JournalWriter(connection, database.clocks())
            let key = journal.mintId(at: wallMilliseconds)
            let intent = CardIntent(
                key: key, orderId: request.orderId ?? journal.mintId(at: wallMilliseconds),
                saleKey: request.saleKey, amount: request.amount, currency: request.currency,
                openedAt: wallMilliseconds, method: request.method, channel: request.channel)
            try SQLiteDeviceRequests.keep(intent.request, in: connection)
            try connection.execute(
                sql: "UPDATE device_requests SET sale_key = ?, order_id = ?, method = ? WHERE key = ?",
                arguments: [intent.saleKey.description, intent.orderId, intent.method, key])
            try journal.finish()
            return intent
        }
    }

    /// One transaction with the row of the cart. What a machine did is kept by itself.
    package func suspend(_ intents: [CardIntent], as cart: KeptCart) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            for intent in intents {
                if intent.channel == .service {
                    try SQLiteDeviceRequests.keep(intent.request, in: connection)
                }
                try connection.execute(
                    sql: """
                        UPDATE device_requests SET stage = 'waiting'
                        WHERE key = ? AND stage IS NULL AND \(Self.isUnsettled)
                        """, arguments: [intent.key])
            }
            try SQLiteCarts.suspend(cart, in: connection)
        }
    }

    /// In the order of the keys, which is the order of time.
    package func suspended() async throws(StorageError) -> [CardIntent] {
        try await intents("AND (stage IN ('waiting', 'givenUp') OR state = 'voiding')")
    }

    /// One row.
    package func keep(_ intent: CardIntent) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            _ = try SQLiteDeviceRequests.keep(intent.request, in: connection)
        }
    }

    /// The mutation `payment.voided` has the charge's key as its entity id.
    package func giveUp(
        _ intent: CardIntent, reason: String, onlyUnsettled: Bool, at wallMilliseconds: Int64
    ) async throws(StorageError) -> DeviceRequest? {
        try await database.ledgerWrite { connection in
            let isAbandoned =
                "SELECT 1 FROM device_requests WHERE \(Self.isUnsettled) AND \(Self.isAbandoned) AND key = ?"
            if onlyUnsettled,
                try Row.fetchOne(connection, sql: isAbandoned, arguments: [intent.key]) == nil
            {
                return nil
            }
            let found = try SQLiteDeviceRequests.handle(.givenUp, of: intent.key, in: connection)
            guard let (request, effects) = found, !effects.isEmpty else { return nil }
            guard effects.contains(.recordVoid) else { return request }
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
            return request
        }
    }

    /// In the order of the keys, which is the order of time.
    package func unsettled() async throws(StorageError) -> [CardIntent] {
        try await intents("AND \(Self.isAbandoned)")
    }

    /// In the order of the keys, which is the order of time.
    package func unseen() async throws(StorageError) -> [CardIntent] {
        try await read(
            """
            SELECT device_requests.* FROM device_requests JOIN orders USING (order_id)
            WHERE state = 'sold' AND stage IS NULL AND voided_at IS NULL ORDER BY key
            """)
    }

    /// Does nothing unless the intent's sale was made and not yet seen.
    package func noteSeen(orderId: String) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            try connection.execute(
                sql: "UPDATE device_requests SET stage = 'seen' WHERE order_id = ? AND state = 'sold'",
                arguments: [orderId])
        }
    }

    /// Whether a card may be charged for a cart.
    static func isOpen(_ cart: ULID, in connection: Database) throws -> Bool {
        try Row.fetchOne(
            connection, sql: "SELECT 1 FROM device_requests WHERE sale_key = ? AND \(isUnsettled)",
            arguments: [cart.description]) != nil
    }

    /// Of an unsettled one: no sale will take it over.
    private static let isAbandoned =
        "(stage IS NOT 'waiting' OR sale_key NOT IN (SELECT cart_id FROM carts))"
    /// As the index has it.
    private static let isUnsettled =
        "sale_key IS NOT NULL AND state IN ('intent', 'sent', 'unknown', 'charged', 'voiding')"

    private func intents(_ condition: String) async throws(StorageError) -> [CardIntent] {
        try await read(
            "SELECT * FROM device_requests WHERE \(Self.isUnsettled) \(condition) ORDER BY key")
    }

    private func read(_ query: String) async throws(StorageError) -> [CardIntent] {
        try await database.ledgerRead { connection in
            try Row.fetchAll(connection, sql: query).map { row in
                guard let saleKey = (row["sale_key"] as String?).flatMap(ULID.init),
                    let orderId = row["order_id"] as String?
                else { throw JournalChain.Broken(detail: "a card's request cannot be read") }
                return CardIntent(
                    try SQLiteDeviceRequests.request(row), orderId: orderId, saleKey: saleKey,
                    method: row["method"] ?? Tender.card.method)
            }
        }
    }
}
