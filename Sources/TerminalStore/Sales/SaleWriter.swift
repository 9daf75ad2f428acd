internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// Writes a whole sale within one transaction.
enum SaleWriter {
    static func record(
        _ draft: SaleDraft, in database: Database, numbers: OrderNumberReserve
    ) throws -> Sale {
        var journal = try JournalWriter(database)
        guard let storeId = journal.head.storeId, let terminal = journal.head.terminalNumber else {
            throw StoreFailure.notEnrolled
        }
        let mark = try numbers.next(after: journal.head.orderMark, on: draft.businessDay.number)
        journal.head.orderMark = mark
        let orderNumber = OrderNumber(
            storeId: storeId, terminalNumber: terminal,
            businessDay: BusinessDay(number: mark.day) ?? draft.businessDay, counter: mark.counter)
        let orderId = draft.orderId ?? journal.mintId(at: draft.content.madeAt)
        let entry = try journal.append(
            JournalWriter.Statement(
                type: "order.completed", entity: "order", entityId: orderId, madeAt: draft.content.madeAt,
                payload: OrderPayload.completed(
                    draft.content, orderId: orderId, orderNumber: orderNumber)))
        let sale = Sale(
            key: draft.key, orderId: orderId, orderNumber: orderNumber, mutationId: entry.id,
            content: draft.content, isAcknowledged: false, voidedAt: nil)
        try insertOrder(sale, sequence: entry.sequence, in: database)
        try insertLines(sale.content.lines, sequence: entry.sequence, in: database)
        try insertPayments(sale.content.payments, sequence: entry.sequence, in: database)
        if draft.orderId != nil { try settleIntent(of: orderId, in: database) }
        try journal.finish()
        return sale
    }

    /// Gives the stock of counted articles back, by the entry with `sequence`.
    static func returnStock(of lines: [SaleLine], sequence: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "INSERT INTO stock_returns (sequence, position, sku, delta_milli) VALUES (?, ?, ?, ?)")
        for (position, line) in lines.enumerated() where line.isCounted {
            try statement.execute(arguments: [sequence, position, line.sku, line.price.quantityMilli])
        }
    }

    private static func insertOrder(_ sale: Sale, sequence: Int64, in database: Database) throws {
        let content = sale.content
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO orders (sequence, order_id, sale_key, order_number, mode, made_at, time_zone,
                    currency, cashier_id, member_id, coupons, total, tax, cash_rounding, change_given)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            sequence, sale.orderId, sale.key.description, sale.orderNumber.description,
            content.mode.rawValue, content.madeAt, content.timeZone, content.currency, content.cashierId,
            content.memberId, JSONValue.array(content.coupons.map(JSONValue.string)).canonicalText,
            content.totals.total, content.totals.tax, content.cashRounding, content.change,
        ])
    }

    private static func insertLines(
        _ lines: [SaleLine], sequence: Int64, in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO order_lines (sequence, line, sku, barcode, name, quantity_milli, unit_price,
                    discount, discount_reason, tax_basis_points, stock_delta_milli)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for (number, line) in lines.enumerated() {
            try statement.execute(arguments: [
                sequence, number, line.sku, line.barcode, line.name, line.price.quantityMilli,
                line.price.unitPrice, line.price.discount, line.discountReason, line.price.taxBasisPoints,
                line.isCounted ? -line.price.quantityMilli : 0,
            ])
        }
    }

    private static func insertPayments(
        _ payments: [SalePayment], sequence: Int64, in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO order_payments (sequence, position, method, amount, authorization_key,
                    approval_code)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        for (position, payment) in payments.enumerated() {
            try statement.execute(arguments: [
                sequence, position, payment.method.rawValue, payment.amount, payment.card?.authorizationKey,
                payment.card?.approvalCode,
            ])
        }
    }

    /// The sale takes its card intent over. An intent that is no longer open was voided meanwhile, and its
    /// money with it, so there is no sale.
    private static func settleIntent(of orderId: String, in database: Database) throws {
        try database.execute(
            sql: "UPDATE card_intents SET state = 'sold' WHERE order_id = ? AND state = 'open'",
            arguments: [orderId])
        guard database.changesCount == 1 else {
            throw StoreFailure.refused(detail: "the card authorisation of order \(orderId) was voided")
        }
    }
}
