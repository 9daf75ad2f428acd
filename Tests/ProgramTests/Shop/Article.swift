/// An article of the test's own catalogue.
struct Article: Equatable {
    let sku: String
    let barcode: String
    let name: String
    /// Minor units of ``currency`` for one whole unit, tax included.
    let price: Int64
    let taxBasisPoints: Int64
    /// Sold in thousandths: by weight or volume.
    let isDivisible: Bool
    /// Thousandths; nil is not counted.
    let stockMilli: Int64?

    static let currency = "CNY"
    static let csvHeader =
        "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli"

    init(
        _ number: Int, price: Int64, tax: Int64 = 1300, isDivisible: Bool = false, stockMilli: Int64? = nil,
        name: String? = nil, barcode: String? = nil
    ) {
        sku = "A\(1000 + number)"
        self.barcode = barcode ?? String(6_900_000_000_000 + number)
        self.name = name ?? "Article \(number)"
        self.price = price
        taxBasisPoints = tax
        self.isDivisible = isDivisible
        self.stockMilli = stockMilli
    }

    /// Twelve articles: odd prices, several rates, one free, two by weight, one whose name needs quotes.
    static let assortment = [
        Article(0, price: 1250), Article(1, price: 399), Article(2, price: 1), Article(3, price: 0),
        Article(4, price: 99_999, tax: 0), Article(5, price: 333, tax: 900), Article(6, price: 777, tax: 600),
        Article(7, price: 1999, tax: 900, isDivisible: true),
        Article(8, price: 1234, tax: 0, isDivisible: true),
        Article(9, price: 250, name: "Tea, \"green\""), Article(10, price: 45, stockMilli: 5_000_000),
        Article(11, price: 680, tax: 600, stockMilli: 2000),
    ]

    /// The import file of the hub for `articles`.
    static func csv(_ articles: [Article], in currency: String = currency) -> String {
        ([csvHeader] + articles.map { $0.csvRow(in: currency) }).joined(separator: "\n") + "\n"
    }

    private func csvRow(in currency: String) -> String {
        let quoted =
            "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
        let stock = stockMilli.map(String.init) ?? ""
        let unit = isDivisible ? "milli" : "each"
        return "\(sku),\(barcode),\(quoted),Test,\(price),\(currency),\(taxBasisPoints),\(unit),\(stock)"
    }
}
