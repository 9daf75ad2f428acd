internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Retail

/// Reads sales back as they were written.
struct SaleReader {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// The columns that ``sale(from:)`` needs.
    private static let query = """
        SELECT orders.*, journal.id AS mutation_id, journal.verdict AS verdict FROM orders
        JOIN journal ON journal.sequence = orders.sequence
        """

    func sale(key: ULID) throws -> Sale? {
        try sale(Self.query + " WHERE sale_key = ?", argument: key.description)
    }

    func sale(orderId: String) throws -> Sale? {
        try sale(Self.query + " WHERE order_id = ?", argument: orderId)
    }

    func sale(orderNumber: String) throws -> Sale? {
        try sale(Self.query + " WHERE order_number = ?", argument: orderNumber)
    }

    /// The newest first.
    func newest(limit: Int) throws -> [Sale] {
        try Row.fetchAll(
            database, sql: Self.query + " ORDER BY orders.sequence DESC LIMIT ?", arguments: [limit]
        ).map(sale(from:))
    }

    private func sale(_ sql: String, argument: String) throws -> Sale? {
        let statement = try database.cachedStatement(sql: sql)
        return try Row.fetchOne(statement, arguments: [argument]).map(sale(from:))
    }

    private func sale(from row: Row) throws -> Sale {
        let sequence: Int64 = row["sequence"]
        let lines = try lines(of: sequence)
        guard let key = ULID(row["sale_key"] as String),
            let orderNumber = OrderNumber(row["order_number"] as String),
            let mode = Mode(rawValue: row["mode"]),
            let coupons = try? JSONParser.parse(Array((row["coupons"] as String).utf8)).array
        else { throw JournalChain.Broken(detail: "order \(sequence) cannot be read") }
        return Sale(
            key: key, orderId: row["order_id"], orderNumber: orderNumber, mutationId: row["mutation_id"],
            content: SaleContent(
                mode: mode, madeAt: row["made_at"], timeZone: row["time_zone"], currency: row["currency"],
                cashierId: row["cashier_id"], memberId: row["member_id"],
                coupons: coupons.compactMap(\.string), lines: lines,
                totals: try ReceiptTotals(lines: lines.map(\.price)), payments: try payments(of: sequence),
                cashRounding: row["cash_rounding"], change: row["change_given"]),
            isAcknowledged: (row["verdict"] as String?) != nil, voidedAt: row["voided_at"])
    }

    private func lines(of sequence: Int64) throws -> [SaleLine] {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM order_lines WHERE sequence = ? ORDER BY line")
        return try Row.fetchAll(statement, arguments: [sequence]).map { row in
            SaleLine(
                sku: row["sku"], barcode: row["barcode"], name: row["name"],
                price: try PricedLine(
                    quantityMilli: row["quantity_milli"], unitPrice: row["unit_price"],
                    discount: row["discount"], taxBasisPoints: row["tax_basis_points"]),
                discountReason: row["discount_reason"], isCounted: (row["stock_delta_milli"] as Int64) != 0)
        }
    }

    private func payments(of sequence: Int64) throws -> [SalePayment] {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM order_payments WHERE sequence = ? ORDER BY position")
        return try Row.fetchAll(statement, arguments: [sequence]).map { row in
            guard let method = Settlement.Method(rawValue: row["method"]) else {
                throw JournalChain.Broken(detail: "a payment of order \(sequence) cannot be read")
            }
            let approval = (row["authorization_key"] as String?).map {
                CardApproval(authorizationKey: $0, approvalCode: row["approval_code"] ?? "")
            }
            return SalePayment(method: method, amount: row["amount"], card: approval)
        }
    }
}
