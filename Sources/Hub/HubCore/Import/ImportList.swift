package import HubProtocol

/// A list of articles on its way into the catalogue, each sku once as the list names it last. It is made
/// before the transaction that imports it, so that no other transaction waits for it.
package struct ImportList: Sendable {
    /// One article of the list, with the forms that the transaction needs.
    package struct Article: Sendable {
        /// The fields of its line in the file.
        package let product: ProductRecord
        /// Its place among the records of the import, from 0.
        let place: Int
        /// The document that stores keep of it and compare it by, in canonical form.
        package let record: String
    }

    /// In the order of the list.
    package let articles: [Article]
    /// The skus of articles that leave the catalogue.
    package let gone: [String]
    /// Those that the list names or withdraws: their barcodes are free.
    private let skus: Set<String>

    /// - Parameter gone: the skus of articles that leave the catalogue.
    package init(_ products: [ProductRecord], withdrawing gone: [String] = []) {
        var places: [String: Int] = [:]
        var articles: [Article] = []
        articles.reserveCapacity(products.count)
        for (number, product) in products.enumerated() {
            let article = Article(product: product, place: number, record: product.json.canonicalText)
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

    /// What is wrong with the list by itself: one barcode of two articles, an article that comes and goes.
    var objections: [ImportObjection] {
        let named = Set(articles.map(\.product.sku))
        let both = gone.filter(named.contains).map {
            ImportObjection("the sku \"\($0)\" is in the file twice, once as withdrawn")
        }
        var owners: [String: String] = [:]
        return both
            + articles.flatMap { article in
                let sku = article.product.sku
                return article.product.barcodes.compactMap { barcode in
                    owners.updateValue(sku, forKey: TradeItemCode.key(of: barcode)).flatMap {
                        $0 == sku ? nil : Self.objection(to: barcode, of: $0, for: article)
                    }
                }
            }
    }

    /// The articles that are not in the `currency` of the catalogue; nil: an empty one, where the first
    /// article decides.
    func objections(besideCurrency currency: String?) -> [ImportObjection] {
        guard let currency = currency ?? articles.first?.product.currency else { return [] }
        return articles.lazy.filter { $0.product.currency != currency }.prefix(ImportObjection.most).map {
            let (sku, other) = ($0.product.sku, $0.product.currency)
            return ImportObjection(
                "the catalogue is in \(currency), the sku \"\(sku)\" in \(other)", place: $0.place)
        }
    }

    /// The objection to a barcode of an article that another article of the store has; nil where the list
    /// names that one as well, which gives its barcode up.
    func objection(to barcode: String, of owner: String, for article: Article) -> ImportObjection? {
        skus.contains(owner) ? nil : Self.objection(to: barcode, of: owner, for: article)
    }

    private static func objection(
        to barcode: String, of owner: String, for article: Article
    ) -> ImportObjection {
        ImportObjection(
            "the barcode \"\(barcode)\" belongs to the sku \"\(owner)\", and \"\(article.product.sku)\" has it too",
            place: article.place)
    }
}

/// An article of an import with the moment at which it came to be as it is.
package struct DatedArticle: Sendable {
    /// What goes into the catalogue.
    package let article: ImportList.Article
    /// The moment of the change; later than that of every article before it in the import.
    package let hlc: HybridLogicalClock

    /// Each article at a tick of its own.
    package static func all(
        _ articles: [ImportList.Article], at now: Int64, from clock: inout HybridLogicalClock
    ) -> [DatedArticle] {
        articles.map { article in
            clock.tick(now: now)
            return DatedArticle(article: article, hlc: clock)
        }
    }
}
