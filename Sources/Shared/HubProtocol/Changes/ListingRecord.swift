/// A `listing` of the change feed: whether a store sells an article at all. Without one it does.
package struct ListingRecord: Hashable, Sendable {
    /// The entity's name in the feed.
    package static let entity = "listing"

    /// The article.
    package let sku: String
    /// The one store that it is for; nil: every store without a listing of its own.
    package let storeId: String?
    /// False: the scanner does not find the article there.
    package let isListed: Bool

    package init(sku: String, storeId: String? = nil, isListed: Bool) {
        self.sku = sku
        self.storeId = storeId
        self.isListed = isListed
    }

    /// The entity's id: one listing for each article and store.
    package var id: String { Self.id(sku: sku, storeId: storeId) }

    /// ``id`` of a listing that is named by its parts.
    package static func id(sku: String, storeId: String?) -> String { "\(storeId ?? "")/\(sku)" }

    /// Reads the entity's value.
    package init(json: JSONValue) throws(ShapeError) {
        guard let isListed = json["listed"]?.bool else {
            throw ShapeError(path: "listed", expected: "true or false")
        }
        self.init(
            sku: try json.requiredString("sku"), storeId: try json.optionalString("storeId"),
            isListed: isListed)
    }

    /// The entity's value.
    package var json: JSONValue {
        ["sku": .string(sku), "storeId": JSONValue(storeId), "listed": .bool(isListed)]
    }

    /// Whether a store sells an article: its own listing decides, else that for all stores.
    ///
    /// - Parameter listings: of this article, of any store.
    package static func isListed(by listings: some Sequence<ListingRecord>, in storeId: String) -> Bool {
        listings.filter { ($0.storeId ?? storeId) == storeId }
            .max { ($0.storeId == nil ? 0 : 1) < ($1.storeId == nil ? 0 : 1) }?.isListed ?? true
    }
}
