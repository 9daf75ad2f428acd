public import HubProtocol

/// Reads a file of products, all of it or nothing. Columns:
/// `sku,barcode,name,department,price_minor,currency, tax_basis_points,unit,stock_milli`, in any order, named
/// by the header line.
public struct ProductImport {
    /// The names that the header line holds, each once.
    public static let columns = [
        "sku", "barcode", "name", "department", "price_minor", "currency", "tax_basis_points", "unit",
        "stock_milli",
    ]
    private static let optionalColumns: Set = ["stock_milli", "department"]

    private var reader: CSVReader
    private let places: [String: Int]
    private let width: Int
    private var lineOfSku: [String: Int] = [:]
    private var lineOfBarcode: [String: Int] = [:]
    private var currency: String?

    /// - Throws: ``CSVError`` for a file without the right header.
    public init(_ bytes: [UInt8]) throws(CSVError) {
        reader = CSVReader(bytes)
        guard let header = try reader.next() else {
            throw CSVError(line: 1, reason: .content("the file is empty; it begins with a header line"))
        }
        var places: [String: Int] = [:]
        for (index, name) in header.fields.enumerated() {
            guard Self.columns.contains(name) else {
                throw CSVError(line: header.line, reason: .content("the column \"\(name)\" is not known"))
            }
            guard places.updateValue(index, forKey: name) == nil else {
                throw CSVError(line: header.line, reason: .content("the column \"\(name)\" stands twice"))
            }
        }
        for name in Self.columns where places[name] == nil && !Self.optionalColumns.contains(name) {
            throw CSVError(line: header.line, reason: .content("the column \"\(name)\" is missing"))
        }
        self.places = places
        width = header.fields.count
    }

    /// How much of the file has been read, from 0 to 1.
    public var progress: Double { reader.progress }

    /// The next product; nil at the end.
    ///
    /// - Throws: ``CSVError`` for the line that is wrong; nothing of the file is to be used then.
    public mutating func next() throws(CSVError) -> ProductRecord? {
        guard let record = try reader.next() else { return nil }
        guard record.fields.count == width else {
            let words = "\(record.fields.count) fields where the header has \(width)"
            throw CSVError(line: record.line, reason: .content(words))
        }
        let row = Row(line: record.line, fields: record.fields, places: places)
        let product = try row.product()
        try notice(product, at: record.line)
        return product
    }

    private mutating func notice(_ product: ProductRecord, at line: Int) throws(CSVError) {
        if let earlier = lineOfSku.updateValue(line, forKey: product.sku) {
            throw CSVError(
                line: line, reason: .content("the sku \"\(product.sku)\" stands on line \(earlier) too"))
        }
        if let earlier = lineOfBarcode.updateValue(line, forKey: product.barcode) {
            throw CSVError(
                line: line,
                reason: .content("the barcode \"\(product.barcode)\" stands on line \(earlier) too"))
        }
        if let currency, currency != product.currency {
            throw CSVError(
                line: line,
                reason: .content(
                    "the currency is \(product.currency) after \(currency); one file, one currency"))
        }
        currency = product.currency
    }
}

/// One record by column name.
private struct Row {
    let line: Int
    let fields: [String]
    let places: [String: Int]

    func product() throws(CSVError) -> ProductRecord {
        guard let unit = ProductRecord.Unit(rawValue: self["unit"]) else {
            throw wrong("unit", "each or milli")
        }
        let currency = self["currency"]
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw wrong("currency", "three capital letters of ISO 4217")
        }
        return ProductRecord(
            sku: try text("sku"), barcode: try text("barcode"), name: try text("name"),
            department: self["department"], priceMinor: try integer("price_minor", in: 0...(1 << 53 - 1)),
            currency: currency, taxBasisPoints: try integer("tax_basis_points", in: 0...1_000_000),
            unit: unit,
            stockMilli: self["stock_milli"].isEmpty
                ? nil : try integer("stock_milli", in: -(1 << 53 - 1)...(1 << 53 - 1)))
    }

    private subscript(column: String) -> String { places[column].map { fields[$0] } ?? "" }

    private func text(_ column: String) throws(CSVError) -> String {
        let value = self[column]
        guard (1...512).contains(value.utf8.count) else { throw wrong(column, "a text of 1 to 512 bytes") }
        return value
    }

    private func integer(_ column: String, in range: ClosedRange<Int64>) throws(CSVError) -> Int64 {
        let value = self[column]
        guard let number = Int64(value), range.contains(number), value.first != "+" else {
            throw wrong(column, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func wrong(_ column: String, _ expected: String) -> CSVError {
        CSVError(line: line, reason: .content("\(column) is \"\(self[column].prefix(40))\", not \(expected)"))
    }
}
