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

    /// Whether the hub refused an entry about `sale` because it is voided there: its money was returned with
    /// that, so nothing more is paid for it here, in any state of the refusal.
    func isVoidedAtHub(_ sale: Sale) throws -> Bool {
        let results = try String.fetchAll(
            database,
            sql: """
                SELECT result FROM journal
                WHERE lane = (SELECT lane FROM journal WHERE id = ?) AND result IS NOT NULL
                    AND type IN ('refund.completed', 'order.voided')
                    AND verdict IN ('conflicted', 'superseded', 'discarded')
                """, arguments: [sale.mutationId])
        return results.contains { text in
            let state = MutationResponse(stored: text)?.serverState
            return state?["orderId"]?.string == sale.orderId && state?["state"] == "voided"
        }
    }

    /// The refunds of `sale`, oldest first: what an edit replaced is left out. A refund that the hub refused
    /// and a person discarded stays, since its cash left the drawer.
    func refunds(of sale: Sale) throws -> [Refund] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT made_at, verdict, hash, body FROM journal
                WHERE type = 'refund.completed' AND lane = (SELECT lane FROM journal WHERE id = ?)
                    AND (verdict IS NULL OR verdict <> 'superseded')
                ORDER BY sequence
                """)
        return try Row.fetchAll(statement, arguments: [sale.mutationId]).compactMap { row in
            let entry = try SQLiteRefusals.mutation(row["body"])
            guard entry.payload["orderId"]?.string == sale.orderId else { return nil }
            return Refund(
                id: entry.entityId, orderId: sale.orderId, orderNumber: sale.orderNumber,
                content: try RefundPayload.content(of: entry.payload, madeAt: row["made_at"]),
                sync: SyncState(column: row["verdict"]).ofOrder, shortCode: Digest.shortCode(of: row["hash"])
            )
        }
    }
}
