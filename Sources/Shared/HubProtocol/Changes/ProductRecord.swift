/// A `product` of the change feed: the columns of the import file in camelCase.
package struct ProductRecord: Hashable, Sendable {
    /// How a quantity of the article is counted; the raw value is the text in the import file.
    package enum Unit: String, Hashable, Sendable {
        case each
        /// Sold in thousandths: kilograms, litres, gallons. The price is per one whole unit.
        case milli
    }

    /// The article's key: offers, sales and stock refer to it.
    package let sku: String
    /// Opaque; what the scanner reads.
    package let barcode: String
    /// The text on screen and receipt.
    package let name: String
    /// Promotions may be limited to it; empty: none.
    package let department: String
    /// Minor units per one whole unit, tax included.
    package let priceMinor: Int64
    /// ISO 4217.
    package let currency: String
    /// Tax included in the price, in hundredths of a percent.
    package let taxBasisPoints: Int64
    /// `each` where the feed does not name one.
    package let unit: Unit
    /// Nil: not counted.
    package let stockMilli: Int64?
    /// The price is entered with each sale, and ``priceMinor`` is not what it costs.
    package let openPrice: Bool
    /// Further barcodes of the same article, without ``barcode``; the scanner reads them as well.
    package let furtherBarcodes: [String]

    /// ``barcode`` and ``furtherBarcodes``.
    package var barcodes: [String] { [barcode] + furtherBarcodes }

    /// Makes a record without a check of ranges; a nil `stockMilli` means that stock is not counted. Its
    /// price is fixed unless `openPrice` says otherwise.
    package init(
        sku: String, barcode: String, name: String, department: String, priceMinor: Int64, currency: String,
        taxBasisPoints: Int64, unit: Unit, stockMilli: Int64?, openPrice: Bool = false,
        furtherBarcodes: [String] = []
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
        self.openPrice = openPrice
        self.furtherBarcodes = furtherBarcodes
    }

    /// The same article at another price.
    package func priced(at priceMinor: Int64) -> ProductRecord {
        ProductRecord(
            sku: sku, barcode: barcode, name: name, department: department, priceMinor: priceMinor,
            currency: currency, taxBasisPoints: taxBasisPoints, unit: unit, stockMilli: stockMilli,
            openPrice: openPrice, furtherBarcodes: furtherBarcodes)
    }

    /// Reads the value of a `product`, whose name is cut at ``TextBound/title`` bytes;
    /// `department`, `unit` and `openPrice` may be missing. Throws ``ShapeError`` for a price or tax rate out
    /// of range.
    package init(json: JSONValue) throws(ShapeError) {
        sku = try json.requiredString("sku")
        barcode = try json.requiredString("barcode")
        name = TextBound.shown(try json.requiredString("name"))
        department = json["department"]?.string ?? ""
        priceMinor = try json.requiredInteger("priceMinor", in: 0...(1 << 53 - 1))
        currency = try json.requiredString("currency")
        taxBasisPoints = try json.requiredInteger("taxBasisPoints", in: 0...1_000_000)
        guard let unit = Unit(rawValue: json["unit"]?.string ?? "each") else {
            throw ShapeError(path: "unit", expected: "each or milli")
        }
        self.unit = unit
        stockMilli = json["stockMilli"]?.integer
        openPrice = json["openPrice"]?.bool ?? false
        furtherBarcodes = (json["furtherBarcodes"]?.array ?? []).compactMap(\.string)
    }

    /// The value of a `product` in the feed; stock that is not counted is `null`. `openPrice` is left out of
    /// an article with a fixed price, so that it is the same document as in versions without it.
    package var json: JSONValue {
        var members: JSONObject = [
            "sku": .string(sku), "barcode": .string(barcode), "name": .string(name),
            "department": .string(department), "priceMinor": .integer(priceMinor),
            "currency": .string(currency), "taxBasisPoints": .integer(taxBasisPoints),
            "unit": .string(unit.rawValue), "stockMilli": JSONValue(stockMilli),
        ]
        if openPrice { members["openPrice"] = true }
        if !furtherBarcodes.isEmpty {
            members["furtherBarcodes"] = .array(furtherBarcodes.map(JSONValue.string))
        }
        return .object(members)
    }
}
