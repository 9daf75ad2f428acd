package import HubProtocol

/// What a store sells an article by, beside the catalogue's row: prices of its own or of a moment, and
/// whether it counts its stock itself.
package struct SellingTerms: Hashable, Sendable {
    /// Those of the store and of all stores.
    package private(set) var prices: [PriceRecord] = []
    /// Whether the store has a ``StockRecord`` of the article.
    package private(set) var countsStock = false

    /// An article without any.
    package init() {}

    /// What an article's terms are looked up by, in a store's own and among those of all stores.
    package static func lookups(of sku: String, in storeId: String) -> [String] {
        [lookup(of: sku, in: nil), lookup(of: sku, in: storeId)]
    }

    /// - Parameter storeId: nil for what is of all stores.
    package static func lookup(of sku: String, in storeId: String?) -> String { "\(storeId ?? "")/\(sku)" }

    /// Adds a row of the feed that was found so; one that cannot be read is left out.
    package mutating func add(_ entity: String, _ value: JSONValue) {
        switch entity {
        case PriceRecord.entity:
            if let price = try? PriceRecord(json: value) { prices.append(price) }
        case StockRecord.entity: countsStock = true
        case _: break
        }
    }
}
