package import HubProtocol

/// Prices of single stores, and prices that begin or end at a moment.
package struct PriceFormat: ImportFormat {
    /// `sku`: with store and begin it names the price that a file withdraws.
    package static let idColumn = "sku"
    /// Of one store, or without it of all.
    package static let hasStores = true
    /// The header line's names; `price_minor` is in minor units.
    package static let columns = ["sku", "price_minor", "starts_at", "ends_at"]
    /// An absent `starts_at` or `ends_at` means no bound on that side.
    package static let optionalColumns: Set = ["starts_at", "ends_at"]

    private var ids = UniqueColumn("price of this sku, store and begin")

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for a price that an earlier line has, an end before the start, and a line without
    /// a store and a begin: what an article always costs everywhere is in the file of products.
    package mutating func record(of row: ImportRow) throws(CSVError) -> PriceRecord {
        let price = PriceRecord(
            sku: try row.text("sku"), storeId: try row.storeId(),
            priceMinor: try row.integer("price_minor", in: 0...(1 << 53 - 1)),
            startsAt: try row.optionalMoment("starts_at"), endsAt: try row.optionalMoment("ends_at"))
        if let start = price.startsAt, let end = price.endsAt, end <= start {
            throw row.wrong("ends_at", "after starts_at")
        }
        guard price.storeId != nil || price.startsAt != nil || price.endsAt != nil else {
            throw row.error(
                "a price of all stores without starts_at belongs into the file of products, as price_minor")
        }
        try ids.note(price.id, on: row)
        return price
    }

    /// By article, store and begin.
    package static func withdrawnId(of row: ImportRow) throws(CSVError) -> String {
        PriceRecord.id(
            sku: try row.text("sku"), storeId: try row.storeId(),
            startsAt: try row.optionalMoment("starts_at"))
    }
}
