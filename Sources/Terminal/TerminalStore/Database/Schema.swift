internal import GRDB

/// The versions of the terminal's schema and the way from each to the next.
enum Schema {
    /// `PRAGMA application_id`: "HOLD".
    static let applicationId: Int64 = 0x484F_4C44
    /// The newest version of this build.
    static var current: Int64 { Int64(steps.count) }

    /// The SQL of each version, on top of the ones before it.
    static let steps = [[journal, orders, cards, shop, people].joined(separator: "\n")]

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

/// Version 1. Amounts are minor units, quantities thousandths, times Unix milliseconds.
extension Schema {
    /// The journal, what is about its entries, and the terminal's own row.
    ///
    /// The outbox is an index over the entries that are not applied. `settled_by` is the entry that settled a
    /// refused one: the edit that replaces it, or the entry that discards it. `stock_moves` has the moves of
    /// counted stocks as JSON, in the entry's row, so that a sale writes one page less; they belong to the
    /// entry that replaces their first one, however often it was edited. The indexes by an entry's
    /// ordering key find refunds by their sale, and shifts and movements of cash by their ids.
    private static let journal = """
        CREATE TABLE terminal (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            terminal_id TEXT, store_id TEXT, terminal_number INTEGER,
            epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, hash TEXT NOT NULL, last_id TEXT NOT NULL,
            business_day INTEGER NOT NULL, order_counter INTEGER NOT NULL,
            acknowledged_through INTEGER NOT NULL,
            pending INTEGER NOT NULL, rejected INTEGER NOT NULL, conflicted INTEGER NOT NULL,
            open_shift TEXT
        );
        INSERT INTO terminal VALUES (
            1, NULL, NULL, NULL, 1, 0, '\(String(repeating: "0", count: 64))',
            '00000000000000000000000000', 0, 0, 0, 0, 0, 0, NULL
        );
        CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        CREATE TABLE journal (
            sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, ordering_key TEXT NOT NULL,
            made_at INTEGER NOT NULL, hash TEXT NOT NULL, body BLOB NOT NULL,
            verdict TEXT, result TEXT, attempts INTEGER NOT NULL DEFAULT 0, settled_by INTEGER,
            stock_moves TEXT
        );
        CREATE INDEX journal_unsettled ON journal (verdict)
            WHERE verdict IS NULL OR verdict IN ('rejected', 'conflicted');
        CREATE INDEX journal_refunds ON journal (ordering_key) WHERE type = 'refund.completed';
        CREATE INDEX journal_shifts ON journal (sequence) WHERE type IN ('shift.opened', 'shift.closed');
        CREATE INDEX journal_shift_ids ON journal (ordering_key) WHERE type IN ('shift.opened', 'shift.closed');
        CREATE INDEX journal_card_machine ON journal (sequence)
            WHERE type IN ('card.decided', 'card.dayClosed');
        CREATE INDEX journal_cash_moves ON journal (ordering_key) WHERE type = 'cash.moved';
        CREATE INDEX journal_members ON journal (sequence) WHERE type = 'member.created';

        -- Files that mutations carry; their bytes are in the data folder under the attachment's id. `whole_at`
        -- is when the hub had all bytes of one; while it is NULL, the mutations that name it are not sent.
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

        CREATE TABLE offline_periods (
            id INTEGER PRIMARY KEY, started_at INTEGER NOT NULL, ended_at INTEGER,
            causes TEXT NOT NULL, evidence TEXT NOT NULL,
            first_sequence INTEGER NOT NULL, last_sequence INTEGER
        );
        """

    /// Orders and carts.
    ///
    /// An order is the key to its journal entry, appended and found by that entry's sequence. `revision` is
    /// the entry that an order is read from after an edit; NULL is its own. Carts are on disk from their
    /// first line: `state` is `open` on the screen of `front_end`, `left` once that has ended, or `parked`;
    /// `of_agent` is 1 where the front end ends with the agent; `content` is lines, member and coupons as
    /// JSON; `in_hand` is what the customer has handed over of what `content` lists as taken; `process` is
    /// where the front end ran; `journey` is where a cart that was put aside has been, as JSON; `epoch` is
    /// that of the journal at its last change. A row goes with the cart's sale, when the cart is dropped, or
    /// when another till gets it.
    private static let orders = """
        CREATE TABLE orders (
            sequence INTEGER PRIMARY KEY REFERENCES journal,
            order_id TEXT NOT NULL UNIQUE, sale_key TEXT NOT NULL UNIQUE, order_number TEXT NOT NULL UNIQUE,
            mode TEXT NOT NULL, voided_at INTEGER, void_sequence INTEGER REFERENCES journal, revision INTEGER
        );
        CREATE TABLE carts (
            cart_id TEXT PRIMARY KEY, name TEXT, parked_at INTEGER NOT NULL, resumed_at INTEGER,
            currency TEXT NOT NULL, total INTEGER NOT NULL, content TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'parked', front_end TEXT, of_agent INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 0, in_hand INTEGER NOT NULL DEFAULT 0, cashier_id TEXT,
            process TEXT, journey TEXT, epoch INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;

        -- What vouchers paid of sales, by their numbers in normal form; an amount of 0 went back to it. A
        -- repair makes the rows from the journal.
        CREATE TABLE voucher_uses (
            method TEXT NOT NULL, number TEXT NOT NULL, order_id TEXT NOT NULL, amount INTEGER NOT NULL,
            PRIMARY KEY (method, number, order_id)
        ) WITHOUT ROWID;
        """

    /// Cards: what was requested for sales, what was stored without a payment service, what goes back, and
    /// what the hub lent.
    private static let cards = """
        -- Cards that nobody had granted when they were taken, as the store's limits count them: by the
        -- transaction of their sale, with both clocks at that moment. What was requested is in
        -- `device_requests`, the tokens are in the sale's journal entry, sealed to the hub. `settled_at` is when
        -- the debt of a token was settled at the hub, or the card machine sent its own to the bank.
        CREATE TABLE stored_cards (
            key TEXT PRIMARY KEY, business_day INTEGER NOT NULL, wall INTEGER NOT NULL,
            boot INTEGER NOT NULL, boot_id TEXT NOT NULL, shift_id TEXT, settled_at INTEGER
        ) WITHOUT ROWID;

        -- What the terminal's own card machine has to give back, by the transaction of its refund or of its
        -- order's void, whose id is `refund_id`. `state` is `waiting` until the machine has responded, with
        -- `card` as its `reason` where a person begins it with a card; then `requested`, `returned`, or
        -- `refused` with the machine's `reason`. What is refused, or waits for a card, can be `paid` in cash.
        CREATE TABLE card_returns (
            refund_id TEXT NOT NULL, key TEXT NOT NULL, order_id TEXT NOT NULL, order_number TEXT NOT NULL,
            method TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL, made_at INTEGER NOT NULL,
            state TEXT NOT NULL, reason TEXT, PRIMARY KEY (refund_id, key)
        ) WITHOUT ROWID;
        CREATE INDEX card_returns_open ON card_returns (made_at)
            WHERE state IN ('waiting', 'requested', 'refused');

        -- What was granted to other tills of what is this till's: `body` is the grant as its note has it, `content`
        -- of a receipt the lines that come back by it, of a cart its row. `state` is `open`, `closed` once its
        -- taker used it, or `back`. `is_noted` is 1 once its note is known to be written. What others granted
        -- has this till as its taker: `is_noted` is 1 once this till's own list names it.
        CREATE TABLE grants (
            taker TEXT NOT NULL, claim_id TEXT NOT NULL, kind TEXT NOT NULL, right_id TEXT NOT NULL,
            body TEXT NOT NULL, content TEXT NOT NULL, state TEXT NOT NULL, is_noted INTEGER NOT NULL,
            PRIMARY KEY (taker, claim_id)
        ) WITHOUT ROWID;
        CREATE INDEX grants_right ON grants (kind, right_id);
        -- The carts that this till claimed of others, before each claim was sent: a grant of anything else is
        -- not adopted. `body` is the claim, `owner` the till that it was sent to.
        CREATE TABLE cart_claims (
            claim_id TEXT PRIMARY KEY, owner TEXT NOT NULL, body TEXT NOT NULL, claimed_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        -- What was requested of card machines and of the hub's payment service, before its first byte, and
        -- what the hub requests later for tokens, with their sale:
        -- `DeviceRequest.State` is `state`, with why in `detail` and what proves it in `proof`, as JSON and
        -- without any card number. `turn` counts the writes. A charge has the sale that it is for, by the
        -- sale's key, and in `stage` what the sale wants of it: NULL while it is being made; `waiting` while it
        -- waits as a parked cart; `givenUp` when no sale takes it over; `seen` once whoever requested the sale
        -- has its answer.
        CREATE TABLE device_requests (
            key TEXT PRIMARY KEY, purpose TEXT NOT NULL, charge_key TEXT NOT NULL, amount INTEGER NOT NULL,
            currency TEXT NOT NULL, opened_at INTEGER NOT NULL, state TEXT NOT NULL, kind TEXT NOT NULL,
            address TEXT NOT NULL, machine_id TEXT, request_id TEXT, last_receipt INTEGER,
            last_moment TEXT, detail TEXT, proof TEXT, receipt INTEGER, turn INTEGER NOT NULL,
            sale_key TEXT, order_id TEXT, method TEXT, stage TEXT, till_id TEXT
        ) WITHOUT ROWID;
        CREATE INDEX device_requests_open ON device_requests (key)
            WHERE kind <> 'token' AND state IN ('sent', 'unknown', 'voiding', 'requested', 'voidRequested');
        CREATE INDEX device_requests_turn ON device_requests (turn);
        CREATE INDEX device_requests_unsettled ON device_requests (key) WHERE sale_key IS NOT NULL
            AND state IN ('intent', 'sent', 'unknown', 'charged', 'voiding');
        CREATE INDEX device_requests_unseen ON device_requests (key) WHERE state = 'sold' AND stage IS NULL;
        CREATE INDEX device_requests_order ON device_requests (order_id) WHERE order_id IS NOT NULL;
        CREATE INDEX device_requests_debts ON device_requests (key)
            WHERE kind = 'token' AND state = 'declined';

        -- What the hub lent: `amount` is all that was ever lent by a lease, `spent` what the sales here used
        -- of it. Only leases of the journal's epoch count. `stage` is whether others want it, and how far its
        -- return has come: `LeaseTable.Stage`.
        CREATE TABLE leases (
            lease_id TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, amount INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, version INTEGER NOT NULL, epoch INTEGER NOT NULL,
            spent INTEGER NOT NULL, stage INTEGER NOT NULL DEFAULT 0, signed TEXT
        ) WITHOUT ROWID;
        CREATE INDEX leases_subject ON leases (kind, subject);
        CREATE INDEX leases_to_return ON leases (lease_id) WHERE stage IN (1, 2);
        """

    /// The copy of the hub's feed, of which a new generation is pulled beside the one in use, and notes.
    ///
    /// `open_price` is 1 for articles whose price is entered with each sale, NULL for a fixed price. Further
    /// barcodes are with their article as JSON, and by barcode for scans, which a repair makes from the
    /// articles. `lookup` has a member's telephone number as it is found by, NULL for everything else.
    /// `origin` is the mutation that made the hub's version; `note_changes` has the changes made here that
    /// the hub's version does not contain yet.
    private static let shop = """
        CREATE TABLE feed (
            id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL, cursor TEXT,
            next_generation INTEGER, next_cursor TEXT
        );
        INSERT INTO feed VALUES (1, 0, NULL, NULL, NULL);
        CREATE TABLE products (
            generation INTEGER NOT NULL, sku TEXT NOT NULL, barcode TEXT NOT NULL, name TEXT NOT NULL,
            department TEXT NOT NULL, price INTEGER NOT NULL, currency TEXT NOT NULL,
            tax_basis_points INTEGER NOT NULL, unit TEXT NOT NULL, stock_milli INTEGER, open_price INTEGER,
            further_barcodes TEXT, PRIMARY KEY (generation, sku)
        ) WITHOUT ROWID;
        CREATE INDEX products_barcode ON products (generation, barcode);
        CREATE TABLE product_barcodes (
            generation INTEGER NOT NULL, barcode TEXT NOT NULL, sku TEXT NOT NULL,
            PRIMARY KEY (generation, barcode, sku)
        ) WITHOUT ROWID;
        CREATE INDEX product_barcodes_sku ON product_barcodes (generation, sku);
        CREATE TABLE feed_entities (
            generation INTEGER NOT NULL, entity TEXT NOT NULL, entity_id TEXT NOT NULL,
            version INTEGER NOT NULL, value TEXT, deleted_at TEXT, hlc TEXT, origin TEXT, lookup TEXT,
            PRIMARY KEY (generation, entity, entity_id)
        ) WITHOUT ROWID;
        CREATE INDEX feed_entities_lookup ON feed_entities (generation, entity, lookup)
            WHERE lookup IS NOT NULL;
        CREATE TABLE note_changes (
            note_id TEXT PRIMARY KEY, mutation_id TEXT NOT NULL, value TEXT, deleted_at TEXT
        ) WITHOUT ROWID;
        """

    /// Wrong PINs and the sign-in.
    private static let people = """
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
        """
}
