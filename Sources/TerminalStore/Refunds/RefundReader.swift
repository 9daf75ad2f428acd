internal import GRDB
internal import HubProtocol
internal import OfflineMode
internal import Retail

/// Reads refunds back from the journal's entries.
struct RefundReader {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// The refunds of `sale` that stand, oldest first: what an edit replaced or a person gave up is left out.
    func refunds(of sale: Sale) throws -> [Refund] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT made_at, verdict, hash, body FROM journal
                WHERE type = 'refund.completed' AND lane = (SELECT lane FROM journal WHERE id = ?)
                    AND (verdict IS NULL OR verdict NOT IN ('superseded', 'discarded'))
                ORDER BY sequence
                """)
        return try Row.fetchAll(statement, arguments: [sale.mutationId]).compactMap { row in
            let entry = try SQLiteRefusals.mutation(row["body"])
            guard entry.payload["orderId"]?.string == sale.orderId else { return nil }
            return Refund(
                id: entry.entityId, orderId: sale.orderId, orderNumber: sale.orderNumber,
                content: try RefundPayload.content(of: entry.payload, madeAt: row["made_at"]),
                sync: Verdict(column: row["verdict"]).orderState, shortCode: Digest.shortCode(of: row["hash"])
            )
        }
    }
}
