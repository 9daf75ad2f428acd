/// The tables of the pages as comma-separated values (RFC 4180), for a spreadsheet: the same rows with the
/// same words, times as RFC 3339 in UTC, spans in seconds, numbers without separators, amounts beside their
/// currencies, and all that fit in place of one page.
package enum PageTables {
    typealias Column = (head: String, value: String)

    /// Rows of a table at most; as many orders are a day of a large chain, and a spreadsheet opens them at
    /// once.
    package static let mostRows = 10_000

    /// Spreadsheets take a file for UTF-8 by it. No page begins with it.
    private static let mark = "\u{FEFF}"

    /// Whether what a page was rendered as is a table.
    package static func isTable(_ text: String) -> Bool { text.hasPrefix(mark) }

    /// By template and list: the texts of the heads, and the values of a row.
    static let columns: [String: [String: [Column]]] = [
        "overview": [
            "awayStores": store + [("sinceHead", "since")] + waits + [
                ("away", "away"), ("terminals", "terminals"), ("telephone", "telephone"),
            ]
        ],
        "stores": [
            "rows": store + [("terminals", "terminals"), ("away", "away"), ("sinceHead", "since")] + waits + [
                ("refused", "refused"), ("contact", "contact"), ("telephone", "telephone"),
            ]
        ],
        "store-page": ["rows": terminals, "alarmRows": [("terminal", "place")] + alarms, "periods": outages],
        "terminals": ["rows": terminals],
        "terminal": [
            "periods": periods,
            "handedInRows": [
                ("epoch", "epoch"), ("journalEntries", "entries"), ("state", "word"), ("by", "by"),
                ("when", "at"),
            ],
        ],
        "offline": ["periods": outages],
        "sales": [
            "total": sums, "tender": [("tender", "key")] + sums,
            "store": [("store", "key"), ("name", "storeName")] + sums,
        ],
        "orders": [
            "rows": [("order", "number"), ("businessDay", "day")] + place + [
                ("amount", "sum"), ("currency", "currency"), ("cashier", "cashier"), ("state", "word"),
                ("sold", "sold"), ("received", "received"),
            ]
        ],
        "shifts": [
            "rows": [("shift", "id"), ("businessDay", "day")] + place + [
                ("opened", "opened"), ("closed", "closed"), ("state", "word"), ("expected", "expected"),
                ("counted", "counted"), ("difference", "difference"), ("debtsOpen", "debtTotal"),
                ("currency", "currency"),
            ]
        ],
        "debts": [
            "rows": [("order", "number")] + place + [
                ("amount", "sum"), ("currency", "currency"), ("taken", "taken"), ("refusedAt", "refused"),
                ("reason", "why"), ("by", "by"), ("note", "note"),
            ],
            "sums": store + [("count", "count"), ("debtsOpen", "sum"), ("currency", "currency")],
        ],
        "alarms": ["rows": place + alarms + [("by", "by"), ("note", "note")]],
        "flags": [
            "rows": [("flag", "flag"), ("order", "number"), ("mutation", "mutationId")] + place + [
                ("received", "received"), ("type", "type"),
            ]
        ],
        "refusals": [
            "rows": [("type", "type"), ("order", "number")] + place + [
                ("amount", "sum"), ("currency", "currency"), ("received", "received"), ("reason", "why"),
                ("state", "state"),
            ]
        ],
        "log": [
            "entries": [
                ("when", "at"), ("who", "who"), ("what", "what"), ("subject", "subject"),
                ("outcome", "outcome"),
                ("detail", "detail"),
            ]
        ],
    ]

    private static let store: [Column] = [("store", "storeId"), ("name", "storeName")]
    private static let place: [Column] =
        store + [("terminal", "terminalPlace"), ("terminalId", "terminalId")]
    private static let waits: [Column] = [
        ("causes", "causes"), ("outbox", "pending"), ("oldestSince", "oldestSince"),
    ]
    private static let terminals: [Column] =
        [("terminal", "place"), ("name", "name"), ("mode", "word"), ("sinceHead", "since")] + waits + [
            ("refused", "refused"), ("missingEntries", "missing"), ("version", "version"),
            ("contact", "contact"), ("terminalId", "id"),
        ]
    private static let periods: [Column] = [
        ("began", "start"), ("ended", "end"), ("lengthSeconds", "seconds"), ("causes", "causes"),
    ]
    private static let outages: [Column] = [("storeOrTerminal", "place"), ("terminals", "count")] + periods
    private static let alarms: [Column] = [
        ("alarm", "kind"), ("lastTime", "last"), ("times", "count"),
        ("detail", "detail"),
    ]
    private static let sums: [Column] = [
        ("saleCount", "orders"), ("gross", "gross"), ("discounts", "discounts"), ("refunds", "refunds"),
        ("net", "net"), ("tax", "tax"), ("currency", "currency"),
    ]

    static func text(of rows: [PageValues], _ columns: [Column], _ texts: PageValues) -> String {
        let head = columns.map { texts[$0.head] as? String ?? $0.head }
        let lines = [head] + rows.map { row in columns.map { cell(row[$0.value]) } }
        return mark + lines.map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func cell(_ value: Any?) -> String {
        switch value {
        case nil: return ""
        case let time as PageValues: return time["iso"] as? String ?? ""
        case let text as String:
            let plain = text.replacing(Wording.separator, with: "")
            return plain == "–" ? "" : plain.hasPrefix("−") ? "-" + plain.dropFirst() : plain
        case let other?: return "\(other)"
        }
    }

    /// In quotes where it has to be; what a spreadsheet would compute begins with an apostrophe, since
    /// names and details are what terminals wrote.
    private static func field(_ text: String) -> String {
        var text = text
        let isNumber = text.dropFirst().utf8.allSatisfy {
            (0x30...0x39).contains($0) || ".- /".utf8.contains($0)
        }
        if let first = text.first, "=@\t\r".contains(first) || ("+-".contains(first) && !isNumber) {
            text = "'" + text
        }
        guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
