/// A table of the hub's stores, and how what is in it ends.
///
/// Every table of both stores is in ``all``; a test compares it with their schemas, so that none grows
/// without anybody having decided on it.
package struct KeptTable: Hashable, Sendable {
    /// How rows end.
    package enum End: Hashable, Sendable {
        /// By age, as the configuration says; rows that are not old stay in any case.
        case byAge(RetentionKind)
        /// By a rule that no configuration changes, in Markdown.
        case byRule(String)
        /// Never by age, with the reason, in Markdown.
        case never(String)
    }

    /// The table's name; in the QoS file without `qos_`.
    package let name: String
    /// What a row is, in Markdown.
    package let holds: String
    /// How a row ends.
    package let end: End

    private init(_ name: String, _ holds: String, _ end: End) {
        self.name = name
        self.holds = holds
        self.end = end
    }

    /// The tables of both stores, grouped by what they are about.
    package static let all = sales + journal + terminals + people + store

    private static let record = "a record of the shop"

    private static let sales = [
        KeptTable("orders", "a sale, found by its numbers", .never(record)),
        KeptTable("refunds", "what came back of a sale", .never(record)),
        KeptTable("sales", "what a sale, void or refund adds to the figures", .never(record)),
        KeptTable("sales_sums", "sums of a day, a few rows for each terminal", .never(record)),
        KeptTable("documents", "the journal feed", .never(record)),
        KeptTable("archives", "a file of days that were archived", .never("one row for each file")),
        KeptTable("archived_sums", "sums of archived days", .never(record)),
        KeptTable("webhooks", "a receiver of the feed", .byRule("goes with `pos-hub webhook remove`")),
        KeptTable("journal_lives", "a life of the hub before a restore", .never("one row for each restore")),
        KeptTable("shifts", "a shift with its statements", .never(record)),
        KeptTable("shift_strays", "entries of a shift within another one's", .never(record)),
        KeptTable("payments", "a card payment, and what is owed of it", .never(record)),
        KeptTable(
            "voucher_uses", "what a voucher paid",
            .never("a voucher is used once, whenever it is shown again")),
        KeptTable("cart_sales", "which cart a sale is of", .never(record)),
        KeptTable(
            "machine_cards", "what a card machine took without its bank",
            .byRule("goes with the machine's end of day")),
        KeptTable(
            "payment_calls", "what the payment service has to get", .byRule("goes when the service has it")),
        KeptTable(
            "refund_grants", "a refund that a terminal may make",
            .byRule("goes with the refund's mutation, or when an operator revokes it")),
    ]

    private static let journal = [
        KeptTable("journal", "the place of an entry in its journal", .never(record)),
        KeptTable(
            "mutations", "an entry, which stays: a record of the shop; the end is that of the response to it",
            .byAge(.responses)),
        KeptTable("flags", "a flag of an entry", .never("belongs to the entry")),
        KeptTable("discards", "an entry that a person gave up", .never("belongs to the entry")),
        KeptTable("refusals", "a refused entry", .byAge(.refusals)),
        KeptTable("alarms", "what a person should look at", .byAge(.alarms)),
        KeptTable("epochs", "an epoch of a terminal's journal", .never("one row for each epoch")),
        KeptTable("heads", "the highest signed head of an epoch", .never("one row for each epoch")),
        KeptTable("ingests", "a file of a dead terminal that was ingested", .never("evidence, a few rows")),
        KeptTable(
            "relays", "a piece of a journal that another terminal handed in",
            .never("evidence, one row for up to 200 entries; its bytes go when a person accepts it")),
        KeptTable(
            "attachments", "an attachment; one that a mutation names stays", .byAge(.unnamedAttachments)),
        KeptTable("attachment_pieces", "bytes of an attachment", .byRule("go with their attachment")),
    ]

    private static let terminals = [
        KeptTable(
            "terminals", "a terminal, revoked ones too",
            .never("a token stays refused only while its row is known")),
        KeptTable("terminal_numbers", "the highest number of a store", .never("one row for each store")),
        KeptTable("enrolment_codes", "an enrolment code", .byAge(.enrolmentCodes)),
        KeptTable("telemetry", "a terminal's report, one row for each version", .byAge(.telemetry)),
        KeptTable(
            "terminal_usage", "what a terminal left on a day, for its quotas", .byRule("goes after two days")),
        KeptTable(
            "earned_points", "what a terminal's sales earned on a day",
            .byRule("goes after 30 days, as far as the measure of a till looks back")),
        KeptTable("leases", "what a terminal was lent", .byAge(.leases)),
        KeptTable("lease_scans", "how far the feed was looked through", .never("one row for each terminal")),
        KeptTable("coupon_uses", "how often a store used a coupon on a day", .byRule("goes after a week")),
        KeptTable("store_keys", "the secrets of a store's look-ups", .never("one row for each store")),
    ]

    private static let people = [
        KeptTable(
            "operators", "an operator, with the digest of the token",
            .byRule("goes with `pos-hub operator remove`; tokens and login codes end by themselves")),
        KeptTable(
            "operator_log", "what an operator did",
            .never("evidence; each entry has the hash of the one before it")),
        KeptTable("member_reads", "how often a terminal looked up members on a day", .byAge(.memberReads)),
        KeptTable("member_changes", "what a member was before a terminal's change", .byAge(.memberChanges)),
        KeptTable("member_visits", "when a member was last at a store", .byAge(.memberVisits)),
    ]

    private static let store = [
        KeptTable("products", "an article", .byRule("goes with an import without it")),
        KeptTable("product_barcodes", "a further barcode of an article", .byRule("goes with its article")),
        KeptTable(
            "changes", "an entity of the change feed, deleted ones as a mark",
            .never(
                "a terminal that comes back learns of a deletion from its mark; one row for each entity; a "
                    + "lease's goes with the lease")),
        KeptTable("meta", "a value of the store itself", .never("a dozen rows")),
        KeptTable("write_checks", "the last check of the store (SQLite)", .byRule("one row, replaced")),
        KeptTable("clock", "the last time stamp (PostgreSQL)", .byRule("one row, replaced")),
        KeptTable("hub_schema", "the version of the tables (PostgreSQL)", .never("one row for each part")),
        KeptTable("services", "the decision on a service (QoS)", .never("one row for each service")),
        KeptTable(
            "history", "a change of a decision (QoS)", .byRule("the newest 1,000 of each service stay")),
        KeptTable(
            "proposals", "an override that waits for a second operator (QoS)",
            .byRule("one row for each service, replaced by the next one")),
        KeptTable(
            "reports", "what hubs pass on to each other (QoS, PostgreSQL)", .byRule("goes after 2 minutes")),
    ]
}

/// The reference of what is kept, as `docs/reference/retention.md` holds it.
extension KeptTable {
    /// A table in Markdown: the keys with what they remove.
    package static var referenceOfKeys: String {
        let rows = RetentionKind.allCases.map { kind in
            let rule = kind.rule
            return "| `\(kind.configurationKey)` | \(rule.days) | \(rule.removed) | \(rule.lost) |"
        }
        return (["| key | default | what goes | what is lost with it |", "| --- | --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }

    /// A table in Markdown: every table of the stores with its end.
    package static var referenceOfTables: String {
        let rows = all.map { "| `\($0.name)` | \($0.holds) | \($0.end.text) |" }
        return (["| table | a row is | its end |", "| --- | --- | --- |"] + rows).joined(separator: "\n")
    }
}

extension KeptTable.End {
    fileprivate var text: String {
        switch self {
        case .byAge(let kind): "`\(kind.configurationKey)`"
        case .byRule(let rule): rule
        case .never(let reason): "stays: \(reason)"
        }
    }
}
