internal import HubProtocol

/// Finds the articles of scanned codes.
struct ArticleCodes: Sendable {
    let catalogue: any Catalogue
    let rules: [BarcodeRule]

    /// The articles by what was scanned: exactly, else by what a code with more inside means. A code that
    /// names no article is missing.
    func articles(of codes: Set<String>) async throws(CatalogueError) -> [String: ScannedProduct] {
        var found = try await catalogue.products(barcodes: codes).mapValues { ScannedProduct($0) }
        var readings: [String: [Scan]] = [:]
        for code in codes where found[code] == nil {
            readings[code] = Scan.readings(of: code, rules: rules)
        }
        let inside = Set(readings.values.flatMap { $0.flatMap(\.articles) })
        guard !inside.isEmpty else { return found }
        let products = try await catalogue.products(barcodes: inside)
        for (code, scans) in readings { found[code] = Self.first(of: scans, in: products) }
        return found
    }

    private static func first(of scans: [Scan], in products: [String: Product]) -> ScannedProduct? {
        for scan in scans {
            for article in scan.articles {
                if let product = products[article] { return ScannedProduct(product, scan.content) }
            }
        }
        return nil
    }
}
