package import HubProtocol

/// Which stores sell an article.
package struct ListingFormat: ImportFormat {
    /// `sku`: with the store it names the listing that a file withdraws.
    package static let idColumn = "sku"
    /// Of one store, or without it of all that have none of their own.
    package static let hasStores = true
    /// The header line's names; `listed` is `true` or `false`.
    package static let columns = ["sku", "listed"]
    /// None may be left out.
    package static let optionalColumns: Set<String> = []

    private var ids = UniqueColumn("listing of this sku and store")

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for a listing that an earlier line has.
    package mutating func record(of row: ImportRow) throws(CSVError) -> ListingRecord {
        guard ["true", "false"].contains(row["listed"]) else { throw row.wrong("listed", "true or false") }
        let listing = ListingRecord(
            sku: try row.text("sku"), storeId: try row.storeId(), isListed: try row.flag("listed"))
        try ids.note(listing.id, on: row)
        return listing
    }

    /// By article and store.
    package static func withdrawnId(of row: ImportRow) throws(CSVError) -> String {
        ListingRecord.id(sku: try row.text("sku"), storeId: try row.storeId())
    }
}

/// What single stores have of an article. Without a line a store shares the count of the file of products.
package struct StockFormat: ImportFormat {
    /// `sku`: with the store it names the count that a file withdraws.
    package static let idColumn = "sku"
    /// Every line names one.
    package static let hasStores = true
    /// The header line's names; `stock_milli` is in thousandths of the article's unit.
    package static let columns = ["sku", "stock_milli"]
    /// None may be left out.
    package static let optionalColumns: Set<String> = []

    private var ids = UniqueColumn("stock of this sku and store")

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for a count that an earlier line has, and for a line without a store.
    package mutating func record(of row: ImportRow) throws(CSVError) -> StockRecord {
        let stock = StockRecord(
            sku: try row.text("sku"), storeId: try Self.store(of: row),
            stockMilli: try row.integer("stock_milli", in: JSONValue.exactIntegers))
        try ids.note(stock.id, on: row)
        return stock
    }

    /// By article and store.
    package static func withdrawnId(of row: ImportRow) throws(CSVError) -> String {
        StockRecord.id(sku: try row.text("sku"), storeId: try store(of: row))
    }

    private static func store(of row: ImportRow) throws(CSVError) -> String {
        guard let storeId = try row.storeId() else {
            throw row.error("store_id is empty; the stock of all stores together is stock_milli of products")
        }
        return storeId
    }
}
