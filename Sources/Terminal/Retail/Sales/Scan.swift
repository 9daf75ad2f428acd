internal import HubProtocol

internal import Pricing

/// What a scanned code may mean when no article has it as its barcode.
struct Scan: Hashable, Sendable {
    /// What the code says beside the article.
    enum Content: Hashable, Sendable {
        case article
        /// Thousandths of a unit.
        case weightMilli(Int64)
        /// Minor units for all of the line.
        case priceMinor(Int64)
        /// As ``ElementString/price``: the article's currency decides the minor units.
        case price(ElementString)
    }

    /// Barcodes under which the catalogue may have the article, the likeliest first.
    let articles: [String]
    let content: Content

    /// The readings of `code` in the order in which they count: the code behind a symbology identifier, the
    /// store's rules, the other ways to write a GTIN, then an element string of GS1.
    static func readings(of scanned: String, rules: [BarcodeRule]) -> [Scan] {
        let plain = ElementString.plain(scanned)
        let code = plain ?? scanned
        let itself = plain.map { [Scan(articles: [$0], content: .article)] } ?? []
        let ruled = rules.compactMap { rule -> Scan? in
            guard let (articles, value) = rule.reading(of: code) else { return nil }
            switch value {
            case .weightMilli(let milli): return Scan(articles: articles, content: .weightMilli(milli))
            case .priceMinor(let minor): return Scan(articles: articles, content: .priceMinor(minor))
            }
        }
        let other = TradeItemCode(code).map { [Scan(articles: $0.forms, content: .article)] } ?? []
        guard let elements = ElementString(code) else { return itself + ruled + other }
        let content: Content =
            elements.price != nil
            ? .price(elements) : elements.weightMilli.map(Content.weightMilli) ?? .article
        return itself + ruled + other + [Scan(articles: elements.articles, content: content)]
    }

    /// Why `code`, which no article has, cannot be read although it has the form of a rule or of GS1; nil: it
    /// has neither form, or it can be read.
    static func fault(in code: String, rules: [BarcodeRule]) -> BarcodeFault? {
        let plain = ElementString.plain(code) ?? code
        return rules.lazy.compactMap { $0.fault(in: plain) }.first ?? ElementString.fault(in: code)
    }
}

/// An article that was scanned, with what its code says of the line.
struct ScannedProduct: Hashable, Sendable {
    let product: Product
    /// Thousandths of a unit of one scan; nil: the code has none.
    var quantityMilli: Int64?
    /// Minor units of one scan, to be kept to the cent; nil: the code has none.
    var price: Int64?
    /// The catalogue does not have it: ``product`` stands for a department.
    var isOpenItem = false

    /// The barcode itself is in the catalogue.
    init(_ product: Product) {
        self.product = product
    }

    /// `product` stands for a department.
    init(openItem product: Product) {
        self.product = product
        isOpenItem = true
    }

    /// - Returns: nil when the amount in the code is none of the article's currency.
    init?(_ product: Product, _ content: Scan.Content) {
        self.product = product
        switch content {
        case .article: break
        case .weightMilli(let milli): quantityMilli = milli
        case .priceMinor(let minor): price = minor
        case .price(let elements):
            guard let minor = elements.priceMinor(decimals: AmountText.decimals(of: product.currency)) else {
                return nil
            }
            price = minor
        }
    }

    /// Whether a line of it needs an entered quantity: goods by weight whose code says neither weight nor
    /// price. A default of one unit would sell a kilogram of what nobody weighed.
    var needsQuantity: Bool { product.isDivisible && !isOpenItem && quantityMilli == nil && price == nil }

    /// The line as it is priced: its quantity, the price of a unit and what is taken off, so that the price
    /// in a code is kept to the cent.
    ///
    /// The weight behind a price is the least one that costs no less; what it costs more is taken off. So
    /// the unit's price is the catalogue's, and the stock loses what was sold.
    ///
    /// - Parameter scanned: thousandths of a unit as entered, of a code with a weight or price the number of
    ///   scans.
    func entered(_ scanned: Int64, unitPrice: Int64?, discount: Int64) throws(PricingError) -> Entered {
        if let quantityMilli {
            return Entered(
                quantityMilli: try MoneyRange.share(of: quantityMilli, times: scanned, over: 1000),
                unitPrice: unitPrice ?? product.price, discount: discount)
        }
        guard let price, unitPrice == nil else {
            return Entered(
                quantityMilli: scanned, unitPrice: unitPrice ?? product.price, discount: discount)
        }
        guard product.isDivisible, product.price > 0, !product.hasOpenPrice else {
            return Entered(quantityMilli: scanned, unitPrice: price, discount: discount)
        }
        let total = try MoneyRange.share(of: price, times: scanned, over: 1000)
        let (thousandths, overflow) = total.multipliedReportingOverflow(by: 1000)
        guard !overflow else { throw .overflow }
        let quantity = thousandths / product.price + (thousandths % product.price == 0 ? 0 : 1)
        let gross = try MoneyRange.share(of: product.price, times: quantity, over: 1000)
        return Entered(
            quantityMilli: quantity, unitPrice: product.price, discount: gross - total + discount,
            labelRounding: gross - total)
    }

    /// A line to be priced.
    struct Entered: Hashable, Sendable {
        /// Thousandths of a unit.
        let quantityMilli: Int64
        /// Minor units.
        let unitPrice: Int64
        /// Minor units, ``labelRounding`` included.
        let discount: Int64
        /// What of ``discount`` keeps a label's price, see ``LabelRounding``.
        var labelRounding: Int64 = 0
    }
}
