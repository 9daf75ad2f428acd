internal import HubCore
internal import HubProtocol

/// Takes one list of products in, within one transaction.
struct PostgresImport {
    private let products: [ProductRecord]
    private let now: Int64
    private let start: HybridLogicalClock
    private let connection: PostgresConnection

    /// - Parameter clock: the clock before the ticks that are set aside for this list, one a product.
    init(
        _ products: [ProductRecord], at now: Int64, from clock: HybridLogicalClock,
        on connection: PostgresConnection
    ) {
        start = clock
        self.products = products
        self.now = now
        self.connection = connection
    }

    func run() throws(PostgresError) -> ImportOutcome {
        if let objection = try objection() { return .refused(objection) }
        var records = try knownRecords()
        var clock = start
        var (new, changed, unchanged) = (0, 0, 0)
        try freeBarcodes()
        for product in products {
            let text = product.json.canonicalText
            let known = records.updateValue(text, forKey: product.sku)
            guard known != text else {
                unchanged += 1
                continue
            }
            if known == nil { new += 1 } else { changed += 1 }
            clock.tick(now: now)
            try connection.ask([keeping(product, text), publishing(product, clock)])
        }
        return .imported(new: new, changed: changed, unchanged: unchanged)
    }

    private func knownRecords() throws(PostgresError) -> [String: String] {
        var records: [String: String] = [:]
        let rows = try connection.ask(
            "SELECT sku, record FROM products WHERE sku = ANY($1::text[])", [.texts(products.map(\.sku))]
        ).rows
        for row in rows { records[try row.text(0)] = try row.text(1) }
        return records
    }

    /// What speaks against the list as a whole, found before anything is changed.
    private func objection() throws(PostgresError) -> String? {
        let skus = PostgresValue.texts(products.map(\.sku))
        let owners = try connection.ask(
            "SELECT barcode, sku FROM products WHERE barcode = ANY($1::text[]) AND sku <> ALL($2::text[])",
            [.texts(products.map(\.barcode)), skus])
        if let owner = owners.first {
            return "the barcode \"\(try owner.text(0))\" belongs to the sku \"\(try owner.text(1))\""
        }
        if let objection = objectionToBarcodes() { return objection }
        return try objectionToCurrencies()
    }

    private func objectionToBarcodes() -> String? {
        var owners: [String: String] = [:]
        for product in products {
            let owner = owners.updateValue(product.sku, forKey: product.barcode)
            if let owner, owner != product.sku {
                return "the barcode \"\(product.barcode)\" belongs to the sku \"\(owner)\""
            }
        }
        return nil
    }

    private func objectionToCurrencies() throws(PostgresError) -> String? {
        let wanted = Dictionary(products.map { ($0.currency, $0.sku) }) { first, _ in first }
        let present = try connection.ask("SELECT DISTINCT currency FROM products").rows
        var currencies: Set<String> = []
        for row in present { currencies.insert(try row.text(0)) }
        if currencies.isEmpty, let first = products.first { currencies.insert(first.currency) }
        guard let currency = currencies.first, let other = wanted.first(where: { $0.key != currency }) else {
            return nil
        }
        return "the catalogue is in \(currency), the sku \"\(other.value)\" in \(other.key)"
    }

    /// Takes the barcodes that change off their products first, so that two products can swap theirs.
    private func freeBarcodes() throws(PostgresError) {
        try connection.ask(
            "UPDATE products SET barcode = chr(1) || products.sku FROM unnest($1::text[], $2::text[]) "
                + "AS wanted (sku, barcode) WHERE products.sku = wanted.sku "
                + "AND products.barcode <> wanted.barcode",
            [.texts(products.map(\.sku)), .texts(products.map(\.barcode))])
    }

    private func keeping(_ product: ProductRecord, _ text: String) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO products (sku, barcode, record, price, currency, stock_milli) "
                + "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sku) DO UPDATE SET barcode = $2, record = $3, "
                + "price = $4, currency = $5, stock_milli = $6, sold_milli = CASE "
                + "WHEN products.stock_milli IS NOT DISTINCT FROM $6 THEN products.sold_milli ELSE 0 END",
            [
                .text(product.sku), .text(product.barcode), .text(text), .integer(product.priceMinor),
                .text(product.currency), .integer(product.stockMilli),
            ])
    }

    private func publishing(_ product: ProductRecord, _ clock: HybridLogicalClock) -> PostgresStatement {
        PublishedChange(
            entity: "product", entityId: product.sku, storeId: "", deletedAt: nil, hlc: clock, origin: nil,
            value: product.json
        ).statement
    }
}
