import Base

internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// Writes a complete sale: first all that needs no transaction, then the rows within one.
///
/// The preparation is valid only while no other access uses the connection.
struct SaleWriter {
    let sale: Sale
    private let journal: JournalWriter
    private let entry: JournalWriter.Entry
    private let insertion: DirectStatement
    /// The texts of the sale's key and of its number.
    private let keys: (sale: String, number: String)
    private let database: Database
    /// What of it was taken without a payment service.
    private let storedCards: [StoredCard]
    /// The cards' charges that the sale takes over.
    private let charges: [DeviceRequest]
    /// What its leases have spent with it.
    private let spent: [String: Int64]

    /// Gives the sale its number and its place in the journal.
    init(
        _ draft: SaleDraft, _ clocks: EntryClocks, in database: Database, numbers: OrderNumberReserve
    ) throws {
        var journal = try JournalWriter(database, clocks)
        spent = try Self.spent(by: draft, clocks, in: database)
        let cart = try SQLiteCarts.sold(draft.key, in: database)
        guard let storeId = journal.head.storeId, let terminal = journal.head.terminalNumber else {
            throw StoreFailure.notEnrolled
        }
        let last = try OrderNumberRepair.last(
            before: draft.businessDay.number, of: journal.head, numbers: numbers, in: database)
        let mark = try numbers.next(after: last, on: draft.businessDay.number)
        journal.head.orderMark = mark
        let orderNumber = OrderNumber(
            storeId: storeId, terminalNumber: terminal,
            businessDay: BusinessDay(number: mark.day) ?? draft.businessDay, counter: mark.counter)
        let day = try journal.businessDay(of: draft.businessDay, madeAt: draft.content.madeAt)
        let orderId = draft.orderId ?? journal.mintId(at: draft.content.madeAt)
        var content = draft.content
        content.shiftId = journal.head.openShift
        guard content.shiftId != nil || !draft.requiresShift else {
            throw StoreFailure.refused(detail: "the shift was closed meanwhile; open another one")
        }
        entry = journal.seal(
            JournalWriter.NewEntry(
                type: "order.completed", entity: "order", entityId: orderId, madeAt: draft.content.madeAt,
                payload: OrderPayload.completed(
                    content, orderId: orderId, orderNumber: orderNumber, businessDay: day,
                    hubTime: journal.hubTime, cart: cart
                ).bytes, stock: .sold(draft.content.lines)))
        sale = Sale(
            key: draft.key, orderId: orderId, orderNumber: orderNumber, mutationId: entry.id,
            content: content, isAcknowledged: false, voidedAt: nil,
            shortCode: Digest.shortCode(of: entry.mutation.hash))
        insertion = try DirectStatement(
            """
            INSERT INTO orders (sequence, order_id, sale_key, order_number, mode) VALUES (?, ?, ?, ?, ?)
            """, in: database)
        keys = (draft.key.description, orderNumber.description)
        charges = draft.charges
        storedCards = draft.storedCards
        self.journal = journal
        self.database = database
        // Ahead of the sale, behind all that refuses it: a crash in between costs a part of a lease, never
        // spends one twice.
        if !spent.isEmpty { try numbers.note(LeaseMarks(spent: spent)) }
    }

    private static func spent(
        by draft: SaleDraft, _ clocks: EntryClocks, in database: Database
    ) throws -> [String: Int64] {
        let leases = draft.content.leases
        guard !leases.isEmpty else { return [:] }
        let (wall, known) = (draft.content.madeAt, try SQLiteTerminalFacts.hubTime(in: database))
        return try LeaseTable(database: database).spent(
            with: leases, at: clocks.hub ?? max(wall, known ?? wall))
    }

    /// Writes the rows; in a transaction.
    func write() throws {
        try journal.write(entry)
        try insertOrder()
        for charge in charges { try take(charge) }
        for card in storedCards {
            try SQLiteStoredCards.insert(card, orderId: sale.orderId, in: database)
        }
        if !spent.isEmpty, !PlantedBug.leaseNotCounted.isPlanted {
            try LeaseTable(database: database).write(spent: spent)
        }
        try VoucherTable(database: database).insert(sale.content.payments, of: sale.orderId)
        // The cart that it is the sale of: with it in one transaction, so that none comes back.
        if !PlantedBug.soldCartStays.isPlanted {
            try DirectStatement("DELETE FROM carts WHERE cart_id = ?", in: database).run { $0.add(keys.sale) }
        }
        try journal.finish()
    }

    private func insertOrder() throws {
        try insertion.run { row in
            row.add(entry.sequence)
            row.add(sale.orderId)
            row.add(keys.sale)
            row.add(keys.number)
            row.add(sale.content.mode.rawValue)
        }
    }

    /// A charge that is not there any more was given back meanwhile, so there is no sale.
    private func take(_ charge: DeviceRequest) throws {
        guard try SQLiteDeviceRequests.take(charge, orderId: sale.orderId, in: database) else {
            throw StoreFailure.refused(detail: "the card authorisation of order \(sale.orderId) was voided")
        }
    }
}
