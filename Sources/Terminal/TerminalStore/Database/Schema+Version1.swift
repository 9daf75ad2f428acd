extension Schema {
    /// The first schema, changed by ``version2``. Amounts are minor units, quantities thousandths, times Unix
    /// milliseconds.
    ///
    /// A sale's rows have the sequence of its journal entry as their key, so that they are appended and found
    /// in order.
    static let version1 = """
        CREATE TABLE terminal (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            terminal_id TEXT, store_id TEXT, terminal_number INTEGER,
            epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, hash TEXT NOT NULL, last_id TEXT NOT NULL,
            business_day INTEGER NOT NULL, order_counter INTEGER NOT NULL,
            acknowledged_through INTEGER NOT NULL,
            pending INTEGER NOT NULL, rejected INTEGER NOT NULL, conflicted INTEGER NOT NULL
        );
        INSERT INTO terminal VALUES (
            1, NULL, NULL, NULL, 1, 0, '\(String(repeating: "0", count: 64))',
            '00000000000000000000000000', 0, 0, 0, 0, 0, 0
        );
        CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        CREATE TABLE journal (
            sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, entity_id TEXT NOT NULL,
            lane TEXT NOT NULL, made_at INTEGER NOT NULL, hash TEXT NOT NULL, body BLOB NOT NULL,
            verdict TEXT, result TEXT
        );
        CREATE TABLE outbox (
            sequence INTEGER PRIMARY KEY REFERENCES journal, attempts INTEGER NOT NULL, problem TEXT
        );

        CREATE TABLE orders (
            sequence INTEGER PRIMARY KEY REFERENCES journal,
            order_id TEXT NOT NULL UNIQUE, sale_key TEXT NOT NULL UNIQUE, order_number TEXT NOT NULL UNIQUE,
            mode TEXT NOT NULL, made_at INTEGER NOT NULL, time_zone TEXT NOT NULL, currency TEXT NOT NULL,
            cashier_id TEXT, member_id TEXT, coupons TEXT NOT NULL,
            total INTEGER NOT NULL, tax INTEGER NOT NULL, cash_rounding INTEGER NOT NULL,
            change_given INTEGER NOT NULL, voided_at INTEGER, void_sequence INTEGER REFERENCES journal
        );
        CREATE TABLE order_lines (
            sequence INTEGER NOT NULL, line INTEGER NOT NULL, sku TEXT NOT NULL, barcode TEXT NOT NULL,
            name TEXT NOT NULL, quantity_milli INTEGER NOT NULL, unit_price INTEGER NOT NULL,
            discount INTEGER NOT NULL, discount_reason TEXT, tax_basis_points INTEGER NOT NULL,
            stock_delta_milli INTEGER NOT NULL, PRIMARY KEY (sequence, line)
        ) WITHOUT ROWID;
        CREATE TABLE order_payments (
            sequence INTEGER NOT NULL, position INTEGER NOT NULL, method TEXT NOT NULL, amount INTEGER NOT NULL,
            authorization_key TEXT, approval_code TEXT, PRIMARY KEY (sequence, position)
        ) WITHOUT ROWID;
        CREATE TABLE stock_returns (
            sequence INTEGER NOT NULL, position INTEGER NOT NULL, sku TEXT NOT NULL,
            delta_milli INTEGER NOT NULL, PRIMARY KEY (sequence, position)
        ) WITHOUT ROWID;

        CREATE TABLE card_intents (
            key TEXT PRIMARY KEY, order_id TEXT NOT NULL UNIQUE, sale_key TEXT NOT NULL,
            amount INTEGER NOT NULL, currency TEXT NOT NULL, opened_at INTEGER NOT NULL, state TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX card_intents_open ON card_intents (key) WHERE state = 'open';

        CREATE TABLE feed (
            id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL, cursor TEXT,
            next_generation INTEGER, next_cursor TEXT
        );
        INSERT INTO feed VALUES (1, 0, NULL, NULL, NULL);
        CREATE TABLE products (
            generation INTEGER NOT NULL, sku TEXT NOT NULL, barcode TEXT NOT NULL, name TEXT NOT NULL,
            department TEXT NOT NULL, price INTEGER NOT NULL, currency TEXT NOT NULL,
            tax_basis_points INTEGER NOT NULL, unit TEXT NOT NULL, stock_milli INTEGER,
            PRIMARY KEY (generation, sku)
        ) WITHOUT ROWID;
        CREATE INDEX products_barcode ON products (generation, barcode);
        CREATE TABLE feed_entities (
            generation INTEGER NOT NULL, entity TEXT NOT NULL, entity_id TEXT NOT NULL,
            version INTEGER NOT NULL, value TEXT, deleted_at TEXT, PRIMARY KEY (generation, entity, entity_id)
        ) WITHOUT ROWID;

        CREATE TABLE offline_periods (
            id INTEGER PRIMARY KEY, started_at INTEGER NOT NULL, ended_at INTEGER,
            causes TEXT NOT NULL, evidence TEXT NOT NULL,
            first_sequence INTEGER NOT NULL, last_sequence INTEGER
        );
        """
}
