internal import GRDB

/// The versions of the terminal's schema and the way from each to the next.
enum Schema {
    /// `PRAGMA application_id`: "HOLD".
    static let applicationId: Int64 = 0x484F_4C44
    /// The newest version of this build.
    static var current: Int64 { Int64(steps.count) }

    /// The SQL of each version, on top of the ones before it.
    static let steps = [
        version1, version2, version3, version4, version5, version6, version7, version8, version9,
        version10, version11, version12, version13, version14,
        version15, version16, version17, version18, version19, version20, version21,
        version22, version23,
    ]

    /// Brings the database up to ``current``, one transaction a version.
    static func migrate(_ database: Database) throws {
        var version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        while version < current {
            try database.inTransaction {
                try database.execute(sql: steps[Int(version)])
                try database.execute(sql: "PRAGMA user_version = \(version + 1)")
                try database.execute(sql: "PRAGMA application_id = \(applicationId)")
                return .commit
            }
            version += 1
        }
    }
}

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

    /// A sale in fewer pages: what the journal's entry contains is not written a second time.
    ///
    /// The outbox becomes an index over the entries that are not applied, an order becomes the key to its
    /// entry, and a line is kept only for the stock that it moves.
    static let version2 = """
        ALTER TABLE journal ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
        UPDATE journal SET
            attempts = (SELECT attempts FROM outbox WHERE outbox.sequence = journal.sequence),
            result = (SELECT problem FROM outbox WHERE outbox.sequence = journal.sequence)
        WHERE sequence IN (SELECT sequence FROM outbox);
        DROP TABLE outbox;
        ALTER TABLE journal DROP COLUMN entity_id;
        CREATE INDEX journal_unsettled ON journal (verdict)
            WHERE verdict IS NULL OR verdict IN ('rejected', 'conflicted');

        CREATE TABLE stock_moves (
            sequence INTEGER NOT NULL, line INTEGER NOT NULL, sku TEXT NOT NULL,
            delta_milli INTEGER NOT NULL, PRIMARY KEY (sequence, line)
        ) WITHOUT ROWID;
        INSERT INTO stock_moves
            SELECT sequence, line, sku, stock_delta_milli FROM order_lines WHERE stock_delta_milli <> 0;
        INSERT INTO stock_moves SELECT sequence, position, sku, delta_milli FROM stock_returns;
        DROP TABLE order_lines;
        DROP TABLE order_payments;
        DROP TABLE stock_returns;

        ALTER TABLE orders RENAME TO orders_of_version_1;
        CREATE TABLE orders (
            sequence INTEGER PRIMARY KEY REFERENCES journal,
            order_id TEXT NOT NULL UNIQUE, sale_key TEXT NOT NULL UNIQUE, order_number TEXT NOT NULL UNIQUE,
            mode TEXT NOT NULL, voided_at INTEGER, void_sequence INTEGER REFERENCES journal
        );
        INSERT INTO orders
            SELECT sequence, order_id, sale_key, order_number, mode, voided_at, void_sequence
            FROM orders_of_version_1;
        DROP TABLE orders_of_version_1;
        """

    /// A person's decision about a refusal, and the shift's notes.
    ///
    /// `settled_by` is the entry that settled a refused one: the edit that replaces it, or the entry that
    /// discards it. `revision` is the entry that an order is read from after an edit; NULL is its own.
    /// `origin` is the mutation that made the hub's version; `note_changes` has the changes made here that
    /// the hub's version does not contain yet.
    static let version3 = """
        ALTER TABLE journal ADD COLUMN settled_by INTEGER;
        ALTER TABLE orders ADD COLUMN revision INTEGER;

        ALTER TABLE feed_entities ADD COLUMN hlc TEXT;
        ALTER TABLE feed_entities ADD COLUMN origin TEXT;
        CREATE TABLE note_changes (
            note_id TEXT PRIMARY KEY, mutation_id TEXT NOT NULL, value TEXT, deleted_at TEXT
        ) WITHOUT ROWID;
        """

    /// Files that mutations carry; their bytes are in the data folder under the attachment's id.
    ///
    /// `whole_at` is when the hub had all bytes of one, in Unix milliseconds; while it is NULL, the mutations
    /// that name it are not sent.
    static let version4 = """
        CREATE TABLE attachments (
            id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
            name TEXT NOT NULL, urgent INTEGER NOT NULL, made_at INTEGER NOT NULL, whole_at INTEGER,
            problem TEXT
        ) WITHOUT ROWID;
        CREATE INDEX attachments_unfinished ON attachments (made_at, id) WHERE whole_at IS NULL;
        CREATE TABLE mutation_attachments (
            mutation_id TEXT NOT NULL, attachment_id TEXT NOT NULL,
            PRIMARY KEY (mutation_id, attachment_id)
        ) WITHOUT ROWID;
        CREATE INDEX mutation_attachments_by_attachment ON mutation_attachments (attachment_id);
        """

    /// Refunds are read by the ordering key of their sale; the index contains no other entry.
    static let version5 = """
        CREATE INDEX journal_refunds ON journal (lane) WHERE type = 'refund.completed';
        """

    /// Members are found by their telephone number: `lookup` has its digits, and NULL for everything else.
    static let version6 = """
        ALTER TABLE feed_entities ADD COLUMN lookup TEXT;
        UPDATE feed_entities SET lookup = (
            WITH RECURSIVE digits (rest, kept) AS (
                SELECT json_extract(value, '$.phone'), ''
                UNION ALL
                SELECT substr(rest, 2), kept || CASE WHEN substr(rest, 1, 1) BETWEEN '0' AND '9'
                    THEN substr(rest, 1, 1) ELSE '' END
                FROM digits WHERE rest <> ''
            )
            SELECT NULLIF(kept, '') FROM digits WHERE rest = ''
        ) WHERE entity = 'member' AND value IS NOT NULL;
        CREATE INDEX feed_entities_lookup ON feed_entities (generation, entity, lookup)
            WHERE lookup IS NOT NULL;
        """

    /// An entry's moves of counted stocks are in its row: a sale writes one page and some rows less.
    ///
    /// Moves belong to the entry that replaces their first one, however often it was edited.
    static let version7 = """
        ALTER TABLE journal ADD COLUMN stock_moves TEXT;
        WITH RECURSIVE carrier (origin, sequence) AS (
            SELECT DISTINCT sequence, sequence FROM stock_moves
            UNION
            SELECT origin, journal.settled_by FROM carrier JOIN journal USING (sequence)
            WHERE verdict = 'superseded' AND settled_by IS NOT NULL
        )
        UPDATE journal SET stock_moves = (
            SELECT json_group_array(json_array(line, sku, delta_milli))
            FROM carrier JOIN stock_moves AS moves ON moves.sequence = carrier.origin
            WHERE carrier.sequence = journal.sequence
        )
        WHERE verdict IS NOT 'superseded' AND sequence IN (SELECT sequence FROM carrier);
        DROP TABLE stock_moves;
        """

    /// Wrong PINs, the sign-in, and card sales that nobody has seen.
    static let version8 = """
        -- Wrong PINs in a row of each cashier at this terminal, with both clocks at the last one: Unix
        -- milliseconds, and milliseconds since the boot that is named beside them.
        CREATE TABLE failed_pins (
            cashier_id TEXT PRIMARY KEY, count INTEGER NOT NULL, wall INTEGER NOT NULL,
            boot INTEGER NOT NULL, boot_id TEXT NOT NULL
        ) WITHOUT ROWID;

        -- Who is signed in: one row or none, with both clocks at the last command of theirs. `verifier` is what
        -- the PIN was checked against; NULL: the hub checked it.
        CREATE TABLE sign_in (
            id INTEGER PRIMARY KEY CHECK (id = 1), cashier_id TEXT NOT NULL, name TEXT NOT NULL,
            role TEXT NOT NULL, verifier TEXT, signed_in_at INTEGER NOT NULL, used_wall INTEGER NOT NULL,
            used_boot INTEGER NOT NULL, used_boot_id TEXT NOT NULL
        );

        -- A card sale is `sold` until whoever asked for it has its answer, then `seen`.
        UPDATE card_intents SET state = 'seen' WHERE state = 'sold';
        CREATE INDEX card_intents_sold ON card_intents (key) WHERE state = 'sold';
        """

    /// Parked carts. `content` is their lines, member and coupons as JSON; a row goes with the cart's sale or
    /// when the cart is dropped. Not released yet: statements may be added here.
    static let version9 = """
        CREATE TABLE carts (
            cart_id TEXT PRIMARY KEY, name TEXT, parked_at INTEGER NOT NULL, resumed_at INTEGER,
            currency TEXT NOT NULL, total INTEGER NOT NULL, content TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    /// Articles whose price is entered with each sale: 1, or NULL for a fixed price. An earlier version of
    /// the terminal may have pulled such articles without the mark, so the catalogue is pulled anew,
    /// beside the copy in use.
    static let version10 = """
        ALTER TABLE products ADD COLUMN open_price INTEGER;
        UPDATE feed SET next_generation = coalesce(next_generation, generation) + 1, next_cursor = NULL
        WHERE cursor IS NOT NULL OR next_cursor IS NOT NULL;
        """

    /// Further barcodes: as JSON with their article, NULL: none; and by barcode for scans, which a repair
    /// makes from the articles. Pulled anew as for ``version10``.
    static let version11 = """
        ALTER TABLE products ADD COLUMN further_barcodes TEXT;
        CREATE TABLE product_barcodes (
            generation INTEGER NOT NULL, barcode TEXT NOT NULL, sku TEXT NOT NULL,
            PRIMARY KEY (generation, barcode, sku)
        ) WITHOUT ROWID;
        CREATE INDEX product_barcodes_sku ON product_barcodes (generation, sku);
        UPDATE feed SET next_generation = coalesce(next_generation, generation) + 1, next_cursor = NULL
        WHERE cursor IS NOT NULL OR next_cursor IS NOT NULL;
        """

    /// An order may have two authorisations. `waiting` is the state of those whose sale waits as a parked
    /// cart, with the approval once it is known; `method` is NULL for rows of before, which are cards,
    /// and `channel` for those of the hub's payment service.
    static let version12 = """
        CREATE TABLE card_intents_of_version_12 (
            key TEXT PRIMARY KEY, order_id TEXT NOT NULL, sale_key TEXT NOT NULL,
            amount INTEGER NOT NULL, currency TEXT NOT NULL, opened_at INTEGER NOT NULL, state TEXT NOT NULL,
            method TEXT, approval_code TEXT, simulated INTEGER, channel TEXT
        ) WITHOUT ROWID;
        INSERT INTO card_intents_of_version_12
            (key, order_id, sale_key, amount, currency, opened_at, state)
            SELECT key, order_id, sale_key, amount, currency, opened_at, state FROM card_intents;
        DROP TABLE card_intents;
        ALTER TABLE card_intents_of_version_12 RENAME TO card_intents;
        CREATE INDEX card_intents_open ON card_intents (key) WHERE state = 'open';
        CREATE INDEX card_intents_waiting ON card_intents (key) WHERE state = 'waiting';
        CREATE INDEX card_intents_sold ON card_intents (key) WHERE state = 'sold';
        CREATE INDEX card_intents_order ON card_intents (order_id);

        -- Cards that were taken without a payment service, by the transaction of their sale, with both clocks
        -- at that moment. The tokens are in the sale's journal entry, sealed to the hub.
        CREATE TABLE stored_cards (
            key TEXT PRIMARY KEY, order_id TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL,
            business_day INTEGER NOT NULL, wall INTEGER NOT NULL, boot INTEGER NOT NULL,
            boot_id TEXT NOT NULL, state TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    /// What the hub lent this terminal: `amount` is all that was ever lent by a lease, `spent` what the sales
    /// here used of it. Only leases of the journal's epoch count.
    static let version13 = """
        CREATE TABLE leases (
            lease_id TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, amount INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, version INTEGER NOT NULL, epoch INTEGER NOT NULL,
            spent INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX leases_subject ON leases (kind, subject);
        """

    /// Shifts: which one is open, for every sale's own transaction, and where the journal has what is about
    /// them.
    static let version14 = """
        ALTER TABLE terminal ADD COLUMN open_shift TEXT;
        CREATE INDEX journal_shifts ON journal (sequence) WHERE type IN ('shift.opened', 'shift.closed');
        CREATE INDEX journal_cash_moves ON journal (sequence) WHERE type = 'cash.moved';
        """

    /// The shift of cards that were taken without a payment service, for the limit of a shift.
    static let version15 = "ALTER TABLE stored_cards ADD COLUMN shift_id TEXT;"

    /// Where the journal has members whom this terminal made.
    static let version16 = "CREATE INDEX journal_members ON journal (sequence) WHERE type = 'member.created';"

    /// Whether others want a lease, and how far its return has come: `LeaseTable.Stage`.
    static let version17 = """
        ALTER TABLE leases ADD COLUMN stage INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX leases_to_return ON leases (lease_id) WHERE stage IN (1, 2);
        """

    /// Shifts and movements of cash are found by their ids, which are the ordering keys of their entries.
    static let version18 = """
        CREATE INDEX journal_shift_ids ON journal (lane) WHERE type IN ('shift.opened', 'shift.closed');
        DROP INDEX journal_cash_moves;
        CREATE INDEX journal_cash_moves ON journal (lane) WHERE type = 'cash.moved';
        """

    /// Why a card was refused afterwards, and when the debt was settled at the hub.
    static let version19 = """
        ALTER TABLE stored_cards ADD COLUMN reason TEXT;
        ALTER TABLE stored_cards ADD COLUMN settled_at INTEGER;
        CREATE INDEX stored_cards_declined ON stored_cards (key) WHERE state = 'declined';
        """

    /// What the terminal's own card machine has to give back, by the transaction of its refund or of its
    /// order's void, whose id is `refund_id`. `state` is `waiting` until the machine has responded, then
    /// `returned`, or `refused` with the machine's `reason` until it is `paid` in cash.
    static let version20 = """
        CREATE TABLE card_returns (
            refund_id TEXT NOT NULL, key TEXT NOT NULL, order_id TEXT NOT NULL, order_number TEXT NOT NULL,
            method TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL, made_at INTEGER NOT NULL,
            state TEXT NOT NULL, reason TEXT, PRIMARY KEY (refund_id, key)
        ) WITHOUT ROWID;
        CREATE INDEX card_returns_open ON card_returns (made_at) WHERE state IN ('waiting', 'refused');
        """

    /// `voiding` is the state of intents whose money is to be given back by a machine that has not confirmed
    /// it.
    static let version21 = """
        CREATE INDEX card_intents_voiding ON card_intents (key) WHERE state = 'voiding';
        """

    /// Carts are on disk from their first line: `state` is `open` on the screen of `front_end`, `left` once
    /// that has ended, or `parked`; `of_agent` is 1 where the front end ends with the agent. `in_hand` is
    /// what the customer has handed over, in minor units, of what `content` lists as taken.
    static let version22 = """
        ALTER TABLE carts ADD COLUMN state TEXT NOT NULL DEFAULT 'parked';
        ALTER TABLE carts ADD COLUMN front_end TEXT;
        ALTER TABLE carts ADD COLUMN of_agent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE carts ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE carts ADD COLUMN in_hand INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE carts ADD COLUMN cashier_id TEXT;
        """

    /// What vouchers paid of sales, by their numbers in normal form; an amount of 0 went back to it. A repair
    /// makes the rows from the journal. `process` is where the front end of a cart ran.
    static let version23 = """
        CREATE TABLE voucher_uses (
            method TEXT NOT NULL, number TEXT NOT NULL, order_id TEXT NOT NULL, amount INTEGER NOT NULL,
            PRIMARY KEY (method, number, order_id)
        ) WITHOUT ROWID;
        ALTER TABLE carts ADD COLUMN process TEXT;
        """
}
