package import HubProtocol

/// Products. One file has one currency.
package struct ProductFormat: ImportFormat {
    /// `sku`: a file withdraws a product by it.
    package static let idColumn = "sku"
    /// The header line's names; `price_minor` is in minor units, `stock_milli` in thousandths of the `unit`.
    package static let columns = [
        "sku", "barcode", "name", "department", "price_minor", "currency", "tax_basis_points", "unit",
        "stock_milli", "open_price", "further_barcodes",
    ]
    /// An absent `stock_milli` means that the stock is not counted, an absent `department` none, an absent
    /// `open_price` that the price is fixed. `further_barcodes` has spaces between them.
    package static let optionalColumns: Set = [
        "stock_milli", "department", "open_price", "further_barcodes",
    ]

    private var skus = UniqueColumn("sku")
    /// Whose each barcode is.
    private var owners: [String: String] = [:]
    private var currency: String?

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for a sku or barcode that an earlier line has, a barcode that a spreadsheet
    /// rounded, and a second currency.
    package mutating func record(of row: ImportRow) throws(CSVError) -> ProductRecord {
        let product = try Self.product(of: row)
        if let rounded = product.barcodes.first(where: Self.isRounded) {
            throw row.error(
                "the barcode is \"\(rounded)\": a spreadsheet has rounded it; format the column as text"
            )
        }
        try skus.note(product.sku, on: row)
        for barcode in product.barcodes {
            if let owner = owners.updateValue(product.sku, forKey: barcode), owner != product.sku {
                throw row.error(
                    "the barcode \"\(barcode.prefix(40))\" of the sku \"\(product.sku.prefix(40))\" belongs to "
                        + "the sku \"\(owner.prefix(40))\" of an earlier line")
            }
        }
        if let currency, currency != product.currency {
            throw row.error("the currency is \(product.currency) after \(currency); one file, one currency")
        }
        currency = product.currency
        return product
    }

    /// `6.90123E+12`, as spreadsheets write thirteen digits: the last ones are lost.
    private static func isRounded(_ barcode: String) -> Bool {
        let parts = barcode.uppercased().split(separator: "E+", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].contains("."), !parts[1].isEmpty else { return false }
        return (parts[0] + parts[1]).allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
    }

    /// Without the main one and without repetitions.
    private static func furtherBarcodes(of row: ImportRow) throws(CSVError) -> [String] {
        guard let text = try row.optionalText("further_barcodes", upTo: TextBound.page) else { return [] }
        var further: [String] = []
        for barcode in text.split(separator: " ").map(String.init)
        where barcode != row["barcode"] && !further.contains(barcode) {
            guard barcode.utf8.count <= 512, further.count < mostFurther else {
                throw row.wrong(
                    "further_barcodes", "at most \(mostFurther) barcodes with spaces between them")
            }
            further.append(barcode)
        }
        return further
    }

    /// More than any article has; a list in one field is an error of the file.
    private static let mostFurther = 50

    private static func product(of row: ImportRow) throws(CSVError) -> ProductRecord {
        guard let unit = ProductRecord.Unit(rawValue: row["unit"]) else {
            throw row.wrong("unit", "each or milli")
        }
        let currency = row["currency"]
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw row.wrong("currency", "three capital letters of ISO 4217")
        }
        return ProductRecord(
            sku: try row.text("sku"), barcode: try row.text("barcode"), name: try row.text("name"),
            department: try row.optionalText("department") ?? "",
            priceMinor: try row.integer("price_minor", in: 0...(1 << 53 - 1)),
            currency: currency, taxBasisPoints: try row.integer("tax_basis_points", in: 0...1_000_000),
            unit: unit, stockMilli: try row.optionalInteger("stock_milli", in: JSONValue.exactIntegers),
            openPrice: try row.flag("open_price"),
            furtherBarcodes: try furtherBarcodes(of: row))
    }
}
