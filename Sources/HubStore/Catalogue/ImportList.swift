internal import HubCore
internal import HubProtocol

/// A list of articles on its way into the catalogue, each sku once as the list names it last. It is made
/// before the transaction that takes it in, so that nobody waits for it.
struct ImportList: Sendable {
    struct Article: Sendable {
        let product: ProductRecord
        /// The document that stores keep of it and compare it by, in canonical form.
        let record: String
    }

    let articles: [Article]
    /// The skus of articles that leave the catalogue.
    let gone: [String]
    /// Those that the list names or withdraws: their barcodes are free.
    private let skus: Set<String>

    init(_ products: [ProductRecord], withdrawing gone: [String] = []) {
        var places: [String: Int] = [:]
        var articles: [Article] = []
        articles.reserveCapacity(products.count)
        for product in products {
            let article = Article(product: product, record: product.json.canonicalText)
            if let place = places[product.sku] {
                articles[place] = article
            } else {
                places[product.sku] = articles.count
                articles.append(article)
            }
        }
        self.articles = articles
        skus = Set(places.keys).union(gone)
        self.gone = gone
    }

    /// What speaks against the list by itself: one barcode of two articles, an article that comes and goes.
    /// Nil: nothing.
    var objection: String? {
        let named = Set(articles.map(\.product.sku))
        if let sku = gone.first(where: named.contains) {
            return "the sku \"\(sku)\" stands twice, once as withdrawn"
        }
        var owners: [String: String] = [:]
        for article in articles {
            let (barcode, sku) = (article.product.barcode, article.product.sku)
            if let owner = owners.updateValue(sku, forKey: barcode) {
                return Self.objection(to: barcode, of: owner)
            }
        }
        return nil
    }

    /// What speaks against it beside a catalogue in `currency`; nil: an empty one, where the first article
    /// decides.
    func objection(besideCurrency currency: String?) -> String? {
        guard let currency = currency ?? articles.first?.product.currency,
            let other = articles.first(where: { $0.product.currency != currency })?.product
        else { return nil }
        return "the catalogue is in \(currency), the sku \"\(other.sku)\" in \(other.currency)"
    }

    /// What speaks against a barcode of the list that an article of the store has. One that the list names as
    /// well gives its barcode up.
    func objection(to barcode: String, of owner: String) -> String? {
        skus.contains(owner) ? nil : Self.objection(to: barcode, of: owner)
    }

    private static func objection(to barcode: String, of owner: String) -> String {
        "the barcode \"\(barcode)\" belongs to the sku \"\(owner)\""
    }
}
