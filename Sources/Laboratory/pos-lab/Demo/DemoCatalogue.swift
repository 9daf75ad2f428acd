/// The demo's articles, made up by rule: some hundred, with barcodes that pass their check digit.
enum DemoCatalogue {
    struct Article {
        let barcode: String
        let price: Int64
    }

    private static let things = [
        "Green tea", "Black tea", "Rice crackers", "Dark chocolate", "Oat biscuits", "Olive oil", "Sea salt",
        "Honey", "Apple juice", "Mineral water", "Coffee beans", "Soy sauce", "Noodles", "Peanuts", "Soap",
    ]
    private static let sizes = [
        "50 g", "100 g", "200 g", "250 g", "300 g", "400 g", "500 g", "750 g", "1 kg", "1.5 kg", "2 kg",
        "gift box", "twin pack", "family pack", "refill", "sample", "jar", "tin", "bag", "carton",
    ]

    static let articles: [Article] = (0..<things.count * sizes.count).map { index in
        Article(barcode: barcode(index), price: 120 + Int64(index * 37 % 2900))
    }

    /// The import file of the hub.
    static var csv: String {
        var lines = ["sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli"]
        for (index, article) in articles.enumerated() {
            let name = "\(things[index % things.count]) \(sizes[index / things.count])"
            lines.append(
                "D\(1000 + index),\(article.barcode),\(name),Demo,\(article.price),CNY,1300,each,\(50_000)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// An EAN-13 in the range for use inside one store (prefix 20).
    private static func barcode(_ index: Int) -> String {
        let digits = ("20" + String(1_000_000_000 + index)).compactMap(\.wholeNumberValue)
        let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
        return digits.map(String.init).joined() + String((10 - sum % 10) % 10)
    }
}
