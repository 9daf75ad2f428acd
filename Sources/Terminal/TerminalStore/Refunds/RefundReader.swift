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
                WHERE ordering_key = (SELECT ordering_key FROM journal WHERE id = ?) AND result IS NOT NULL
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
        let key = try String.fetchOne(
            database, sql: "SELECT ordering_key FROM journal WHERE id = ?", arguments: [sale.mutationId])
        return try refunds("ordering_key = ?", [key]).filter { $0.orderId == sale.orderId }
    }

    /// Those of a sale that this terminal does not hold, which have its number as their ordering key.
    func refunds(ofAbsent orderNumber: String) throws -> [Refund] {
        try refunds("ordering_key = ?", [orderNumber])
    }

    /// The refund of this id, which is its request's key; nil: there is none.
    func refund(id: String) throws -> Refund? {
        // No index leads from the id to the entry; a terminal has some refunds a day.
        try refunds("instr(CAST(body AS TEXT), ?) > 0", [id]).first { $0.id == id }
    }

    /// What was given back without the order on a business day, in minor units.
    ///
    /// - Parameter since: Unix milliseconds before which no entry of that day was made.
    func withoutOrder(on day: BusinessDay, since: Int64) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: """
                SELECT body FROM journal WHERE type = 'refund.completed' AND made_at >= ?
                    AND (verdict IS NULL OR verdict <> 'superseded')
                """)
        return try Row.fetchAll(statement, arguments: [since]).reduce(0) { sum, row in
            let refund = EntryMembers(shown: try SQLiteRefusals.mutation(row["body"]).payload)
            guard refund.orderId == nil, refund.businessDay == day.text else { return sum }
            let (next, overflows) = sum.addingReportingOverflow(refund.total ?? 0)
            return overflows ? .max : next
        }
    }

    private func refunds(_ condition: String, _ arguments: StatementArguments) throws -> [Refund] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT made_at, verdict, hash, body FROM journal
                WHERE type = 'refund.completed' AND \(condition)
                    AND (verdict IS NULL OR verdict <> 'superseded')
                ORDER BY sequence
                """)
        return try Row.fetchAll(statement, arguments: arguments).map { row in
            let entry = try SQLiteRefusals.mutation(row["body"])
            let named = EntryMembers(shown: entry.payload)
            var refund = Refund(
                id: entry.entityId, orderId: named.orderId, orderNumber: named.orderNumber,
                content: try RefundPayload.content(of: entry.payload, madeAt: row["made_at"]),
                sync: SyncState(column: row["verdict"]).ofOrder, shortCode: Digest.shortCode(of: row["hash"])
            )
            refund.isOfExchange =
                try Int64.fetchOne(
                    database, sql: "SELECT 1 FROM orders WHERE sale_key = ?", arguments: [refund.id]) != nil
            if refund.content.payments.contains(where: { $0.details.machine != nil }) {
                refund.returns = try CardReturnTable(database: database).returns(of: refund.id)
            }
            let keys = refund.content.payments.compactMap { $0.card?.authorizationKey }
            refund.refusedCards = try Set(keys.filter { try SQLiteStoredCards.isRefused($0, in: database) })
            return refund
        }
    }
}
