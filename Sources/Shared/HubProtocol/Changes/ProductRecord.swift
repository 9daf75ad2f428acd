/// A `product` of the change feed: the columns of the import file in camelCase.
public struct ProductRecord: Hashable, Sendable {
    public enum Unit: String, Hashable, Sendable {
        case each
        /// Sold in thousandths: kilograms, litres, gallons. The price is per one whole unit.
        case milli
    }

    public let sku: String
    /// Opaque; what the scanner reads.
    public let barcode: String
    public let name: String
    public let department: String
    /// Minor units per one whole unit, tax included.
    public let priceMinor: Int64
    /// ISO 4217.
    public let currency: String
    /// Tax included in the price, in hundredths of a percent.
    public let taxBasisPoints: Int64
    public let unit: Unit
    /// Nil: not counted.
    public let stockMilli: Int64?

    public init(
        sku: String, barcode: String, name: String, department: String, priceMinor: Int64, currency: String,
        taxBasisPoints: Int64, unit: Unit, stockMilli: Int64?
    ) {
        self.sku = sku
        self.barcode = barcode
        self.name = name
        self.department = department
        self.priceMinor = priceMinor
        self.currency = currency
        self.taxBasisPoints = taxBasisPoints
        self.unit = unit
        self.stockMilli = stockMilli
    }

    public init(json: JSONValue) throws(ShapeError) {
        sku = try json.requiredString("sku")
        barcode = try json.requiredString("barcode")
        name = try json.requiredString("name")
        department = json["department"]?.string ?? ""
        priceMinor = try json.requiredInteger("priceMinor", in: 0...(1 << 53 - 1))
        currency = try json.requiredString("currency")
        taxBasisPoints = try json.requiredInteger("taxBasisPoints", in: 0...1_000_000)
        guard let unit = Unit(rawValue: json["unit"]?.string ?? "each") else {
            throw ShapeError(path: "unit", expected: "each or milli")
        }
        self.unit = unit
        stockMilli = json["stockMilli"]?.integer
    }

    public var json: JSONValue {
        [
            "sku": .string(sku), "barcode": .string(barcode), "name": .string(name),
            "department": .string(department), "priceMinor": .integer(priceMinor),
            "currency": .string(currency), "taxBasisPoints": .integer(taxBasisPoints),
            "unit": .string(unit.rawValue), "stockMilli": JSONValue(stockMilli),
        ]
    }
}
