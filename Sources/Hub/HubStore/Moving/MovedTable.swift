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

    /// The tables of the order store with all that ``HubSchema`` gives them, but for what the target has of
    /// its own or adds up again: sums of sales that are not archived.
    package static let ledger = HubSchema.tables.filter { !["meta", "sales_sums"].contains($0.name) }.map {
        MovedTable($0.name, page: pages[$0.name] ?? 500, $0.columns)
    }

    /// Where a row can have up to 1 MiB, or a few of them.
    private static let pages = ["relays": 1, "attachment_pieces": 8]

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
