/// A `stock` of the change feed: how much of an article one store has, as the hub counts it. The hub writes
/// it anew with every sale that arrives, so the change's own time shows how old the count is.
package struct StockRecord: Hashable, Sendable {
    /// The entity's name in the feed.
    package static let entity = "stock"

    /// The article.
    package let sku: String
    package let storeId: String
    /// Thousandths of a unit; below 0 where more was sold than was counted.
    package let stockMilli: Int64

    package init(sku: String, storeId: String, stockMilli: Int64) {
        self.sku = sku
        self.storeId = storeId
        self.stockMilli = stockMilli
    }

    /// The entity's id: one count for each article and store.
    package var id: String { Self.id(sku: sku, storeId: storeId) }

    /// ``id`` of a count that is named by its parts.
    package static func id(sku: String, storeId: String) -> String { "\(storeId)/\(sku)" }

    /// Reads the entity's value.
    package init(json: JSONValue) throws(ShapeError) {
        self.init(
            sku: try json.requiredString("sku"), storeId: try json.requiredString("storeId"),
            stockMilli: try json.requiredInteger("stockMilli"))
    }

    /// The entity's value.
    package var json: JSONValue {
        ["sku": .string(sku), "storeId": .string(storeId), "stockMilli": .integer(stockMilli)]
    }

    /// The count with `soldMilli` less; nil where the difference cannot travel.
    package func selling(_ soldMilli: Int64) -> StockRecord? {
        let (left, overflows) = stockMilli.subtractingReportingOverflow(soldMilli)
        guard !overflows, JSONValue.exactIntegers.contains(left) else { return nil }
        return StockRecord(sku: sku, storeId: storeId, stockMilli: left)
    }
}
