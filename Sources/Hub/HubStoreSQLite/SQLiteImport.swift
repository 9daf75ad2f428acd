internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol
internal import HubStore

/// Writes an import so that pushes wait for it as briefly as can be: articles are laid ready in a table of
/// the writing connection's own, a portion at a time between the pushes, and then moved into the catalogue
/// and the feed by one transaction of few statements.
enum SQLiteImport {
    /// Makes an empty table for the articles; what an import that failed had left there goes.
    static func begin(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TEMP TABLE IF NOT EXISTS imported (
                    place INTEGER PRIMARY KEY, sku TEXT NOT NULL, barcode TEXT NOT NULL, record TEXT NOT NULL,
                    price INTEGER NOT NULL, currency TEXT NOT NULL, stock_milli INTEGER, hlc TEXT NOT NULL,
                    version INTEGER NOT NULL);
                CREATE TEMP TABLE IF NOT EXISTS freed (sku TEXT PRIMARY KEY) WITHOUT ROWID;
                """)
        try end(in: db)
    }

    static func end(in db: Database) throws {
        try db.execute(sql: "DELETE FROM temp.imported; DELETE FROM temp.freed")
    }

    /// Adds articles to the temporary table, after those before them.
    static func lay(_ articles: [DatedArticle], in db: Database) throws {
        let statement = try DirectStatement(
            """
            INSERT INTO temp.imported (sku, barcode, record, price, currency, stock_milli, hlc, version)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1 + COALESCE((SELECT version FROM changes
                WHERE entity = 'product' AND entity_id = ?1 AND store_id = ''), 0))
            """, in: db)
        for dated in articles {
            let product = dated.article.product
            try statement.run { row in
                row.add(product.sku)
                row.add(product.barcode)
                row.add(dated.article.record)
                row.add(product.priceMinor)
                row.add(product.currency)
                row.add(product.stockMilli)
                row.add(dated.hlc.description)
            }
        }
    }

    /// Adds the articles whose barcodes are removed first.
    static func lay(freed skus: [String], in db: Database) throws {
        let statement = try DirectStatement("INSERT INTO temp.freed (sku) VALUES (?)", in: db)
        for sku in skus { try statement.run { $0.add(sku) } }
    }

    /// Moves the temporary table into the catalogue and to the feed's end.
    static func take(in db: Database) throws {
        try db.run(
            "UPDATE products SET barcode = char(0) || sku WHERE sku IN (SELECT sku FROM temp.freed)", [])
        try db.run("DELETE FROM product_barcodes WHERE sku IN (SELECT sku FROM temp.freed)", [])
        try db.run(
            """
            INSERT OR IGNORE INTO product_barcodes (barcode, sku)
            SELECT further.value, imported.sku FROM temp.imported, json_each(record, '$.furtherBarcodes') AS further
            WHERE instr(record, '"furtherBarcodes":') > 0
            """, [])
        try db.run(
            """
            INSERT INTO products (sku, barcode, record, price, currency, stock_milli)
            SELECT sku, barcode, record, price, currency, stock_milli FROM temp.imported
            WHERE true ORDER BY sku
            ON CONFLICT (sku) DO UPDATE SET barcode = excluded.barcode, record = excluded.record,
                price = excluded.price, currency = excluded.currency,
                sold_milli = iif(stock_milli IS excluded.stock_milli, sold_milli, 0),
                stock_milli = excluded.stock_milli
            """, [])
        try db.run(
            """
            INSERT OR REPLACE INTO changes (entity, entity_id, store_id, version, hlc, value)
            SELECT 'product', sku, '', version, hlc, record FROM temp.imported ORDER BY place
            """, [])
        try end(in: db)
    }

    /// Takes articles out of the catalogue and leaves their tombstones at the feed's end.
    static func withdraw(_ skus: [String], at now: Int64, in db: Database) throws {
        guard !skus.isEmpty else { return }
        let intake = SQLiteIntake(db: db)
        var clock = try intake.clock()
        for sku in skus {
            clock.tick(now: now)
            try db.run("DELETE FROM products WHERE sku = ?", [sku])
            try db.publish(PublishedChange(withdrawnProduct: sku, at: now, hlc: clock))
        }
        try intake.save(clock)
    }
}

/// The queries of an import: each row is found by an index.
struct SQLiteCatalogue: CatalogueReading {
    let db: Database

    func currency() throws -> String? {
        try DirectStatement("SELECT currency FROM products LIMIT 1", in: db).first { $0.text(0) }
    }

    func known(_ skus: [String]) throws -> [String: KnownArticle] {
        let statement = try DirectStatement("SELECT barcode, record FROM products WHERE sku = ?", in: db)
        var known: [String: KnownArticle] = [:]
        for sku in skus {
            known[sku] = try statement.first({ $0.add(sku) }) { row in
                KnownArticle(barcode: row.text(0), record: row.text(1))
            }
        }
        return known
    }

    func owners(of barcodes: [String]) throws -> [String: String] {
        let statement = try DirectStatement(
            """
            SELECT sku FROM products WHERE barcode = ?1
            UNION ALL SELECT sku FROM product_barcodes WHERE barcode = ?1
            """, in: db)
        var owners: [String: String] = [:]
        for barcode in barcodes {
            owners[barcode] = try statement.first({ $0.add(barcode) }) { $0.text(0) }
        }
        return owners
    }
}
