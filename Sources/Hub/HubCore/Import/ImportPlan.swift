import HubProtocol

/// What an import changes, decided the same way for every store. It holds as long as no other import comes
/// between: nothing else changes what it was made from.
package struct ImportPlan: Sendable {
    /// Why nothing is imported, the first ``ImportObjection/most`` reasons; empty: it can be imported.
    package private(set) var objections: [ImportObjection] = []
    /// The first of them.
    package var objection: ImportObjection? { objections.first }
    /// New and changed articles, in the list's order.
    package private(set) var written: [ImportList.Article] = []
    /// Known articles that get another barcode. Theirs are taken off first, so that two can swap them.
    package private(set) var freed: [String] = []
    /// Known articles that leave the catalogue.
    package private(set) var withdrawn: [String] = []
    private var new = 0
    private let count: Int
    /// Articles whose barcode may be that of another article of the store.
    private var claims: [ImportList.Article] = []

    /// Articles of one request to the store.
    private static let portion = 2_000

    /// - Parameter catalogue: the store, in the transaction or behind the gate that keeps other imports out.
    package init<Catalogue: CatalogueReading>(
        _ list: ImportList, beside catalogue: Catalogue
    ) throws(Catalogue.Failure) {
        count = list.articles.count + list.gone.count
        objections = list.objections + list.objections(besideCurrency: try catalogue.currency())
        defer { objections = Array(objections.prefix(ImportObjection.most)) }
        for portion in list.articles.portions(of: Self.portion) {
            let known = try catalogue.known(portion.map(\.product.sku))
            for article in portion { note(article, beside: known[article.product.sku]) }
        }
        for portion in list.gone.portions(of: Self.portion) {
            withdrawn += try catalogue.known(Array(portion)).keys.sorted()
        }
        // Another article may get their barcodes at once.
        freed += withdrawn
        for portion in claims.portions(of: Self.portion) where objections.count < ImportObjection.most {
            // A GTIN is one article however it is written.
            let owners = try catalogue.owners(
                of: portion.flatMap { $0.product.barcodes.flatMap(TradeItemCode.forms(of:)) })
            for article in portion {
                objections += article.product.barcodes.compactMap { barcode in
                    let all = TradeItemCode.forms(of: barcode).compactMap { owners[$0] }
                    guard let owner = all.first(where: { $0 != article.product.sku }) else { return nil }
                    return list.objection(to: barcode, of: owner, for: article)
                }
            }
        }
    }

    /// What the import came to, once the plan is carried out.
    package var outcome: ImportOutcome {
        guard objections.isEmpty else { return .refused(objections) }
        return .imported(
            new: new, changed: written.count - new, unchanged: count - written.count - withdrawn.count,
            withdrawn: withdrawn.count)
    }

    /// Whether there is anything to write.
    package var changesNothing: Bool { written.isEmpty && withdrawn.isEmpty }

    private mutating func note(_ article: ImportList.Article, beside known: KnownArticle?) {
        guard known?.record != article.record else { return }
        written.append(article)
        if known == nil { new += 1 }
        guard known?.barcodes != article.product.barcodes else { return }
        claims.append(article)
        if known != nil { freed.append(article.product.sku) }
    }
}

extension Array {
    /// Its elements in order, at most `count` at a time.
    package func portions(of count: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: self.count, by: count).lazy.map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}

/// What an import did.
package enum ImportOutcome: Hashable, Sendable {
    case imported(new: Int, changed: Int, unchanged: Int, withdrawn: Int = 0)
    /// Nothing was imported, for these reasons: at least one, the first ``ImportObjection/most``.
    case refused([ImportObjection])
}

/// The queries of an import. Each names many articles at once: a store returns each list in
/// time that grows with the list, however large the catalogue is.
package protocol CatalogueReading {
    /// What its queries throw.
    associatedtype Failure: Error

    /// What the catalogue is in; nil for an empty one.
    func currency() throws(Failure) -> String?

    /// What is kept of those of `skus` that are known.
    func known(_ skus: [String]) throws(Failure) -> [String: KnownArticle]

    /// The skus that have `barcodes`, by barcode.
    func owners(of barcodes: [String]) throws(Failure) -> [String: String]
}

/// What a store has of an article.
package struct KnownArticle: Hashable, Sendable {
    /// The barcode that the store has for it now.
    package let barcode: String
    /// The document that it is compared by, in canonical form.
    package let record: String

    /// All of its barcodes, the main one first.
    var barcodes: [String] {
        let further =
            record.contains("\"furtherBarcodes\"")
            ? (try? JSONParser.parse(record.utf8))?["furtherBarcodes"] : nil
        return [barcode] + (further?.array ?? []).compactMap(\.string)
    }

    /// Makes it from a row of the store; `record` is in canonical form.
    package init(barcode: String, record: String) {
        self.barcode = barcode
        self.record = record
    }
}
