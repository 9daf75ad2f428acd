internal import GRDB

extension SQLiteSchema {
    /// The tables of ``SQLiteLedger``. Times are milliseconds since 1970, amounts minor units.
    static let ledger = SQLiteSchema(steps: [
        """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO meta VALUES ('feed', lower(hex(randomblob(8)))), ('clock', '0000000000000-000000');

        CREATE TABLE terminals (
            id TEXT PRIMARY KEY, store_id TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
            public_key TEXT NOT NULL, enrolled_at INTEGER NOT NULL, revoked_at INTEGER,
            token_expires_at INTEGER NOT NULL,
            UNIQUE (store_id, number));
        CREATE TABLE enrolment_codes (
            digest TEXT PRIMARY KEY, store_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
            terminal_id TEXT) WITHOUT ROWID;
        CREATE TABLE telemetry (
            terminal_id TEXT PRIMARY KEY, received_at INTEGER NOT NULL, document TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE operators (
            name TEXT PRIMARY KEY, token_digest TEXT NOT NULL UNIQUE, added_at INTEGER NOT NULL) WITHOUT ROWID;

        -- One epoch of one terminal's journal; a result occupies a sequence in `journal`.
        CREATE TABLE epochs (
            terminal_id TEXT NOT NULL, epoch INTEGER NOT NULL, first_sequence INTEGER NOT NULL,
            acknowledged_through INTEGER NOT NULL, highest INTEGER NOT NULL,
            PRIMARY KEY (terminal_id, epoch)) WITHOUT ROWID;
        CREATE TABLE journal (
            terminal_id TEXT NOT NULL, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL,
            mutation_id TEXT NOT NULL,
            PRIMARY KEY (terminal_id, epoch, sequence)) WITHOUT ROWID;
        -- The idempotency key with its effect's answer: one row, once and for all.
        CREATE TABLE mutations (
            id TEXT PRIMARY KEY, terminal_id TEXT NOT NULL, sequence INTEGER NOT NULL, type TEXT NOT NULL,
            digest TEXT NOT NULL, hash TEXT NOT NULL, previous_hash TEXT NOT NULL,
            outcome TEXT NOT NULL, result TEXT NOT NULL, document TEXT NOT NULL, supersedes TEXT,
            discarded_by TEXT, hlc TEXT NOT NULL, received_at INTEGER NOT NULL);
        CREATE INDEX mutations_by_terminal ON mutations (terminal_id, outcome);
        CREATE INDEX mutations_by_superseded ON mutations (supersedes) WHERE supersedes IS NOT NULL;
        CREATE TABLE orders (
            mutation_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, order_number TEXT NOT NULL,
            store_id TEXT NOT NULL, terminal_id TEXT NOT NULL, total INTEGER NOT NULL,
            currency TEXT NOT NULL, voided_by TEXT) WITHOUT ROWID;
        CREATE INDEX orders_by_number ON orders (order_number);
        CREATE INDEX orders_by_id ON orders (order_id);
        CREATE INDEX orders_by_terminal ON orders (terminal_id);
        CREATE TABLE alarms (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, terminal_id TEXT NOT NULL, mutation_id TEXT,
            raised_at INTEGER NOT NULL);

        CREATE TABLE products (
            sku TEXT PRIMARY KEY, barcode TEXT NOT NULL UNIQUE, record TEXT NOT NULL,
            price INTEGER NOT NULL, currency TEXT NOT NULL, stock_milli INTEGER,
            sold_milli INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
        -- One row per entity, moved to a new position with every change. No store: for all of them.
        CREATE TABLE changes (
            position INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, entity_id TEXT NOT NULL,
            store_id TEXT NOT NULL, version INTEGER NOT NULL, deleted_at INTEGER, hlc TEXT NOT NULL,
            origin TEXT, value TEXT,
            UNIQUE (entity, entity_id, store_id));

        CREATE TABLE payments (
            key TEXT PRIMARY KEY, terminal_id TEXT NOT NULL, order_id TEXT, state TEXT NOT NULL,
            amount INTEGER NOT NULL, currency TEXT NOT NULL, approval_code TEXT, decline_reason TEXT,
            decided_at INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        -- `received` bytes lie in the pieces, from the first one on; whole once their digest was found right.
        CREATE TABLE attachments (
            terminal_id TEXT NOT NULL, id TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
            content_type TEXT NOT NULL, urgent INTEGER NOT NULL, received INTEGER NOT NULL,
            opened_at INTEGER NOT NULL, whole_at INTEGER,
            PRIMARY KEY (terminal_id, id)) WITHOUT ROWID;
        CREATE TABLE attachment_pieces (
            terminal_id TEXT NOT NULL, attachment_id TEXT NOT NULL, first_byte INTEGER NOT NULL,
            bytes BLOB NOT NULL);
        CREATE UNIQUE INDEX attachment_pieces_in_order
            ON attachment_pieces (terminal_id, attachment_id, first_byte);

        -- By version of the terminal's program; reports kept without a version are of no later use.
        DROP TABLE telemetry;
        CREATE TABLE telemetry (
            terminal_id TEXT NOT NULL, app_version TEXT NOT NULL, received_at INTEGER NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (terminal_id, app_version)) WITHOUT ROWID;
        """,
        """
        -- Through which sequence the terminal reported results, and how far responses were dropped since.
        ALTER TABLE epochs ADD COLUMN low_sequence INTEGER;
        ALTER TABLE epochs ADD COLUMN dropped_through INTEGER NOT NULL DEFAULT 0;
        -- What was given back of a sale; `quantities` by sku, as JSON.
        CREATE TABLE refunds (
            mutation_id TEXT PRIMARY KEY, refund_id TEXT NOT NULL, order_id TEXT NOT NULL,
            total INTEGER NOT NULL, quantities TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX refunds_by_order ON refunds (order_id);
        """,
        """
        -- An order is there once. Where an older hub let one in again, the later ones are counted from 1.
        ALTER TABLE orders ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;
        UPDATE orders SET repeats = counted.earlier FROM (
            SELECT mutation_id, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY mutation_id) - 1 AS earlier
            FROM orders) AS counted
            WHERE counted.mutation_id = orders.mutation_id AND counted.earlier > 0;
        DROP INDEX orders_by_id;
        CREATE UNIQUE INDEX orders_by_id ON orders (order_id, repeats);
        -- What a person gave up, also before it ever arrived here.
        CREATE TABLE discards (mutation_id TEXT PRIMARY KEY, discarded_by TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO discards SELECT id, discarded_by FROM mutations WHERE discarded_by IS NOT NULL;
        """,
        """
        -- What an entity is looked up by: the digits of a member's phone.
        ALTER TABLE changes ADD COLUMN lookup TEXT;
        UPDATE changes SET lookup = (
            WITH RECURSIVE read (digits, rest) AS (
                SELECT '', json_extract(changes.value, '$.phone')
                UNION ALL
                SELECT digits || iif(substr(rest, 1, 1) BETWEEN '0' AND '9', substr(rest, 1, 1), ''),
                    substr(rest, 2)
                FROM read WHERE rest <> '')
            SELECT nullif(digits, '') FROM read WHERE rest = '')
            WHERE entity = 'member'
                AND CASE WHEN json_valid(value) THEN json_type(value, '$.phone') END = 'text';
        CREATE INDEX changes_by_lookup ON changes (lookup, entity_id) WHERE lookup IS NOT NULL;
        """,
        """
        -- Step 6 is not released yet: statements may be added here.
        -- A terminal that came back after a restore waits for an operator; a renewal's date counts once.
        ALTER TABLE terminals ADD COLUMN unconfirmed_since INTEGER;
        ALTER TABLE terminals ADD COLUMN renewal_date INTEGER;
        ALTER TABLE enrolment_codes ADD COLUMN revoked_at INTEGER;
        -- The highest number that a store gave or saw in a token.
        CREATE TABLE terminal_numbers (
            store_id TEXT PRIMARY KEY, highest INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO terminal_numbers SELECT store_id, MAX(number) FROM terminals GROUP BY store_id;
        -- Operators of before could do everything, and their tokens never ended: so they stay.
        ALTER TABLE operators ADD COLUMN role TEXT NOT NULL DEFAULT 'manager';
        ALTER TABLE operators ADD COLUMN token_expires_at INTEGER;
        ALTER TABLE operators ADD COLUMN login_code_digest TEXT;
        ALTER TABLE operators ADD COLUMN password_hash TEXT;

        -- An alarm that a terminal raises again on the same day (UTC, counted from 1970) is counted.
        ALTER TABLE alarms RENAME TO repeated_alarms;
        CREATE TABLE alarms (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, terminal_id TEXT NOT NULL, day INTEGER NOT NULL,
            mutation_id TEXT, detail TEXT, raised_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
            count INTEGER NOT NULL,
            UNIQUE (kind, terminal_id, day));
        INSERT INTO alarms SELECT MIN(id), kind, terminal_id, raised_at / 86400000, MIN(mutation_id), NULL,
            MIN(raised_at), MAX(raised_at), COUNT(*)
            FROM repeated_alarms GROUP BY kind, terminal_id, raised_at / 86400000;
        DROP TABLE repeated_alarms;

        -- The highest signed head of each epoch as it came, and those whose entries have not arrived.
        CREATE TABLE heads (
            terminal_id TEXT NOT NULL, epoch INTEGER NOT NULL, head TEXT NOT NULL, seen_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            PRIMARY KEY (terminal_id, epoch)) WITHOUT ROWID;
        -- Since when a member has the phone that it is looked up by; empty for what the hub imported, NULL
        -- for what is older than this column.
        ALTER TABLE changes ADD COLUMN lookup_since TEXT;
        -- Coupons are looked up by their normal form; of codes in ASCII that is this.
        UPDATE changes SET lookup = upper(replace(entity_id, ' ', '')) WHERE entity = 'coupon';
        -- How often a terminal looked members up, by the day (UTC, counted from 1970).
        CREATE TABLE member_reads (
            terminal_id TEXT NOT NULL, day INTEGER NOT NULL, reads INTEGER NOT NULL,
            PRIMARY KEY (terminal_id, day)) WITHOUT ROWID;
        -- The secrets of the digests that a store's terminals look coupons and phones up by.
        CREATE TABLE store_keys (
            store_id TEXT PRIMARY KEY, coupon_key TEXT NOT NULL, phone_key TEXT NOT NULL) WITHOUT ROWID;
        -- 0: a number that is not the terminal's own or not a possible one; it counts as used for nobody.
        ALTER TABLE orders ADD COLUMN number_counts INTEGER NOT NULL DEFAULT 1;
        -- A mutation is given up for the terminal that gave it up.
        ALTER TABLE discards RENAME TO earlier_discards;
        CREATE TABLE discards (
            mutation_id TEXT NOT NULL, terminal_id TEXT NOT NULL, discarded_by TEXT NOT NULL,
            PRIMARY KEY (mutation_id, terminal_id)) WITHOUT ROWID;
        INSERT INTO discards SELECT d.mutation_id, COALESCE(
                (SELECT terminal_id FROM mutations m WHERE m.id = d.discarded_by),
                (SELECT terminal_id FROM mutations m WHERE m.id = d.mutation_id), ''), d.discarded_by
            FROM earlier_discards d;
        DROP TABLE earlier_discards;
        -- What a terminal left here on a day, counted from 1970 in UTC.
        CREATE TABLE terminal_usage (
            day INTEGER NOT NULL, terminal_id TEXT NOT NULL, mutations INTEGER NOT NULL, bytes INTEGER NOT NULL,
            attachments INTEGER NOT NULL, points INTEGER NOT NULL,
            PRIMARY KEY (day, terminal_id)) WITHOUT ROWID;
        -- Whether a mutation names it. Those of before count as named, since nobody kept it.
        ALTER TABLE attachments ADD COLUMN is_named INTEGER NOT NULL DEFAULT 0;
        UPDATE attachments SET is_named = 1 WHERE whole_at IS NOT NULL;
        -- Files of dead terminals that were ingested, and why one without a signature was.
        CREATE TABLE ingests (
            terminal_id TEXT NOT NULL, ingested_at INTEGER NOT NULL, entries INTEGER NOT NULL,
            signed INTEGER NOT NULL, reason TEXT,
            PRIMARY KEY (terminal_id, ingested_at)) WITHOUT ROWID;
        -- What the check of whether the store takes writes wrote last.
        CREATE TABLE write_checks (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
        """,
        """
        -- The number on the receipt, of a refund that names its sale by that; the sale may arrive later, and
        -- until then the refund's own currency is the only one that is known.
        ALTER TABLE refunds ADD COLUMN order_number TEXT;
        ALTER TABLE refunds ADD COLUMN currency TEXT;
        CREATE INDEX refunds_by_number ON refunds (order_number) WHERE order_number IS NOT NULL;
        """,
        """
        -- Further barcodes of articles, beside the main one in products.
        CREATE TABLE product_barcodes (barcode TEXT PRIMARY KEY, sku TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX product_barcodes_by_sku ON product_barcodes (sku);
        """,
        """
        -- The read model of sales: what each accepted sale, void and refund adds to the figures. The column
        -- parts has the same amounts by product, tender and tax, as JSON.
        CREATE TABLE sales (
            mutation_id TEXT PRIMARY KEY, kind TEXT NOT NULL, order_id TEXT NOT NULL, day TEXT NOT NULL,
            store_id TEXT NOT NULL, terminal_id TEXT NOT NULL, cashier_id TEXT, currency TEXT,
            orders INTEGER NOT NULL, gross INTEGER NOT NULL, discounts INTEGER NOT NULL,
            refunds INTEGER NOT NULL, tax INTEGER NOT NULL, parts TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX sales_by_day ON sales (day, mutation_id);
        -- The flags of accepted mutations, which stay when responses are dropped.
        CREATE TABLE flags (
            mutation_id TEXT NOT NULL, flag TEXT NOT NULL, terminal_id TEXT NOT NULL,
            received_at INTEGER NOT NULL,
            PRIMARY KEY (mutation_id, flag)) WITHOUT ROWID;
        INSERT OR IGNORE INTO flags SELECT m.id, f.value, m.terminal_id, m.received_at FROM mutations m,
            json_each(CASE WHEN json_valid(m.result) THEN m.result ELSE '{}' END, '$.flags') f
            WHERE m.outcome = 'applied';
        -- What was refused and why, which stays too; and what a person decided about it at the hub.
        CREATE TABLE refusals (
            mutation_id TEXT PRIMARY KEY, terminal_id TEXT NOT NULL, received_at INTEGER NOT NULL,
            result TEXT NOT NULL, resolved_at INTEGER, resolved_by TEXT, kept TEXT, reason TEXT) WITHOUT ROWID;
        INSERT INTO refusals (mutation_id, terminal_id, received_at, result)
            SELECT id, terminal_id, received_at, result FROM mutations WHERE outcome <> 'applied';
        -- Who looked at an alarm; one that is raised again after that is open again.
        ALTER TABLE alarms ADD COLUMN acknowledged_at INTEGER;
        ALTER TABLE alarms ADD COLUMN acknowledged_by TEXT;
        ALTER TABLE alarms ADD COLUMN note TEXT;
        """,
        """
        -- What operators did, each entry with the hash of the one before it.
        CREATE TABLE operator_log (
            sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
            action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, outcome TEXT NOT NULL,
            previous_hash TEXT NOT NULL, hash TEXT NOT NULL);
        -- The dashboard reads what came in since its last look.
        CREATE INDEX telemetry_by_time ON telemetry (received_at);
        """,
        """
        -- What went back of a payment; the sealed token of a stored one, until it is forwarded.
        ALTER TABLE payments ADD COLUMN refunded INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE payments ADD COLUMN token TEXT;
        ALTER TABLE payments ADD COLUMN token_key TEXT;
        ALTER TABLE payments ADD COLUMN stored_at INTEGER;
        CREATE INDEX payments_undecided ON payments (stored_at, key)
            WHERE state IN ('unknown', 'storedOffline');
        CREATE INDEX payments_debts ON payments (decided_at, key) WHERE state = 'forwardDeclined';
        -- What the payment service has to get; a row goes when it has.
        CREATE TABLE payment_calls (
            id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, kind TEXT NOT NULL,
            call_key TEXT NOT NULL UNIQUE, amount INTEGER NOT NULL, currency TEXT NOT NULL);
        """,
        """
        -- What terminals were lent, and how far the feed was looked through for what they are lent in advance.
        CREATE TABLE leases (
            lease_id TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, terminal_id TEXT NOT NULL,
            store_id TEXT NOT NULL, epoch INTEGER NOT NULL, brief INTEGER NOT NULL, amount INTEGER NOT NULL,
            used INTEGER NOT NULL, expires_at INTEGER NOT NULL, version INTEGER NOT NULL,
            issued_at INTEGER NOT NULL, state TEXT NOT NULL, ended_at INTEGER, ended_by TEXT,
            reason TEXT) WITHOUT ROWID;
        CREATE INDEX leases_by_subject ON leases (kind, subject) WHERE state = 'open';
        CREATE INDEX leases_by_terminal ON leases (terminal_id, expires_at) WHERE state = 'open';
        CREATE TABLE lease_scans (
            terminal_id TEXT PRIMARY KEY, form TEXT NOT NULL, position INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        -- Shifts as their terminals opened and closed them, and what came of the comparison with the journal.
        CREATE TABLE shifts (
            terminal_id TEXT NOT NULL, shift_id TEXT NOT NULL, store_id TEXT NOT NULL, epoch INTEGER NOT NULL,
            state TEXT NOT NULL, business_day TEXT NOT NULL, currency TEXT NOT NULL,
            opened_at INTEGER NOT NULL, closed_at INTEGER, opening TEXT NOT NULL, closing TEXT, statements TEXT,
            differences TEXT, received_at INTEGER NOT NULL, settled_at INTEGER,
            PRIMARY KEY (terminal_id, shift_id)) WITHOUT ROWID;
        CREATE INDEX shifts_by_id ON shifts (shift_id, terminal_id);
        CREATE INDEX shifts_waiting ON shifts (terminal_id) WHERE state = 'provisional';
        """,
        """
        -- What others want of a lease and until when, and where its terminal's journal ended when it returned
        -- it.
        ALTER TABLE leases ADD COLUMN recalled INTEGER;
        ALTER TABLE leases ADD COLUMN recalled_until INTEGER;
        ALTER TABLE leases ADD COLUMN returned_through INTEGER;
        CREATE INDEX leases_owed ON leases (terminal_id)
            WHERE state = 'open' AND recalled > 0 AND returned_through IS NULL;
        """,
        """
        -- The entries that a closed shift names, and how many came behind them that name the shift.
        ALTER TABLE shifts ADD COLUMN first_sequence INTEGER;
        ALTER TABLE shifts ADD COLUMN last_sequence INTEGER;
        ALTER TABLE shifts ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;
        UPDATE shifts SET first_sequence = json_extract(closing, '$.sequence.from'),
            last_sequence = json_extract(closing, '$.sequence.to') WHERE closing IS NOT NULL;
        CREATE INDEX shifts_by_range ON shifts (terminal_id, epoch, last_sequence);
        """,
        """
        -- The shift of a stored payment; of a refused one what an operator noted when it was settled. The
        -- dashboard counts the disputed shifts at every look.
        ALTER TABLE payments ADD COLUMN shift_id TEXT;
        ALTER TABLE payments ADD COLUMN settled_at INTEGER;
        ALTER TABLE payments ADD COLUMN settled_by TEXT;
        ALTER TABLE payments ADD COLUMN settled_reason TEXT;
        CREATE INDEX payments_debts_of_shifts ON payments (shift_id) WHERE state = 'forwardDeclined';
        CREATE INDEX shifts_disputed ON shifts (shift_id, terminal_id) WHERE state = 'disputed';
        """,
        """
        -- Refunds and voids that terminals may make, until their mutations arrive; of a void the refund's id
        -- is the order's.
        CREATE TABLE refund_grants (
            terminal_id TEXT NOT NULL, refund_id TEXT NOT NULL, kind TEXT NOT NULL, order_id TEXT NOT NULL,
            total INTEGER NOT NULL, quantities TEXT NOT NULL, granted_at INTEGER NOT NULL,
            PRIMARY KEY (terminal_id, refund_id)) WITHOUT ROWID;
        CREATE INDEX refund_grants_by_order ON refund_grants (order_id);
        """,
        """
        -- The id of a mutation is its entry's key: where another device used an id first, the terminal's id
        -- stands behind it. By the ids that terminals minted.
        CREATE INDEX mutations_shared ON mutations (substr(id, 1, 26)) WHERE length(id) > 26;
        -- Likewise orders: the id that the terminal minted, where the key is another.
        ALTER TABLE orders ADD COLUMN minted_id TEXT;
        CREATE INDEX orders_by_minted ON orders (minted_id) WHERE minted_id IS NOT NULL;
        -- Where entries of a shift lie within another one's that was compared: the first and the last.
        CREATE TABLE shift_strays (
            terminal_id TEXT NOT NULL, shift_id TEXT NOT NULL, epoch INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL,
            PRIMARY KEY (terminal_id, shift_id, epoch)) WITHOUT ROWID;
        """,
        """
        -- What vouchers paid of sales, by their numbers in normal form; an amount of 0 went back to it.
        CREATE TABLE voucher_uses (
            method TEXT NOT NULL, number TEXT NOT NULL, order_id TEXT NOT NULL, amount INTEGER NOT NULL,
            PRIMARY KEY (method, number, order_id)) WITHOUT ROWID;
        """,
        """
        -- What terminals changed of members, for some weeks: `fields` is what each field was and became.
        ALTER TABLE terminal_usage ADD COLUMN points_adjusted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE terminal_usage ADD COLUMN member_changes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE terminal_usage ADD COLUMN new_members INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE member_changes (
            id INTEGER PRIMARY KEY, terminal_id TEXT NOT NULL, member_id TEXT NOT NULL, at INTEGER NOT NULL,
            is_new INTEGER NOT NULL, delta INTEGER NOT NULL, fields TEXT NOT NULL);
        CREATE INDEX member_changes_by_terminal ON member_changes (terminal_id, at);
        CREATE INDEX member_changes_by_age ON member_changes (at);
        """,
        """
        -- Terminals of a store with one value are one device: the key that it had first.
        ALTER TABLE terminals ADD COLUMN device TEXT;
        UPDATE terminals SET device = public_key;
        CREATE INDEX terminals_by_device ON terminals (store_id, device);
        """,
    ])
}

/// The steps that make a database's tables, counted by `user_version`. A step that was released never
/// changes.
struct SQLiteSchema: Sendable {
    /// SQL of each step, oldest first.
    let steps: [String]

    func version(of db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }

    /// Does the steps that the database lacks, each in a transaction of its own.
    func migrate(_ db: Database) throws {
        let found = try version(of: db)
        for (index, step) in steps.enumerated() where index >= found {
            try db.inTransaction(.immediate) {
                try db.execute(sql: step)
                try db.execute(sql: "PRAGMA user_version = \(index + 1)")
                return .commit
            }
        }
    }
}
