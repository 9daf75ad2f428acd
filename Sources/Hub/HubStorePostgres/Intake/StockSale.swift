import HubCore

/// What is there of a product, and how much of it was sold.
struct StockCount: Equatable {
    /// In thousandths of a unit; nil for a product that is not counted.
    let stockMilli: Int64?
    let soldMilli: Int64

    /// The counts by sku, as ``StockSale/statement(of:)`` returns them.
    static func counts(in rows: PostgresRows?) throws(PostgresError) -> [String: StockCount] {
        var counts: [String: StockCount] = [:]
        for row in rows?.rows ?? [] {
            counts[try row.text(0)] = StockCount(
                stockMilli: row.optionalInteger(1), soldMilli: try row.integer(2))
        }
        return counts
    }
}

/// What some pushes sell of one product.
///
/// The products are looked at without a lock, since every push of a shop sells the same ones, and counted in
/// the last round trip before the commit. Whether a sale took the last piece is then the only thing
/// that a concurrent sale can have changed.
struct StockSale: Equatable {
    /// Sales less what came back, in thousandths of a unit.
    private(set) var netMilli: Int64 = 0
    /// Sales alone.
    private(set) var soldMilli: Int64 = 0

    /// - Parameter milli: negative for what came back.
    /// - Returns: nil when a sum does not fit 64 bits.
    func adding(_ milli: Int64) -> StockSale? {
        guard let net = Merging.add(milli, to: netMilli), let sold = Merging.add(max(0, milli), to: soldMilli)
        else { return nil }
        return StockSale(netMilli: net, soldMilli: sold)
    }

    /// Whether each sale in it is flagged alike, whichever of the two counts it is judged by: they are the
    /// same, or the stock is enough by both.
    func isJudgedAlike(by judged: StockCount, and counted: StockCount) -> Bool {
        if judged == counted { return true }
        guard judged.stockMilli == counted.stockMilli else { return false }
        guard let stock = counted.stockMilli, soldMilli > 0 else { return true }
        let most = Merging.add(soldMilli, to: max(judged.soldMilli, counted.soldMilli))
        return most.map { $0 <= stock } ?? false
    }

    /// Counts what was sold, and returns what there was of each product just before.
    ///
    /// The rows are locked one after the other as they are counted. They are counted in one order, so that
    /// two that want the same ones do not wait for each other: the plan looks each row of the sorted list up
    /// by its key (``PostgresIntake/byKey``). Should a server plan otherwise, it undoes one of the two, which
    /// runs again.
    static func statement(of sales: [String: StockSale]) -> PostgresStatement? {
        guard !sales.isEmpty else { return nil }
        let rows = sales.sorted { $0.key < $1.key }
        return PostgresStatement(
            "UPDATE products SET sold_milli = sold_milli + counted.milli FROM (SELECT sku, milli "
                + "FROM unnest($1::text[], $2::bigint[]) AS sold (sku, milli) ORDER BY sku OFFSET 0) AS counted "
                + "WHERE products.sku = counted.sku "
                + "RETURNING products.sku, stock_milli, sold_milli - counted.milli",
            [.texts(of: rows, \.key), .integers(of: rows, \.value.netMilli)])
    }
}
