/// An article as the terminal sells it.
package struct Product: Hashable, Sendable {
    /// The article's code in the catalogue, unique within it; refunds and promotions use it.
    package let sku: String
    /// Opaque; what the scanner reads.
    package let barcode: String
    /// The name for receipts and screens, as imported at the hub.
    package let name: String
    /// What promotions may reach; empty: none.
    package let department: String
    /// Minor units per unit, tax included.
    package let price: Int64
    /// ISO 4217.
    package let currency: String
    /// The rate of the tax included in the price, in hundredths of a percent.
    package let taxBasisPoints: Int64
    /// Whether thousandths of a unit may be sold (kilograms, litres); otherwise only full units.
    package let isDivisible: Bool
    /// Whether its stock is counted, so that a sale of it moves the stock.
    package let isCounted: Bool
    /// The price is entered with each sale; ``price`` is not what it costs.
    package let hasOpenPrice: Bool

    /// Makes an article; an empty `department` means none. Its price is fixed by default.
    package init(
        sku: String, barcode: String, name: String, department: String, price: Int64, currency: String,
        taxBasisPoints: Int64,
        isDivisible: Bool, isCounted: Bool, hasOpenPrice: Bool = false
    ) {
        self.sku = sku
        self.barcode = barcode
        self.name = name
        self.department = department
        self.price = price
        self.currency = currency
        self.taxBasisPoints = taxBasisPoints
        self.isDivisible = isDivisible
        self.isCounted = isCounted
        self.hasOpenPrice = hasOpenPrice
    }

    /// The same article as a store sells it: at another price, and with or without its stock counted.
    package func sold(at price: Int64, isCounted: Bool) -> Product {
        Product(
            sku: sku, barcode: barcode, name: name, department: department, price: price,
            currency: currency, taxBasisPoints: taxBasisPoints, isDivisible: isDivisible,
            isCounted: isCounted, hasOpenPrice: hasOpenPrice)
    }
}

/// How much of an article there is.
package struct StockLevel: Hashable, Sendable {
    /// Thousandths of a unit; below 0 where more was sold than was counted.
    package let milli: Int64
    /// When the hub counted, Unix milliseconds; nil: not known. What other terminals sold since is not in it.
    package let countedAt: Int64?

    package init(milli: Int64, countedAt: Int64?) {
        self.milli = milli
        self.countedAt = countedAt
    }
}

/// The articles of the terminal, from its own store: available without the network.
package protocol Catalogue: Sendable {
    /// The articles with one of `barcodes`, by barcode; an unknown barcode is missing.
    func products(barcodes: Set<String>) async throws(CatalogueError) -> [String: Product]

    /// The departments of all articles with their tax rates, by name, then by rate.
    func departments() async throws(CatalogueError) -> [Department]

    /// What the store has of articles by the terminal's copy, by sku; one that is not counted is missing.
    func stock(of skus: Set<String>) async throws(CatalogueError) -> [String: StockLevel]

    /// When the price of one of `skus` may change next, Unix milliseconds; nil: no moment is known.
    func priceChange(of skus: Set<String>) async throws(CatalogueError) -> Int64?

    /// The currency of the store's articles, ISO 4217; nil while the catalogue is empty.
    func currency() async throws(CatalogueError) -> String?
}

/// Why the catalogue could not be read.
package enum CatalogueError: Error, Hashable, Sendable {
    /// The store on disk failed; `detail` is the store's own text. Nothing was sold.
    case unavailable(detail: String)
}

/// Finds articles by a part of what people know of them.
package protocol ProductSearching: Sendable {
    /// Articles whose name, SKU or barcode contains `text`, upper and lower case alike: an exact SKU or
    /// barcode first, then names that begin with it, then the rest by name. At most `limit` of them, from 1.
    func products(matching text: String, limit: Int) async throws(CatalogueError) -> [Product]
}
