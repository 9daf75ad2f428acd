/// A table that both stores have, with the columns that move.
package struct MovedTable: Sendable {
    package enum Column: Sendable {
        case text(String)
        case integer(String)
        case bytes(String)

        package var name: String {
            switch self {
            case .text(let name), .integer(let name), .bytes(let name): name
            }
        }
    }

    /// Its name in the file.
    package let source: String
    /// Its name in the database.
    package let target: String
    package let columns: [Column]
    /// Rows of one statement.
    package let page: Int

    private init(_ source: String, as target: String? = nil, page: Int = 500, _ columns: [Column]) {
        self.source = source
        self.target = target ?? source
        self.columns = columns
        self.page = page
    }

    /// The names of the columns as SQL has them, in one order for reading and writing.
    package var names: String { columns.map(\.name).joined(separator: ", ") }

    /// The tables of the order store.
    package static let ledger = [
        MovedTable(
            "terminals",
            [
                .text("id"), .text("store_id"), .integer("number"), .text("name"), .text("public_key"),
                .integer("enrolled_at"), .integer("revoked_at"), .integer("token_expires_at"),
                .integer("unconfirmed_since"), .integer("renewal_date"), .text("device"),
            ]),
        MovedTable("terminal_numbers", [.text("store_id"), .integer("highest")]),
        MovedTable(
            "enrolment_codes",
            [
                .text("digest"), .text("store_id"), .integer("expires_at"), .text("terminal_id"),
                .integer("revoked_at"),
            ]),
        MovedTable(
            "telemetry",
            [.text("terminal_id"), .text("app_version"), .integer("received_at"), .text("document")]),
        MovedTable(
            "operators",
            [
                .text("name"), .text("token_digest"), .integer("added_at"), .text("role"),
                .integer("token_expires_at"), .text("login_code_digest"), .text("password_hash"),
            ]),
        MovedTable(
            "operator_log",
            [
                .integer("sequence"), .integer("at"), .text("name"), .text("role"), .text("action"),
                .text("subject"), .text("detail"), .text("outcome"), .text("previous_hash"), .text("hash"),
            ]),
        MovedTable(
            "epochs",
            [
                .text("terminal_id"), .integer("epoch"), .integer("first_sequence"),
                .integer("acknowledged_through"), .integer("highest"), .integer("low_sequence"),
                .integer("dropped_through"),
            ]),
        MovedTable(
            "heads",
            [
                .text("terminal_id"), .integer("epoch"), .text("head"), .integer("seen_at"), .text("state"),
            ]),
        MovedTable(
            "ingests",
            [
                .text("terminal_id"), .integer("ingested_at"), .integer("entries"), .integer("signed"),
                .text("reason"),
            ]),
        MovedTable(
            "relays", page: 1,
            [
                .text("terminal_id"), .text("digest"), .integer("epoch"), .integer("first_sequence"),
                .integer("last_sequence"), .text("relayed_by"), .integer("relayed_at"), .text("held"),
                .bytes("content"), .integer("accepted_at"), .text("reason"),
            ]),
        MovedTable(
            "journal",
            [.text("terminal_id"), .integer("epoch"), .integer("sequence"), .text("mutation_id")]),
        MovedTable(
            "mutations",
            [
                .text("id"), .text("terminal_id"), .integer("sequence"), .text("type"), .text("digest"),
                .text("hash"), .text("previous_hash"), .text("outcome"), .text("result"), .text("document"),
                .text("supersedes"), .text("discarded_by"), .text("hlc"), .integer("received_at"),
                .integer("archive"),
            ]),
        MovedTable(
            "orders",
            [
                .text("mutation_id"), .text("order_id"), .text("order_number"), .text("store_id"),
                .text("terminal_id"), .integer("total"), .text("currency"), .text("voided_by"),
                .integer("repeats"), .integer("number_counts"), .text("minted_id"),
            ]),
        MovedTable(
            "sales",
            [
                .text("mutation_id"), .text("kind"), .text("order_id"), .text("day"), .text("store_id"),
                .text("terminal_id"), .text("cashier_id"), .text("currency"), .integer("orders"),
                .integer("gross"), .integer("discounts"), .integer("refunds"), .integer("tax"),
            ]),
        MovedTable(
            "flags", [.text("mutation_id"), .text("flag"), .text("terminal_id"), .integer("received_at")]),
        MovedTable(
            "refusals",
            [
                .text("mutation_id"), .text("terminal_id"), .integer("received_at"), .text("result"),
                .integer("resolved_at"), .text("resolved_by"), .text("kept"), .text("reason"),
            ]),
        MovedTable(
            "shifts",
            [
                .text("terminal_id"), .text("shift_id"), .text("store_id"), .integer("epoch"),
                .text("state"), .text("business_day"), .text("currency"), .integer("opened_at"),
                .integer("closed_at"), .text("opening"), .text("closing"), .text("statements"),
                .text("differences"), .integer("received_at"), .integer("settled_at"),
                .integer("first_sequence"), .integer("last_sequence"), .integer("behind"),
            ]),
        MovedTable(
            "shift_strays",
            [
                .text("terminal_id"), .text("shift_id"), .integer("epoch"), .integer("first_sequence"),
                .integer("last_sequence"),
            ]),
        MovedTable(
            "documents",
            [
                .integer("number"), .text("kind"), .text("store_id"), .text("entry"), .text("document"),
            ]),
        MovedTable(
            "archives",
            [
                .integer("id"), .text("file"), .text("state"), .text("before_day"), .integer("above"),
                .integer("through"), .integer("arrived_before"), .integer("begun_at"), .text("hash"),
                .integer("entries"), .integer("documents"),
            ]),
        // The other sums are added up again at the target.
        MovedTable(
            "archived_sums",
            [
                .text("dimension"), .text("day"), .text("store_id"), .text("terminal_id"), .text("key"),
                .text("currency"), .integer("orders"), .integer("gross_high"), .integer("gross_low"),
                .integer("discounts_high"), .integer("discounts_low"), .integer("refunds_high"),
                .integer("refunds_low"), .integer("tax_high"), .integer("tax_low"),
            ]),
        MovedTable("journal_lives", [.integer("id"), .text("life"), .integer("through")]),
        MovedTable(
            "webhooks",
            [
                .text("id"), .text("url"), .text("kinds"), .text("secret"), .integer("added_at"),
                .text("life"), .integer("number"), .integer("failures"), .integer("failing_since"),
                .integer("next_try"), .text("problem"), .integer("delivered_at"), .text("holder"),
                .integer("held_until"),
            ]),
        MovedTable("discards", [.text("mutation_id"), .text("terminal_id"), .text("discarded_by")]),
        MovedTable(
            "refunds",
            [
                .text("mutation_id"), .text("refund_id"), .text("order_id"), .text("order_number"),
                .integer("total"), .text("currency"), .text("quantities"),
            ]),
        MovedTable(
            "refund_grants",
            [
                .text("terminal_id"), .text("refund_id"), .text("kind"), .text("order_id"),
                .integer("total"), .text("quantities"), .integer("granted_at"),
            ]),
        MovedTable(
            "voucher_uses",
            [.text("method"), .text("number"), .text("order_id"), .integer("amount")]),
        MovedTable("cart_sales", [.text("cart"), .text("order_id")]),
        MovedTable("machine_cards", [.text("terminal_id"), .text("key"), .integer("amount")]),
        MovedTable(
            "alarms",
            [
                .integer("id"), .text("kind"), .text("terminal_id"), .integer("day"), .text("mutation_id"),
                .text("detail"), .integer("raised_at"), .integer("last_at"), .integer("count"),
                .integer("acknowledged_at"), .text("acknowledged_by"), .text("note"),
            ]),
        MovedTable(
            "products",
            [
                .text("sku"), .text("barcode"), .text("record"), .integer("price"), .text("currency"),
                .integer("stock_milli"), .integer("sold_milli"),
            ]),
        MovedTable("product_barcodes", [.text("barcode"), .text("sku")]),
        MovedTable(
            "changes",
            [
                .integer("position"), .text("entity"), .text("entity_id"), .text("store_id"),
                .integer("version"), .integer("deleted_at"), .text("hlc"), .text("origin"), .text("value"),
                .text("lookup"), .text("lookup_since"),
            ]),
        MovedTable(
            "leases",
            [
                .text("lease_id"), .text("kind"), .text("subject"), .text("terminal_id"), .text("store_id"),
                .integer("epoch"), .integer("brief"), .integer("amount"), .integer("used"),
                .integer("expires_at"), .integer("version"), .integer("issued_at"), .text("state"),
                .integer("ended_at"), .text("ended_by"), .text("reason"), .integer("recalled"),
                .integer("recalled_until"), .integer("returned_through"),
            ]),
        MovedTable("lease_scans", [.text("terminal_id"), .text("form"), .integer("position")]),
        MovedTable(
            "member_visits",
            [.text("member_id"), .text("store_id"), .integer("seen_at"), .text("terminal_id")]),
        MovedTable(
            "coupon_uses",
            [
                .text("coupon_id"), .text("store_id"), .integer("day"), .integer("uses"),
                .integer("used_at"),
            ]),
        MovedTable("member_reads", [.text("terminal_id"), .integer("day"), .integer("reads")]),
        MovedTable("store_keys", [.text("store_id"), .text("coupon_key"), .text("phone_key")]),
        MovedTable(
            "payments",
            [
                .text("key"), .text("terminal_id"), .text("order_id"), .text("state"), .integer("amount"),
                .text("currency"), .text("approval_code"), .text("decline_reason"), .integer("decided_at"),
                .integer("refunded"), .text("token"), .text("token_key"), .integer("stored_at"),
                .text("shift_id"), .integer("debt"), .integer("settled_at"), .text("settled_by"),
                .text("settled_reason"),
            ]),
        MovedTable(
            "payment_calls",
            [
                .integer("id"), .text("key"), .text("kind"), .text("call_key"), .integer("amount"),
                .text("currency"),
            ]),
        MovedTable(
            "attachments",
            [
                .text("terminal_id"), .text("id"), .text("sha256"), .integer("size"), .text("content_type"),
                .integer("urgent"), .integer("received"), .integer("opened_at"), .integer("whole_at"),
                .integer("is_named"),
            ]),
        MovedTable(
            "terminal_usage",
            [
                .integer("day"), .text("terminal_id"), .integer("mutations"), .integer("bytes"),
                .integer("attachments"), .integer("points"), .integer("points_adjusted"),
                .integer("member_changes"), .integer("new_members"), .integer("visits"),
            ]),
        MovedTable(
            "earned_points",
            [
                .text("store_id"), .integer("received_day"), .integer("day"), .text("terminal_id"),
                .integer("points"), .integer("sales"), .integer("total"),
            ]),
        MovedTable(
            "member_changes",
            [
                .integer("id"), .text("terminal_id"), .text("member_id"), .integer("at"), .integer("is_new"),
                .integer("delta"), .text("fields"),
            ]),
        // A row holds up to 1 MiB.
        MovedTable(
            "attachment_pieces", page: 8,
            [.text("terminal_id"), .text("attachment_id"), .integer("first_byte"), .bytes("bytes")]),
    ]

    /// The tables of the QoS store.
    package static let qos = [
        MovedTable(
            "services", as: "qos_services", [.text("service"), .integer("generation"), .text("state")]),
        MovedTable("history", as: "qos_history", [.integer("id"), .text("service"), .text("change")]),
    ]
}

/// Some rows of a table on their way, column by column.
package struct MovedPage: Sendable {
    /// The values of one column; nil for NULL.
    package enum Values: Sendable {
        case texts([String?])
        case integers([Int64?])
        case bytes([[UInt8]?])
    }

    /// In the order of ``MovedTable/columns``, each with as many values as there are rows.
    package let columns: [Values]
    /// How many rows.
    package let count: Int

    package init(columns: [Values], count: Int) {
        self.columns = columns
        self.count = count
    }
}
