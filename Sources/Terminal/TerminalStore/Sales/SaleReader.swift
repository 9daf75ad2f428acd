import Base

internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import Retail

/// Reads sales back from the journal's entries.
struct SaleReader {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// The columns that ``sale(from:)`` needs.
    private static let query = """
        SELECT orders.sequence, order_id, sale_key, order_number, voided_at, id, made_at, verdict, hash, body,
            stock_moves,
            (SELECT ahead.body FROM journal AS ahead WHERE ahead.sequence = orders.sequence - 1
                AND ahead.type = 'refund.completed') AS refunded
        FROM orders JOIN journal ON journal.sequence = COALESCE(orders.revision, orders.sequence)
        """

    func sale(key: ULID) throws -> Sale? {
        // Every sale runs this query, and it hardly ever finds a row.
        let isKnown = try DirectStatement("SELECT 1 FROM orders WHERE sale_key = ?", in: database)
            .first({ $0.add(key.description) }, { _ in true })
        guard isKnown != nil else { return nil }
        return try sale(Self.query + " WHERE sale_key = ?", argument: key.description)
    }

    func sale(orderId: String) throws -> Sale? {
        try sale(Self.query + " WHERE order_id = ?", argument: orderId)
    }

    func sale(orderNumber: String) throws -> Sale? {
        try sale(Self.query + " WHERE order_number = ?", argument: orderNumber)
    }

    /// A part of a search, from the newest order back.
    struct Found {
        var sales: [Sale] = []
        /// The sequence before which the search goes on; nil: there is nothing older that could match.
        var next: Int64?
    }

    /// The newest that match first, of at most `rows` orders before the sequence `end`. Content is read of
    /// those alone whose number may match.
    func newest(
        matching search: OrderSearch, before end: Int64, limit: Int, rows maximum: Int
    ) throws -> Found {
        let rows = try Row.fetchCursor(
            database, sql: Self.query + " WHERE orders.sequence < ? ORDER BY orders.sequence DESC LIMIT ?",
            arguments: [end, maximum])
        var found = Found()
        var looked = 0
        while let row = try rows.next() {
            looked += 1
            found.next = row["sequence"]
            guard let number = OrderNumber(row["order_number"] as String) else { continue }
            if search.ends(at: number) {
                found.next = nil
                return found
            }
            guard search.mayMatch(number, shortCode: Digest.shortCode(of: row["hash"])) else { continue }
            let sale = try sale(from: row)
            if search.matches(sale.content) { found.sales.append(sale) }
            if found.sales.count == limit { return found }
        }
        if looked < maximum { found.next = nil }
        return found
    }

    /// Where the order of this id is among all; nil: there is none.
    func sequence(orderId: String) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT sequence FROM orders WHERE order_id = ?", arguments: [orderId])
    }

    private func sale(_ sql: String, argument: String) throws -> Sale? {
        let statement = try database.cachedStatement(sql: sql)
        return try Row.fetchOne(statement, arguments: [argument]).map(sale(from:))
    }

    private func sale(from row: Row) throws -> Sale {
        let sequence: Int64 = row["sequence"]
        guard let key = ULID(row["sale_key"] as String),
            let orderNumber = OrderNumber(row["order_number"] as String)
        else { throw JournalChain.Broken(detail: "order \(sequence) cannot be read") }
        var sale = Sale(
            key: key, orderId: row["order_id"], orderNumber: orderNumber, mutationId: row["id"],
            content: try content(
                of: (row["body"] as Blob).bytes, madeAt: row["made_at"], stock: row["stock_moves"],
                sequence: sequence),
            isAcknowledged: SyncState(column: row["verdict"]) == .acknowledged, voidedAt: row["voided_at"],
            shortCode: Digest.shortCode(of: row["hash"]))
        sale.returnedWorth = try (row["refunded"] as Blob?).flatMap { try worth(of: $0, for: key) }
        return sale
    }

    /// What a refund came to whose goods paid the sale of `key`, the next entry: it has the key of the sale
    /// as its id. Nil for any other one.
    private func worth(of refund: Blob, for key: ULID) throws -> Int64? {
        let entry = try SQLiteRefusals.mutation(refund)
        guard entry.entityId == key.description else { return nil }
        return try RefundPayload.content(of: entry.payload, madeAt: 0).paid
    }

    private func content(
        of body: [UInt8], madeAt: Int64, stock: String?, sequence: Int64
    ) throws -> SaleContent {
        do {
            let counted = Set(try StockMoves(column: stock).moves.map(\.line))
            let entry = try Mutation(json: JSONParser.parse(body))
            return try OrderPayload.content(
                of: entry.payload, madeAt: madeAt, isCounted: counted.contains)
        } catch {
            throw JournalChain.Broken(detail: "order \(sequence) cannot be read: \(error)")
        }
    }
}
