internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
public import Retail

/// The terminal's orders in its database.
public struct SQLiteOrderArchive: OrderArchive {
    private let database: TerminalDatabase

    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    public func newest(limit: Int) async throws(LedgerError) -> [Order] {
        try await database.ledgerRead { connection in
            try SaleReader(connection).newest(limit: limit).map { try Self.order($0, in: connection) }
        }
    }

    public func order(_ idOrNumber: String) async throws(LedgerError) -> Order? {
        try await database.ledgerRead { connection in
            let reader = SaleReader(connection)
            let sale = try reader.sale(orderId: idOrNumber) ?? reader.sale(orderNumber: idOrNumber)
            return try sale.map { try Self.order($0, in: connection) }
        }
    }

    public func void(orderId: String, with entry: VoidEntry) async throws(LedgerError) -> Order {
        try await database.ledgerWrite { connection in
            guard let sale = try SaleReader(connection).sale(orderId: orderId) else {
                throw StoreFailure.refused(detail: "there is no order \(orderId)")
            }
            if sale.voidedAt == nil { try Self.record(entry, of: sale, in: connection) }
            guard let voided = try SaleReader(connection).sale(orderId: orderId) else {
                throw StoreFailure.refused(detail: "there is no order \(orderId)")
            }
            return try Self.order(voided, in: connection)
        }
    }

    /// The order's own mutation begins the lane, everything about it goes behind it.
    private static func record(_ entry: VoidEntry, of sale: Sale, in connection: Database) throws {
        var journal = try JournalWriter(connection)
        let lastDay = BusinessDay(number: journal.head.orderMark.day) ?? entry.businessDay
        let lane =
            try String.fetchOne(
                connection, sql: "SELECT lane FROM journal WHERE id = ?", arguments: [sale.mutationId])
            ?? sale.mutationId
        try connection.keep(entry.attachments, at: entry.madeAt)
        let voided = try journal.append(
            JournalWriter.Statement(
                type: "order.voided", entity: "order", entityId: sale.orderId,
                dependsOn: [sale.mutationId], lane: lane, attachments: entry.attachments.map(\.id),
                madeAt: entry.madeAt,
                payload: OrderPayload.voided(
                    sale, entry: entry, businessDay: max(entry.businessDay, lastDay)
                ).bytes))
        for case let (amount, card?) in sale.content.payments.map({ ($0.amount, $0.card) }) {
            _ = try journal.append(
                JournalWriter.Statement(
                    type: "payment.voided", entity: "payment", entityId: card.authorizationKey,
                    dependsOn: [sale.mutationId], lane: lane, madeAt: entry.madeAt,
                    payload: OrderPayload.paymentVoided(
                        authorizationKey: card.authorizationKey, orderId: sale.orderId, amount: amount,
                        currency: sale.content.currency, reason: "the order was voided"
                    ).bytes))
        }
        try connection.execute(
            sql: "UPDATE orders SET voided_at = ?, void_sequence = ? WHERE order_id = ?",
            arguments: [entry.madeAt, voided.sequence, sale.orderId])
        try SaleWriter.moveStock(
            of: sale.content.lines, sign: 1, sequence: voided.sequence, in: connection)
        try journal.finish()
    }

    /// With the state of the order's newest mutation: its own or the one that voided it.
    private static func order(_ sale: Sale, in connection: Database) throws -> Order {
        let statement = try connection.cachedStatement(
            sql: """
                SELECT verdict FROM journal WHERE sequence =
                    (SELECT COALESCE(void_sequence, revision, sequence) FROM orders WHERE order_id = ?)
                """)
        let verdict = try String.fetchOne(statement, arguments: [sale.orderId])
        return Order(sale: sale, sync: Verdict(column: verdict).orderState)
    }
}
