internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import Retail

/// The prices, listings and stocks in the terminal's copy, which go before what the articles themselves say.
/// The feed brings those of this store and of all stores alone.
struct StoreTerms {
    private let statement: DirectStatement?

    /// - Parameter connection: not used by anybody else while this is in use.
    init(in connection: Database) throws {
        // Most chains have neither, and their sales then read nothing more.
        let hasAny = try DirectStatement(
            """
            SELECT 1 FROM feed_entities INDEXED BY feed_entities_lookup
            WHERE generation = (SELECT generation FROM feed) AND lookup IS NOT NULL
                AND entity IN ('price', 'listing', 'stock') LIMIT 1
            """, in: connection
        ).first({ _ in }) { _ in true }
        statement =
            hasAny == nil
            ? nil
            : try DirectStatement(
                """
                SELECT entity, value, hlc FROM feed_entities INDEXED BY feed_entities_lookup
                WHERE generation = (SELECT generation FROM feed) AND entity IN ('price', 'listing', 'stock')
                    AND lookup = ? AND value IS NOT NULL
                """, in: connection)
    }

    /// The article as this store sells it at `moment`, Unix milliseconds; nil where it does not.
    func applied(to product: Product, at moment: Int64) throws -> Product? {
        guard statement != nil else { return product }
        let terms = try terms(of: product.sku)
        let listings = terms.compactMap { try? ListingRecord(json: $0.value) }
        guard ListingRecord.isListed(by: listings, in: listings.compactMap(\.storeId).first ?? "") else {
            return nil
        }
        let prices = Self.prices(among: terms)
        let price = PriceRecord.price(of: prices, in: Self.store(of: prices), at: moment)
        let isStocked = terms.contains { $0.entity == StockRecord.entity }
        return product.sold(at: price ?? product.price, isCounted: product.isCounted || isStocked)
    }

    /// What the store has of an article by the hub's count, and when the hub counted it; nil: the hub has no
    /// count of this store alone.
    func stock(of sku: String) throws -> StockLevel? {
        guard let row = try terms(of: sku).first(where: { $0.entity == StockRecord.entity }) else {
            return nil
        }
        guard let stock = try? StockRecord(json: row.value) else { return nil }
        // The first 13 digits of the hub's clock are milliseconds (http.md section 1).
        return StockLevel(milli: stock.stockMilli, countedAt: row.hlc.flatMap { Int64($0.prefix(13)) })
    }

    /// When the article's price may change next after `moment`; nil: no moment is known.
    func nextChange(of sku: String, after moment: Int64) throws -> Int64? {
        guard statement != nil else { return nil }
        let prices = Self.prices(among: try terms(of: sku))
        return PriceRecord.nextChange(of: prices, in: Self.store(of: prices), after: moment)
    }

    private static func prices(among terms: [Term]) -> [PriceRecord] {
        terms.filter { $0.entity == PriceRecord.entity }.compactMap { try? PriceRecord(json: $0.value) }
    }

    /// The store that has prices of its own in the copy: this one.
    private static func store(of prices: [PriceRecord]) -> String {
        prices.compactMap(\.storeId).first ?? ""
    }

    /// A row about one article.
    private struct Term {
        let entity: String
        let value: JSONValue
        let hlc: String?
    }

    private func terms(of sku: String) throws -> [Term] {
        let rows = try statement?.all({ $0.add(sku) }) { ($0.text(0), $0.text(1), $0.optionalText(2)) } ?? []
        return rows.compactMap { entity, text, hlc in
            (try? JSONParser.parse(text.utf8)).map { Term(entity: entity, value: $0, hlc: hlc) }
        }
    }
}
