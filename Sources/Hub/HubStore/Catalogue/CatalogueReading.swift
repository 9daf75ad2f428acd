/// The queries of an import. Each names many articles at once: a store returns each list in
/// time that grows with the list, however large the catalogue is.
protocol CatalogueReading {
    associatedtype Failure: Error

    /// What the catalogue is in; nil for an empty one.
    func currency() throws(Failure) -> String?

    /// What is kept of those of `skus` that are known.
    func known(_ skus: [String]) throws(Failure) -> [String: KnownArticle]

    /// The skus that have `barcodes`, by barcode.
    func owners(of barcodes: [String]) throws(Failure) -> [String: String]
}

/// What a store has of an article.
struct KnownArticle {
    let barcode: String
    let record: String
}
