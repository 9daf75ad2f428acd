/// A `stock` of the change feed: how much of an article one store has, as the hub counts it. The hub writes
/// it anew with every sale that arrives, so the change's own time shows how old the count is.
public struct StockRecord: Hashable, Sendable {
    /// The entity's name in the feed.
    public static let entity = "stock"

    /// The article.
    public let sku: String
    /// The store that has it.
    public let storeId: String
    /// Thousandths of a unit; below 0 where more was sold than was counted.
    public let stockMilli: Int64

    /// Makes a count; nothing is checked here.
    public init(sku: String, storeId: String, stockMilli: Int64) {
        self.sku = sku
        self.storeId = storeId
        self.stockMilli = stockMilli
    }

    /// The entity's id: one count for each article and store.
    public var id: String { Self.id(sku: sku, storeId: storeId) }

    /// ``id`` of a count that is named by its parts.
    public static func id(sku: String, storeId: String) -> String { "\(storeId)/\(sku)" }

    /// Reads the entity's value.
    public init(json: JSONValue) throws(ShapeError) {
        self.init(
            sku: try json.requiredString("sku"), storeId: try json.requiredString("storeId"),
            stockMilli: try json.requiredInteger("stockMilli"))
    }

    /// The entity's value.
    public var json: JSONValue {
        ["sku": .string(sku), "storeId": .string(storeId), "stockMilli": .integer(stockMilli)]
    }

    /// The count with `soldMilli` less; nil where the difference cannot travel.
    public func selling(_ soldMilli: Int64) -> StockRecord? {
        let (left, overflows) = stockMilli.subtractingReportingOverflow(soldMilli)
        guard !overflows, JSONValue.exactIntegers.contains(left) else { return nil }
        return StockRecord(sku: sku, storeId: storeId, stockMilli: left)
    }
}
