internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
import Base
package import Retail

/// The terminal's orders in its database.
package struct SQLiteOrderArchive: OrderArchive {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Orders that are read at once: some 5 ms on a small terminal. Halved, a list takes twice as many turns;
    /// doubled, what else is looked up waits twice as long behind one.
    private static let portion = 50

    /// A read transaction for each portion, from the newest order back, as far as the search's first day or
    /// its limit. Orders that are sold meanwhile are not in it.
    package func orders(
        matching search: OrderSearch, limit: Int, before orderId: String?
    ) async throws(StorageError) -> [Order] {
        var found: [Order] = []
        var next: Int64? = .max
        if let orderId {
            next = try await database.ledgerRead { try SaleReader($0).sequence(orderId: orderId) }
        }
        while let end = next, found.count < limit {
            let wanted = limit - found.count
            let (orders, rest) = try await database.ledgerRead { connection in
                let part = try SaleReader(connection).newest(
                    matching: search, before: end, limit: wanted, rows: Self.portion)
                return (try part.sales.map { try Self.order($0, in: connection) }, part.next)
            }
            found += orders
            next = rest
        }
        return found
    }

    /// More than are made in a quarter of an hour, for which papers are made up. Halved, still more than any
    /// till sells; doubled, a start reads more.
    private static let mostEvents = 1_000

    /// One read transaction. What an edit replaced is left out.
    package func events(since moment: Int64) async throws(StorageError) -> [OrderEvent] {
        try await database.ledgerRead { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT type, body FROM journal
                    WHERE sequence > (SELECT max(sequence) FROM journal) - ? AND made_at >= ?
                        AND type IN ('order.completed', 'order.voided', 'refund.completed')
                        AND (verdict IS NULL OR verdict <> 'superseded')
                    ORDER BY sequence
                    """, arguments: [Self.mostEvents, moment]
            ).compactMap { row in
                let id = try SQLiteRefusals.mutation(row["body"]).entityId
                switch row["type"] as String {
                case "order.completed":
                    return try SaleReader(connection).sale(orderId: id).map(OrderEvent.sold)
                case "order.voided":
                    return try SaleReader(connection).sale(orderId: id).map(OrderEvent.voided)
                default: return try RefundReader(connection).refund(id: id).map(OrderEvent.refunded)
                }
            }
        }
    }

    /// Looks for an id first, then for an order number, both by their exact text.
    package func order(_ idOrNumber: String) async throws(StorageError) -> Order? {
        try await database.ledgerRead { connection in
            let reader = SaleReader(connection)
            let sale = try reader.sale(orderId: idOrNumber) ?? reader.sale(orderNumber: idOrNumber)
            return try sale.map { try Self.order($0, in: connection) }
        }
    }

    /// Checks and voids in one transaction, so that no refund comes in between; an unknown id throws.
    package func void(orderId: String, with entry: VoidEntry) async throws(StorageError) -> Order {
        let (numbers, clocks) = (database.orderNumbers, database.clocks())
        return try await database.ledgerAccess { connection in
            var used: [LeaseUse] = []
            let order = try connection.inOneTransaction {
                guard let sale = try SaleReader(connection).sale(orderId: orderId) else {
                    throw StoreFailure.refused(detail: "there is no order \(orderId)")
                }
                // Decided in the transaction that voids, so that no refund comes in between.
                let number = sale.orderNumber.description
                if try sale.voidedAt == nil && RefundReader(connection).refunds(of: sale).isEmpty
                    && GrantTable(connection).given(of: number).isEmpty
                {
                    try Self.record(entry, of: sale, clocks, in: connection)
                    used = sale.content.leases
                }
                guard let voided = try SaleReader(connection).sale(orderId: orderId) else {
                    throw StoreFailure.refused(detail: "there is no order \(orderId)")
                }
                return try Self.order(voided, in: connection)
            }
            // Behind the commit, and before the next sale here: before it, a crash would let a lease be spent
            // twice. What fails here leaves the file higher, which costs a part of a lease.
            if !used.isEmpty, let spent = try? LeaseTable(database: connection).spent(of: used) {
                numbers.lower(spent: spent)
            }
            return order
        }
    }

    /// One read transaction.
    package func plan(
        _ refund: RefundDraft
    ) async throws(StorageError) -> Result<RefundPlan, OrderRefusal> {
        try await database.ledgerRead { connection in
            try RefundRecord.decided(refund, in: connection).map(\.plan)
        }
    }

    /// Plans and records in one transaction, so that two refunds do not both take the rest of a sale.
    package func refund(
        _ refund: RefundDraft
    ) async throws(StorageError) -> Result<Refund, OrderRefusal> {
        let clocks = database.clocks()
        return try await database.ledgerWrite { connection in
            let (reader, id) = (RefundReader(connection), refund.entry.key.description)
            if !PlantedBug.refundKeyNotLookedUp.isPlanted, let first = try reader.refund(id: id) {
                return .success(first)
            }
            switch try RefundRecord.decided(refund, in: connection) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let record):
                return .success(try record.write(clocks, in: connection))
            }
        }
    }

    /// One read over the refunds of this terminal, which are few.
    package func refund(id: String) async throws(StorageError) -> Refund? {
        try await database.ledgerRead { try RefundReader($0).refund(id: id) }
    }

    /// The key of everything about the order: the id of the order's own mutation.
    static func orderingKey(of sale: Sale, in connection: Database) throws -> String {
        try String.fetchOne(
            connection, sql: "SELECT ordering_key FROM journal WHERE id = ?", arguments: [sale.mutationId])
            ?? sale.mutationId
    }

    /// The id of the order's own mutation is the ordering key of everything about the order.
    private static func record(
        _ entry: VoidEntry, of sale: Sale, _ clocks: EntryClocks, in connection: Database
    ) throws {
        var journal = try JournalWriter(connection, clocks)
        let orderingKey = try orderingKey(of: sale, in: connection)
        try connection.keep(entry.attachments, at: entry.madeAt)
        let leases = try LeaseTable(database: connection).giveBack(sale.content.leases)
        let charged = RefundSource.chargedByMachine(of: sale.content.payments)
        try CardReturnTable(database: connection).insert(
            charged, refundId: sale.orderId, orderId: sale.orderId,
            orderNumber: sale.orderNumber.description, currency: sale.content.currency, at: entry.madeAt)
        let voided = try journal.append(
            JournalWriter.NewEntry(
                type: "order.voided", entity: "order", entityId: sale.orderId,
                dependsOn: [sale.mutationId], orderingKey: orderingKey,
                attachments: entry.attachments.map(\.id),
                madeAt: entry.madeAt,
                payload: OrderPayload.voided(
                    sale, entry: entry,
                    businessDay: journal.businessDay(of: entry.businessDay, madeAt: entry.madeAt),
                    hubTime: journal.hubTime,
                    given: VoidReturns(
                        shiftId: journal.head.openShift, points: ReturnedPoints(voiding: sale),
                        leases: leases,
                        payments: charged)
                ).bytes, stock: .voided(sale.content.lines)))
        for case let (amount, card?) in sale.content.payments.map({ ($0.amount, $0.card) }) {
            _ = try journal.append(
                JournalWriter.NewEntry(
                    type: "payment.voided", entity: "payment", entityId: card.authorizationKey,
                    dependsOn: [sale.mutationId, voided.id], orderingKey: orderingKey, madeAt: entry.madeAt,
                    payload: OrderPayload.paymentVoided(
                        authorizationKey: card.authorizationKey, orderId: sale.orderId, amount: amount,
                        currency: sale.content.currency, reason: "the order was voided"
                    ).bytes))
        }
        if sale.content.payments.contains(where: { $0.details.state == .storedOffline }) {
            try SQLiteStoredCards.void(orderId: sale.orderId, in: connection)
        }
        try connection.execute(
            sql: "UPDATE orders SET voided_at = ?, void_sequence = ? WHERE order_id = ?",
            arguments: [entry.madeAt, voided.sequence, sale.orderId])
        try journal.finish()
    }

    /// With the state of the order's newest mutation: its own or the one that voided it.
    private static func order(_ sale: Sale, in connection: Database) throws -> Order {
        let statement = try connection.cachedStatement(
            sql: """
                SELECT verdict FROM journal WHERE sequence =
                    (SELECT COALESCE(void_sequence, revision, sequence) FROM orders WHERE order_id = ?)
                """)
        let state = try String.fetchOne(statement, arguments: [sale.orderId])
        let isChargeVoided =
            sale.voidedAt != nil && sale.content.payments.contains { $0.details.machine != nil }
        return Order(
            sale: sale, sync: SyncState(column: state).ofOrder,
            refunds: try RefundReader(connection).refunds(of: sale),
            returns: isChargeVoided ? try CardReturnTable(database: connection).returns(of: sale.orderId) : []
        )
    }
}
