/// The articles that the till knows, from its own store: it answers with the network down.
public protocol Catalogue: Sendable {
    /// The articles with one of `barcodes`, by barcode; a barcode that nobody knows is missing.
    func products(barcodes: Set<String>) async throws(CatalogueError) -> [String: Product]

    /// The currency of the store's articles, ISO 4217; nil while the catalogue is empty.
    func currency() async throws(CatalogueError) -> String?
}

/// Why the catalogue could not be read.
public enum CatalogueError: Error, Hashable, Sendable {
    /// The store on disk failed; `detail` is its own word. Nothing was sold.
    case unavailable(detail: String)
}
