import Base

/// A `price` of the change feed: what an article costs in one store or all of them, from a moment on or
/// always. It goes before the price of the article itself.
package struct PriceRecord: Hashable, Sendable {
    /// The entity's name in the feed.
    package static let entity = "price"

    /// The article.
    package let sku: String
    /// The one store that it is for; nil: every store.
    package let storeId: String?
    /// Minor units per one whole unit, tax included.
    package let priceMinor: Int64
    /// In force from then on, milliseconds since 1970; nil: always was.
    package let startsAt: Int64?
    /// In force until just before, milliseconds since 1970; nil: for ever.
    package let endsAt: Int64?

    package init(
        sku: String, storeId: String? = nil, priceMinor: Int64, startsAt: Int64? = nil, endsAt: Int64? = nil
    ) {
        self.sku = sku
        self.storeId = storeId
        self.priceMinor = priceMinor
        self.startsAt = startsAt
        self.endsAt = endsAt
    }

    /// The entity's id: one price for each article, store and begin. The sku comes last, since it may contain
    /// anything.
    package var id: String {
        Self.id(sku: sku, storeId: storeId, startsAt: startsAt)
    }

    /// ``id`` of a price that is named by its parts.
    package static func id(sku: String, storeId: String?, startsAt: Int64?) -> String {
        "\(storeId ?? "")/\(startsAt.map(Timestamp.text) ?? "")/\(sku)"
    }

    /// Reads the entity's value; a price is from 0 to 2^53 - 1.
    package init(json: JSONValue) throws(ShapeError) {
        self.init(
            sku: try json.requiredString("sku"), storeId: try json.optionalString("storeId"),
            priceMinor: try json.requiredInteger("priceMinor", in: 0...(1 << 53 - 1)),
            startsAt: try json.optionalMoment("startsAt"), endsAt: try json.optionalMoment("endsAt"))
    }

    /// The entity's value; a store or a bound that there is not is `null`.
    package var json: JSONValue {
        [
            "sku": .string(sku), "storeId": JSONValue(storeId), "priceMinor": .integer(priceMinor),
            "startsAt": JSONValue(startsAt.map(Timestamp.text)),
            "endsAt": JSONValue(endsAt.map(Timestamp.text)),
        ]
    }

    /// Whether it holds at `moment`, milliseconds since 1970.
    package func isInForce(at moment: Int64) -> Bool {
        (startsAt.map { $0 <= moment } ?? true) && (endsAt.map { moment < $0 } ?? true)
    }

    /// What an article costs in a store at a moment: the store's own price before one for all stores, of
    /// several the one that began last.
    ///
    /// - Parameter prices: of this article, of any store.
    /// - Returns: nil when none of them holds.
    package static func price(
        of prices: some Sequence<PriceRecord>, in storeId: String, at moment: Int64
    ) -> Int64? {
        prices.filter { ($0.storeId ?? storeId) == storeId && $0.isInForce(at: moment) }
            .max { $0.rank < $1.rank }?.priceMinor
    }

    /// When the price of an article may be another one for the next time after `moment`; nil: it stays.
    package static func nextChange(
        of prices: some Sequence<PriceRecord>, in storeId: String, after moment: Int64
    ) -> Int64? {
        prices.filter { ($0.storeId ?? storeId) == storeId }.flatMap { [$0.startsAt, $0.endsAt] }
            .compactMap(\.self).filter { $0 > moment }.min()
    }

    private var rank: (Int, Int64) { (storeId == nil ? 0 : 1, startsAt ?? .min) }
}
