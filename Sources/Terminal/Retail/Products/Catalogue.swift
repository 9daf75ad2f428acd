/// The articles of the terminal, from its own store: available without the network.
public protocol Catalogue: Sendable {
    /// The articles with one of `barcodes`, by barcode; an unknown barcode is missing.
    func products(barcodes: Set<String>) async throws(CatalogueError) -> [String: Product]

    /// The currency of the store's articles, ISO 4217; nil while the catalogue is empty.
    func currency() async throws(CatalogueError) -> String?
}

/// Why the catalogue could not be read.
public enum CatalogueError: Error, Hashable, Sendable {
    /// The store on disk failed; `detail` is the store's own text. Nothing was sold.
    case unavailable(detail: String)
}
/// Finds articles by a part of what people know of them.
public protocol ProductSearching: Sendable {
    /// Articles whose name, SKU or barcode contains `text`, upper and lower case alike: an exact SKU or
    /// barcode first, then names that begin with it, then the rest by name. At most `limit` of them, from 1.
    func products(matching text: String, limit: Int) async throws(CatalogueError) -> [Product]
}
