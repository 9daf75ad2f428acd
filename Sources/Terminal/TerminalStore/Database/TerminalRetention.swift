internal import HubProtocol

/// What a terminal removes once it is old enough; everything else that it keeps is in ``TerminalKept/all``.
package enum TerminalRetention: String, Hashable, Sendable, CaseIterable {
    case attachments
    case offlinePeriods

    /// How long a kind is kept, and what goes.
    package struct Rule: Hashable, Sendable {
        /// The default, in days.
        package let days: Int
        /// The days that a configuration may set.
        package let range: ClosedRange<Int>
        /// What goes, in Markdown.
        package let removed: String
        /// What is not possible any more without it, in Markdown.
        package let lost: String
    }

    /// The rule of this kind.
    package var rule: Rule {
        switch self {
        // A hub that was restored requests them again for as long. Halved, a refused sale of last month may
        // lack its papers; doubled, the disk holds twice the pictures.
        case .attachments:
            Rule(
                days: 90, range: 30...3650,
                removed: "Attachments that the hub has, from then on; those of refused entries stay.",
                lost: "A hub that is restored to a copy from before cannot get them again.")
        // Two years: this season compared with the last one.
        case .offlinePeriods:
            Rule(
                days: 730, range: 30...3650, removed: "Offline periods, from their end on.",
                lost: "The rows of `pos history`. The hub has its own report of them.")
        }
    }

    /// The key of the terminal's configuration.
    package var configurationKey: String { "retention.\(rawValue)Days" }
}

/// A table or a file of a terminal, and how what is in it ends.
///
/// Every table of the terminal's schema is in ``all``; a test compares it.
package struct TerminalKept: Hashable, Sendable {
    /// The table's or file's name.
    package let name: String
    /// What a row or the file is, in Markdown.
    package let holds: String
    /// How it ends, in Markdown.
    package let end: String
    /// Whether it is a table of the database.
    package let isTable: Bool

    private init(_ name: String, _ holds: String, _ end: String, isTable: Bool = true) {
        self.name = name
        self.holds = holds
        self.end = end
        self.isTable = isTable
    }

    private static let record = "stays: a record of the shop"

    /// Tables, then files.
    package static let all = records + cards + copies + people + files

    private static let records = [
        TerminalKept("journal", "an entry with the hub's result", record),
        TerminalKept("orders", "a sale, found by its numbers", record),
        TerminalKept("voucher_uses", "what a voucher paid", record),
        TerminalKept(
            "attachments", "a file that a mutation carries",
            "`\(TerminalRetention.attachments.configurationKey)`"),
        TerminalKept("mutation_attachments", "which entry names which file", "goes with the attachment"),
        TerminalKept(
            "offline_periods", "an interval offline", "`\(TerminalRetention.offlinePeriods.configurationKey)`"
        ),
        TerminalKept(
            "carts", "a cart that is not sold",
            "goes with its sale, when it is dropped, or when another till gets it"),
        TerminalKept("terminal", "the terminal itself", "one row"),
        TerminalKept("facts", "a value of the terminal itself", "some dozens of rows"),
    ]

    private static let cards = [
        TerminalKept("stored_cards", "a card that was taken without the payment service", record),
        TerminalKept("grants", "what was granted to another till, or by one", record),
        TerminalKept(
            "cart_claims", "a cart that was claimed of another till",
            "goes when \(NeighbourLimits.cartClaimsKept) newer ones are there"),
        TerminalKept("card_returns", "what a card machine gives back", record),
        TerminalKept(
            "device_requests", "what was requested of a card machine or the payment service", record),
        TerminalKept(
            "leases", "what the hub lent", "goes a day after it expired, once it is used up or returned"),
    ]

    private static let copies = [
        TerminalKept("feed", "how far the feed was read", "one row"),
        TerminalKept(
            "products", "an article", "goes with the next complete copy, or its deletion at the hub"),
        TerminalKept("product_barcodes", "a further barcode", "goes with its article"),
        TerminalKept("feed_entities", "another entity of the feed", "goes with the next complete copy"),
        TerminalKept("note_changes", "a change that the hub's copy lacks", "goes when the copy has it"),
    ]

    private static let people = [
        TerminalKept(
            "failed_pins", "wrong PINs in a row",
            "goes with the right PIN; 100 ids that no cashier has at most"),
        TerminalKept("sign_in", "who is signed in", "one row, goes when the person signs out"),
    ]

    private static let files = [
        TerminalKept(
            "flight.log", "the event recording", "8 MiB, then it replaces the older one", isTable: false),
        TerminalKept(
            "flight.old.log", "the recording before it", "8 MiB, replaced by the next", isTable: false),
        TerminalKept("spool/", "a paper that is not printed", "goes when it is printed", isTable: false),
        TerminalKept("quarantine/", "unreadable files", "stay until a person removes them", isTable: false),
        TerminalKept("standard error", "the log", "the system's journal rotates it", isTable: false),
    ]
}

/// The reference of what a terminal keeps, as `docs/reference/retention.md` holds it.
extension TerminalKept {
    /// A table in Markdown: the keys with what they remove.
    package static var referenceOfKeys: String {
        let rows = TerminalRetention.allCases.map { kind in
            let rule = kind.rule
            return "| `\(kind.configurationKey)` | \(rule.days) | \(rule.removed) | \(rule.lost) |"
        }
        return (["| key | default | what goes | what is lost with it |", "| --- | --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }

    /// A table in Markdown: every table and file with its end.
    package static var referenceOfAll: String {
        let rows = all.map { "| `\($0.name)` | \($0.holds) | \($0.end) |" }
        return (["| table or file | what it is | its end |", "| --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }
}
