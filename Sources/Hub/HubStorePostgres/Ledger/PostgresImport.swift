internal import HubCore
internal import HubProtocol
internal import HubStore

/// An import's queries and orders as SQL, each one statement however many articles it names.
struct PostgresImport: CatalogueReading {
    private let connection: PostgresConnection

    /// - Parameter connection: one whose transaction has begun.
    init(on connection: PostgresConnection) throws(PostgresError) {
        self.connection = connection
        // A plan is made for the lists of this import: one that was kept from a small catalogue would read a
        // large one whole for each article.
        try connection.query("SET LOCAL plan_cache_mode = force_custom_plan")
    }

    func currency() throws(PostgresError) -> String? {
        try connection.query("SELECT currency FROM products LIMIT 1").first?.optionalText(0)
    }

    func known(_ skus: [String]) throws(PostgresError) -> [String: KnownArticle] {
        let rows = try connection.query(
            "SELECT sku, barcode, record FROM products JOIN unnest($1::text[]) AS wanted (sku) USING (sku)",
            [.texts(skus)]
        ).rows
        var known: [String: KnownArticle] = [:]
        for row in rows {
            known[try row.text("sku")] = KnownArticle(
                barcode: try row.text("barcode"), record: try row.text("record"))
        }
        return known
    }

    func owners(of barcodes: [String]) throws(PostgresError) -> [String: String] {
        let rows = try connection.query(
            "SELECT barcode, sku FROM products JOIN unnest($1::text[]) AS wanted (barcode) USING (barcode) "
                + "UNION ALL SELECT barcode, sku FROM product_barcodes "
                + "JOIN unnest($1::text[]) AS wanted (barcode) USING (barcode)",
            [.texts(barcodes)]
        ).rows
        var owners: [String: String] = [:]
        for row in rows { owners[try row.text("barcode")] = try row.text("sku") }
        return owners
    }

    /// Writes what a plan changes, in an order that lets articles swap their barcodes.
    func write(
        _ plan: ImportPlan, at now: Int64, from start: HybridLogicalClock
    ) throws(PostgresError) {
        var clock = start
        for portion in plan.freed.portions(of: Self.portion) { try free(barcodesOf: Array(portion)) }
        for portion in plan.written.portions(of: Self.portion) {
            try keep(DatedArticle.all(Array(portion), at: now, from: &clock))
        }
        for portion in plan.withdrawn.portions(of: Self.portion) {
            let tombstones = portion.map { sku in
                clock.tick(now: now)
                return PublishedChange(withdrawnProduct: sku, at: now, hlc: clock)
            }
            try connection.query([
                PostgresStatement(
                    "DELETE FROM products WHERE sku = ANY($1::text[])", [.texts(Array(portion))]),
                PublishedChange.statement(for: tombstones),
            ])
        }
    }

    /// Articles of one statement.
    private static let portion = 2_000

    private func free(barcodesOf skus: [String]) throws(PostgresError) {
        try connection.query(
            "UPDATE products SET barcode = chr(1) || products.sku FROM unnest($1::text[]) AS wanted (sku) "
                + "WHERE products.sku = wanted.sku", [.texts(skus)])
        try connection.query("DELETE FROM product_barcodes WHERE sku = ANY($1::text[])", [.texts(skus)])
    }

    private func keep(_ articles: [DatedArticle]) throws(PostgresError) {
        let further = articles.map(\.article.product).flatMap { product in
            product.furtherBarcodes.map { (barcode: $0, sku: product.sku) }
        }
        if !further.isEmpty {
            try connection.query(
                "INSERT INTO product_barcodes (barcode, sku) SELECT * FROM unnest($1::text[], $2::text[]) "
                    + "ON CONFLICT DO NOTHING", [.texts(further.map(\.barcode)), .texts(further.map(\.sku))])
        }
        try connection.query([
            Self.keeping(articles.map(\.article)),
            PublishedChange.statement(for: articles.map { PublishedChange($0) }),
        ])
    }

    private static func keeping(_ articles: [ImportList.Article]) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO products (sku, barcode, record, price, currency, stock_milli) SELECT * FROM "
                + "unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[]) "
                + "ON CONFLICT (sku) DO UPDATE SET barcode = excluded.barcode, record = excluded.record, "
                + "price = excluded.price, currency = excluded.currency, stock_milli = excluded.stock_milli, "
                + "sold_milli = CASE WHEN products.stock_milli IS NOT DISTINCT FROM excluded.stock_milli "
                + "THEN products.sold_milli ELSE 0 END",
            [
                .texts(of: articles, \.product.sku), .texts(of: articles, \.product.barcode),
                .texts(of: articles, \.record), .integers(of: articles, \.product.priceMinor),
                .texts(of: articles, \.product.currency), .integers(of: articles, \.product.stockMilli),
            ])
    }
}
