/// The tables of the hub's store, once for both databases. Times are milliseconds since 1970, amounts minor
/// units.
///
/// They are written as SQLite takes them; ``statements(integer:identity:bytes:)`` says what another database
/// writes otherwise. What only one database has is in that store's own schema.
package enum HubSchema {
    /// Statements for SQLite, in their order.
    package static let sqlite = [terminals, journal, sales, feed, journalFeed].joined(separator: "\n\n")

    /// The same for a database with other types, one statement each.
    ///
    /// - Parameters:
    ///   - integer: the type of a whole number of 64 bits.
    ///   - identity: the type of a number that the database gives to each row, with its key.
    ///   - bytes: the type of bytes.
    package static func statements(integer: String, identity: String, bytes: String) -> [String] {
        let text = sqlite.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
            .replacing("INTEGER PRIMARY KEY AUTOINCREMENT", with: identity)
            .replacing(" id INTEGER PRIMARY KEY", with: " id \(identity)")
            .replacing("INTEGER", with: integer).replacing("BLOB", with: bytes)
            .replacing(" WITHOUT ROWID", with: "")
        return text.split(separator: ";").map { $0.drop(while: \.isNewline) }.filter { !$0.isEmpty }
            .map(String.init)
    }

    /// The tables, and the columns of each, in the order of their declaration.
    static var tables: [(name: String, columns: [MovedTable.Column])] {
        let text = sqlite.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: " ")
        return text.split(separator: ";").compactMap { statement in
            let words = statement.split(separator: " ", maxSplits: 3)
            guard words.count == 4, words[0] == "CREATE", words[1] == "TABLE" else { return nil }
            return (String(words[2]), words[3].dropFirst().split(separator: ",").compactMap(column))
        }
    }

    /// Nil for a part of a key.
    private static func column(_ declared: Substring) -> MovedTable.Column? {
        let words = declared.split(separator: " ")
        guard words.count > 1 else { return nil }
        let name = String(words[0])
        // Behind the last column the table's bracket closes.
        return switch words[1].prefix(while: \.isLetter) {
        case "TEXT": .text(name)
        case "INTEGER": .integer(name)
        case "BLOB": .bytes(name)
        case _: nil
        }
    }
}

/// Terminals, operators and what they did; attachments, telemetry and measures.
extension HubSchema {
    private static let terminals = """
        CREATE TABLE meta (
            key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        -- `unconfirmed_since`: it came back after a restore and waits for an operator. A renewal's date
        -- counts once. Terminals of a store with one `device` are one device: the key that it had first.
        CREATE TABLE terminals (
            id TEXT PRIMARY KEY, store_id TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
            public_key TEXT NOT NULL, enrolled_at INTEGER NOT NULL, revoked_at INTEGER,
            token_expires_at INTEGER NOT NULL, unconfirmed_since INTEGER, renewal_date INTEGER,
            device TEXT, UNIQUE (store_id, number));
        CREATE INDEX terminals_by_device ON terminals (store_id, device);

        -- The highest number that a store gave or saw in a token.
        CREATE TABLE terminal_numbers (
            store_id TEXT PRIMARY KEY, highest INTEGER NOT NULL) WITHOUT ROWID;

        CREATE TABLE enrolment_codes (
            digest TEXT PRIMARY KEY, store_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
            terminal_id TEXT, revoked_at INTEGER) WITHOUT ROWID;

        CREATE TABLE operators (
            name TEXT PRIMARY KEY, token_digest TEXT NOT NULL UNIQUE, added_at INTEGER NOT NULL,
            role TEXT NOT NULL DEFAULT 'manager', token_expires_at INTEGER, login_code_digest TEXT,
            password_hash TEXT) WITHOUT ROWID;

        -- What operators did, each entry with the hash of the one before it.
        CREATE TABLE operator_log (
            sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
            action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, outcome TEXT NOT NULL,
            previous_hash TEXT NOT NULL, hash TEXT NOT NULL);

        CREATE TABLE telemetry (
            terminal_id TEXT NOT NULL, app_version TEXT NOT NULL, received_at INTEGER NOT NULL,
            document TEXT NOT NULL, PRIMARY KEY (terminal_id, app_version)) WITHOUT ROWID;
        CREATE INDEX telemetry_by_time ON telemetry (received_at);

        -- What a terminal left here on a day, counted from 1970 in UTC.
        CREATE TABLE terminal_usage (
            day INTEGER NOT NULL, terminal_id TEXT NOT NULL, mutations INTEGER NOT NULL,
            bytes INTEGER NOT NULL, attachments INTEGER NOT NULL, points INTEGER NOT NULL,
            points_adjusted INTEGER NOT NULL DEFAULT 0, member_changes INTEGER NOT NULL DEFAULT 0,
            new_members INTEGER NOT NULL DEFAULT 0, visits INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (day, terminal_id)) WITHOUT ROWID;

        -- What a terminal's sales earned of points on a business day, as far as the hub got them on one day
        -- (UTC); both counted from 1970. `sales` earned it, and came to `total`.
        CREATE TABLE earned_points (
            store_id TEXT NOT NULL, received_day INTEGER NOT NULL, day INTEGER NOT NULL,
            terminal_id TEXT NOT NULL, points INTEGER NOT NULL, sales INTEGER NOT NULL,
            total INTEGER NOT NULL,
            PRIMARY KEY (store_id, terminal_id, received_day, day)) WITHOUT ROWID;

        -- The secrets of the digests that a store's terminals look coupons and phones up by.
        CREATE TABLE store_keys (
            store_id TEXT PRIMARY KEY, coupon_key TEXT NOT NULL,
            phone_key TEXT NOT NULL) WITHOUT ROWID;

        -- `received` bytes lie in the pieces, from the first one on; whole once their digest was found
        -- right. `is_named`: a mutation names it.
        CREATE TABLE attachments (
            terminal_id TEXT NOT NULL, id TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
            content_type TEXT NOT NULL, urgent INTEGER NOT NULL, received INTEGER NOT NULL,
            opened_at INTEGER NOT NULL, whole_at INTEGER, is_named INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (terminal_id, id)) WITHOUT ROWID;
        CREATE INDEX attachments_unnamed ON attachments (whole_at) WHERE is_named = 0;

        CREATE TABLE attachment_pieces (
            terminal_id TEXT NOT NULL, attachment_id TEXT NOT NULL, first_byte INTEGER NOT NULL,
            bytes BLOB NOT NULL);
        CREATE UNIQUE INDEX attachment_pieces_in_order
            ON attachment_pieces (terminal_id, attachment_id, first_byte);

        -- Files of dead terminals that were ingested, and why one without a signature was.
        CREATE TABLE ingests (
            terminal_id TEXT NOT NULL, ingested_at INTEGER NOT NULL, entries INTEGER NOT NULL,
            signed INTEGER NOT NULL, reason TEXT,
            PRIMARY KEY (terminal_id, ingested_at)) WITHOUT ROWID;
        """
}

/// What terminals sent, and what the hub made of it.
extension HubSchema {
    private static let journal = """
        -- One epoch of one terminal's journal; a result occupies a sequence in `journal`. `low_sequence`:
        -- through which the terminal reported results; `dropped_through`: how far responses were dropped
        -- since.
        CREATE TABLE epochs (
            terminal_id TEXT NOT NULL, epoch INTEGER NOT NULL, first_sequence INTEGER NOT NULL,
            acknowledged_through INTEGER NOT NULL, highest INTEGER NOT NULL, low_sequence INTEGER,
            dropped_through INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (terminal_id, epoch)) WITHOUT ROWID;

        CREATE TABLE journal (
            terminal_id TEXT NOT NULL, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL,
            mutation_id TEXT NOT NULL, PRIMARY KEY (terminal_id, epoch, sequence)) WITHOUT ROWID;

        -- The idempotency key with its effect's answer: one row, once and for all. `archive`: the archive
        -- that has the document, of which this one is what the store still needs.
        CREATE TABLE mutations (
            id TEXT PRIMARY KEY, terminal_id TEXT NOT NULL, sequence INTEGER NOT NULL,
            type TEXT NOT NULL, digest TEXT NOT NULL, hash TEXT NOT NULL, previous_hash TEXT NOT NULL,
            outcome TEXT NOT NULL, result TEXT NOT NULL, document TEXT NOT NULL, supersedes TEXT,
            discarded_by TEXT, hlc TEXT NOT NULL, received_at INTEGER NOT NULL, archive INTEGER);
        CREATE INDEX mutations_by_terminal ON mutations (terminal_id, outcome);
        CREATE INDEX mutations_by_superseded ON mutations (supersedes) WHERE supersedes IS NOT NULL;
        -- Where another device used an id first, the terminal's id stands behind it.
        CREATE INDEX mutations_shared ON mutations (substr(id, 1, 26)) WHERE length(id) > 26;

        -- What a person gave up, also before it ever arrived here.
        CREATE TABLE discards (
            mutation_id TEXT NOT NULL, terminal_id TEXT NOT NULL, discarded_by TEXT NOT NULL,
            PRIMARY KEY (mutation_id, terminal_id)) WITHOUT ROWID;

        -- Pieces that other terminals handed in, by their SHA-256. `held`: why the entries of one wait for a
        -- person; it lies in `content` until then.
        CREATE TABLE relays (
            terminal_id TEXT NOT NULL, digest TEXT NOT NULL, epoch INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL, relayed_by TEXT NOT NULL,
            relayed_at INTEGER NOT NULL, held TEXT, content BLOB, accepted_at INTEGER, reason TEXT,
            PRIMARY KEY (terminal_id, digest)) WITHOUT ROWID;

        -- The highest signed head of each epoch as it came, and those whose entries have not arrived.
        CREATE TABLE heads (
            terminal_id TEXT NOT NULL, epoch INTEGER NOT NULL, head TEXT NOT NULL,
            seen_at INTEGER NOT NULL, state TEXT NOT NULL,
            PRIMARY KEY (terminal_id, epoch)) WITHOUT ROWID;

        -- The flags of accepted mutations, which stay when responses are dropped.
        CREATE TABLE flags (
            mutation_id TEXT NOT NULL, flag TEXT NOT NULL, terminal_id TEXT NOT NULL,
            received_at INTEGER NOT NULL, PRIMARY KEY (mutation_id, flag)) WITHOUT ROWID;
        CREATE INDEX flags_of_held_points ON flags (terminal_id, received_at) WHERE flag = 'points_held';

        -- What was refused and why, which stays too; and what a person decided about it at the hub.
        CREATE TABLE refusals (
            mutation_id TEXT PRIMARY KEY, terminal_id TEXT NOT NULL, received_at INTEGER NOT NULL,
            result TEXT NOT NULL, resolved_at INTEGER, resolved_by TEXT, kept TEXT,
            reason TEXT) WITHOUT ROWID;
        CREATE INDEX refusals_by_age ON refusals (received_at);

        -- An alarm that a terminal raises again on the same day (UTC, counted from 1970) is counted; one
        -- that is raised again after somebody looked at it is open again.
        CREATE TABLE alarms (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, terminal_id TEXT NOT NULL,
            day INTEGER NOT NULL, mutation_id TEXT, detail TEXT, raised_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL, count INTEGER NOT NULL, acknowledged_at INTEGER,
            acknowledged_by TEXT, note TEXT, UNIQUE (kind, terminal_id, day));
        """
}

/// Orders, refunds, shifts and money.
extension HubSchema {
    private static let sales = """
        -- An order is there once, whichever hub it comes to: `repeats` counts from 0. `number_counts` is 0
        -- for a number that is not the terminal's own or not a possible one; it counts as used for nobody.
        -- `minted_id` is the id that the terminal minted, where the key is another.
        CREATE TABLE orders (
            mutation_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, order_number TEXT NOT NULL,
            store_id TEXT NOT NULL, terminal_id TEXT NOT NULL, total INTEGER NOT NULL,
            currency TEXT NOT NULL, voided_by TEXT, repeats INTEGER NOT NULL DEFAULT 0,
            number_counts INTEGER NOT NULL DEFAULT 1, minted_id TEXT) WITHOUT ROWID;
        CREATE INDEX orders_by_number ON orders (order_number);
        CREATE INDEX orders_by_terminal ON orders (terminal_id);
        CREATE UNIQUE INDEX orders_by_id ON orders (order_id, repeats);
        CREATE INDEX orders_by_minted ON orders (minted_id) WHERE minted_id IS NOT NULL;

        -- What was given back of a sale; `quantities` by sku, as JSON. `order_number` is of a refund that
        -- names its sale by the receipt's number; the sale may arrive later, and until then the refund's
        -- own currency is the only one known.
        CREATE TABLE refunds (
            mutation_id TEXT PRIMARY KEY, refund_id TEXT NOT NULL, order_id TEXT NOT NULL,
            total INTEGER NOT NULL, quantities TEXT NOT NULL, order_number TEXT,
            currency TEXT) WITHOUT ROWID;
        CREATE INDEX refunds_by_order ON refunds (order_id);
        CREATE INDEX refunds_by_number ON refunds (order_number) WHERE order_number IS NOT NULL;

        -- Refunds and voids that terminals may make, until their mutations arrive; of a void the refund's
        -- id is the order's.
        CREATE TABLE refund_grants (
            terminal_id TEXT NOT NULL, refund_id TEXT NOT NULL, kind TEXT NOT NULL,
            order_id TEXT NOT NULL, total INTEGER NOT NULL, quantities TEXT NOT NULL,
            granted_at INTEGER NOT NULL, PRIMARY KEY (terminal_id, refund_id)) WITHOUT ROWID;
        CREATE INDEX refund_grants_by_order ON refund_grants (order_id);

        -- The read model of sales: what each accepted sale, void and refund adds to the figures.
        CREATE TABLE sales (
            mutation_id TEXT PRIMARY KEY, kind TEXT NOT NULL, order_id TEXT NOT NULL,
            day TEXT NOT NULL, store_id TEXT NOT NULL, terminal_id TEXT NOT NULL, cashier_id TEXT,
            currency TEXT, orders INTEGER NOT NULL, gross INTEGER NOT NULL, discounts INTEGER NOT NULL,
            refunds INTEGER NOT NULL, tax INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX sales_by_day ON sales (day, mutation_id);

        -- What the documents of the journal feed up to a number, which is in `meta`, come to: by terminal
        -- and cashier, and by each product, tender and tax of a store. An amount is `high` times 2³² and
        -- `low`: sums of hostile amounts have no room in one number. `key` has a sign in front of what it
        -- is, and is empty for what belongs to none.
        CREATE TABLE sales_sums (
            dimension TEXT NOT NULL, day TEXT NOT NULL, store_id TEXT NOT NULL, terminal_id TEXT NOT NULL,
            key TEXT NOT NULL, currency TEXT NOT NULL, orders INTEGER NOT NULL, gross_high INTEGER NOT NULL,
            gross_low INTEGER NOT NULL, discounts_high INTEGER NOT NULL, discounts_low INTEGER NOT NULL,
            refunds_high INTEGER NOT NULL, refunds_low INTEGER NOT NULL, tax_high INTEGER NOT NULL,
            tax_low INTEGER NOT NULL,
            PRIMARY KEY (dimension, day, store_id, terminal_id, key, currency)) WITHOUT ROWID;

        -- The same of the documents that are in archives.
        CREATE TABLE archived_sums (
            dimension TEXT NOT NULL, day TEXT NOT NULL, store_id TEXT NOT NULL, terminal_id TEXT NOT NULL,
            key TEXT NOT NULL, currency TEXT NOT NULL, orders INTEGER NOT NULL, gross_high INTEGER NOT NULL,
            gross_low INTEGER NOT NULL, discounts_high INTEGER NOT NULL, discounts_low INTEGER NOT NULL,
            refunds_high INTEGER NOT NULL, refunds_low INTEGER NOT NULL, tax_high INTEGER NOT NULL,
            tax_low INTEGER NOT NULL,
            PRIMARY KEY (dimension, day, store_id, terminal_id, key, currency)) WITHOUT ROWID;

        -- `refunded` went back of it; `token` is the sealed one of a stored payment, until it is
        -- forwarded; of a refused one `debt` is what was owed at first, `settled_*` what an operator noted.
        CREATE TABLE payments (
            key TEXT PRIMARY KEY, terminal_id TEXT NOT NULL, order_id TEXT, state TEXT NOT NULL,
            amount INTEGER NOT NULL, currency TEXT NOT NULL, approval_code TEXT, decline_reason TEXT,
            decided_at INTEGER NOT NULL, refunded INTEGER NOT NULL DEFAULT 0, token TEXT,
            token_key TEXT, stored_at INTEGER, shift_id TEXT, debt INTEGER, settled_at INTEGER,
            settled_by TEXT, settled_reason TEXT) WITHOUT ROWID;
        CREATE INDEX payments_undecided ON payments (stored_at, key)
            WHERE state IN ('unknown', 'storedOffline');
        CREATE INDEX payments_debts ON payments (decided_at, key) WHERE state = 'forwardDeclined';
        CREATE INDEX payments_debts_of_shifts ON payments (shift_id) WHERE state = 'forwardDeclined';

        -- What the payment service has to get; a row goes when it has.
        CREATE TABLE payment_calls (
            id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, kind TEXT NOT NULL,
            call_key TEXT NOT NULL UNIQUE, amount INTEGER NOT NULL, currency TEXT NOT NULL);

        -- What vouchers paid of sales, by their numbers in normal form; an amount of 0 went back to it.
        CREATE TABLE voucher_uses (
            method TEXT NOT NULL, number TEXT NOT NULL, order_id TEXT NOT NULL,
            amount INTEGER NOT NULL, PRIMARY KEY (method, number, order_id)) WITHOUT ROWID;

        -- Which carts sales are of that were ever put aside; of a copy the first cart.
        CREATE TABLE cart_sales (
            cart TEXT NOT NULL, order_id TEXT NOT NULL, PRIMARY KEY (cart, order_id)) WITHOUT ROWID;

        -- What card machines of terminals took without their banks, until their end of day.
        CREATE TABLE machine_cards (
            terminal_id TEXT NOT NULL, key TEXT NOT NULL, amount INTEGER NOT NULL,
            PRIMARY KEY (terminal_id, key)) WITHOUT ROWID;

        -- Shifts as their terminals opened and closed them, and what came of the comparison with the
        -- journal: the entries that a closed one names, and how many came behind them that name it.
        CREATE TABLE shifts (
            terminal_id TEXT NOT NULL, shift_id TEXT NOT NULL, store_id TEXT NOT NULL,
            epoch INTEGER NOT NULL, state TEXT NOT NULL, business_day TEXT NOT NULL,
            currency TEXT NOT NULL, opened_at INTEGER NOT NULL, closed_at INTEGER,
            opening TEXT NOT NULL, closing TEXT, statements TEXT, differences TEXT, card_machine TEXT,
            received_at INTEGER NOT NULL, settled_at INTEGER, first_sequence INTEGER,
            last_sequence INTEGER, behind INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (terminal_id, shift_id)) WITHOUT ROWID;
        CREATE INDEX shifts_by_id ON shifts (shift_id, terminal_id);
        CREATE INDEX shifts_waiting ON shifts (terminal_id) WHERE state = 'provisional';
        CREATE INDEX shifts_by_range ON shifts (terminal_id, epoch, last_sequence);
        CREATE INDEX shifts_disputed ON shifts (shift_id, terminal_id) WHERE state = 'disputed';

        -- Where entries of a shift lie within another one's that was compared: the first and the last.
        CREATE TABLE shift_strays (
            terminal_id TEXT NOT NULL, shift_id TEXT NOT NULL, epoch INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL,
            PRIMARY KEY (terminal_id, shift_id, epoch)) WITHOUT ROWID;
        """
}

/// What back offices read in the order of arrival.
extension HubSchema {
    private static let journalFeed = """
        -- The journal feed: each document as it is served. Without a store it is about the whole chain.
        -- `entry` is the mutation that a sale, void, refund or movement of cash is.
        CREATE TABLE documents (
            number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, store_id TEXT, entry TEXT,
            document TEXT NOT NULL);
        CREATE UNIQUE INDEX documents_by_entry ON documents (entry) WHERE entry IS NOT NULL;

        -- Files that days went into: the documents above `above` up to `through`, and entries. `hash` is that
        -- of the file's last line; `state` goes from `writing` over `written` to `done`.
        CREATE TABLE archives (
            id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL, state TEXT NOT NULL,
            before_day TEXT NOT NULL, above INTEGER NOT NULL, through INTEGER NOT NULL,
            arrived_before INTEGER NOT NULL, begun_at INTEGER NOT NULL, hash TEXT,
            entries INTEGER NOT NULL DEFAULT 0, documents INTEGER NOT NULL DEFAULT 0);

        -- The lives of the hub before this one, whose name is in `meta`. The next one has the documents up
        -- to the number `through` in common.
        CREATE TABLE journal_lives (
            id INTEGER PRIMARY KEY, life TEXT NOT NULL, through INTEGER NOT NULL);

        -- Who gets the feed, and how far: `life` and `number` are the place, `kinds` a list with commas,
        -- empty for all. A process that delivers is the `holder` for a while.
        CREATE TABLE webhooks (
            id TEXT PRIMARY KEY, url TEXT NOT NULL, kinds TEXT NOT NULL, secret TEXT NOT NULL,
            added_at INTEGER NOT NULL, life TEXT NOT NULL, number INTEGER NOT NULL,
            failures INTEGER NOT NULL, failing_since INTEGER, next_try INTEGER, problem TEXT,
            delivered_at INTEGER, holder TEXT, held_until INTEGER NOT NULL) WITHOUT ROWID;
        """
}

/// The change feed and what is about its entities.
extension HubSchema {
    private static let feed = """
        CREATE TABLE products (
            sku TEXT PRIMARY KEY, barcode TEXT NOT NULL UNIQUE, record TEXT NOT NULL,
            price INTEGER NOT NULL, currency TEXT NOT NULL, stock_milli INTEGER,
            sold_milli INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;

        -- Further barcodes of articles, beside the main one in products.
        CREATE TABLE product_barcodes (
            barcode TEXT PRIMARY KEY, sku TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX product_barcodes_by_sku ON product_barcodes (sku);

        -- One row per entity, moved to a new position with every change. No store: for all of them.
        -- `lookup` is what an entity is found by: a member's number, a coupon's normal form;
        -- `lookup_since` since when a member has it, empty for what the hub imported.
        CREATE TABLE changes (
            position INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, entity_id TEXT NOT NULL,
            store_id TEXT NOT NULL, version INTEGER NOT NULL, deleted_at INTEGER, hlc TEXT NOT NULL,
            origin TEXT, value TEXT, lookup TEXT, lookup_since TEXT,
            UNIQUE (entity, entity_id, store_id));

        -- What terminals were lent. `recalled` is what others want of a lease, `returned_through` where
        -- its terminal's journal ended when it returned it.
        CREATE TABLE leases (
            lease_id TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL,
            terminal_id TEXT NOT NULL, store_id TEXT NOT NULL, epoch INTEGER NOT NULL,
            brief INTEGER NOT NULL, amount INTEGER NOT NULL, used INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, version INTEGER NOT NULL, issued_at INTEGER NOT NULL,
            state TEXT NOT NULL, ended_at INTEGER, ended_by TEXT, reason TEXT, recalled INTEGER,
            recalled_until INTEGER, returned_through INTEGER) WITHOUT ROWID;
        CREATE INDEX leases_by_subject ON leases (kind, subject) WHERE state = 'open';
        CREATE INDEX leases_by_terminal ON leases (terminal_id, expires_at) WHERE state = 'open';
        CREATE INDEX leases_owed ON leases (terminal_id)
            WHERE state = 'open' AND recalled > 0 AND returned_through IS NULL;
        CREATE INDEX leases_ended ON leases (ended_at) WHERE state <> 'open';
        CREATE INDEX leases_exceeded ON leases (terminal_id) WHERE state = 'exceeded';

        -- How far the feed was looked through for what terminals are lent in advance.
        CREATE TABLE lease_scans (
            terminal_id TEXT PRIMARY KEY, form TEXT NOT NULL, position INTEGER NOT NULL) WITHOUT ROWID;

        -- When a member was last at a store, by the hub's clock, and which of its terminals that was.
        CREATE TABLE member_visits (
            member_id TEXT NOT NULL, store_id TEXT NOT NULL, seen_at INTEGER NOT NULL,
            terminal_id TEXT NOT NULL, PRIMARY KEY (member_id, store_id)) WITHOUT ROWID;
        CREATE INDEX member_visits_by_store ON member_visits (store_id, seen_at);
        CREATE INDEX member_visits_by_age ON member_visits (seen_at);

        -- How often a store used a coupon on a day (UTC, counted from 1970), and when it did last.
        CREATE TABLE coupon_uses (
            coupon_id TEXT NOT NULL, store_id TEXT NOT NULL, day INTEGER NOT NULL,
            uses INTEGER NOT NULL, used_at INTEGER NOT NULL,
            PRIMARY KEY (coupon_id, store_id, day)) WITHOUT ROWID;
        CREATE INDEX coupon_uses_by_store ON coupon_uses (store_id, used_at);

        -- How often a terminal looked members up, by the day (UTC, counted from 1970).
        CREATE TABLE member_reads (
            terminal_id TEXT NOT NULL, day INTEGER NOT NULL, reads INTEGER NOT NULL,
            PRIMARY KEY (terminal_id, day)) WITHOUT ROWID;

        -- What terminals changed of members, for a time: `fields` is what each field was and became.
        CREATE TABLE member_changes (
            id INTEGER PRIMARY KEY, terminal_id TEXT NOT NULL, member_id TEXT NOT NULL,
            at INTEGER NOT NULL, is_new INTEGER NOT NULL, delta INTEGER NOT NULL,
            fields TEXT NOT NULL);
        CREATE INDEX member_changes_by_terminal ON member_changes (terminal_id, at);
        CREATE INDEX member_changes_by_age ON member_changes (at);
        """
}
