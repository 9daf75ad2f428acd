internal import HubCore
import HubProtocol

/// The queries of the figures of sales.
enum SalesQuery {
    /// Of what whole entries come to, by terminal and cashier; the others are ``SalePart/Dimension``.
    static let whole = "e"
    /// Through which document of the journal feed the sums are, in the table `meta`.
    static let through = "sums_through"

    /// The figures of a row, each in two halves.
    private static let halves = ["gross", "discounts", "refunds", "tax"].flatMap {
        ["\($0)_high", "\($0)_low"]
    }
    private static let keyColumns = ["dimension", "day", "store_id", "terminal_id", "key", "currency"]

    /// The currency that an entry `s` of the figures counts in: a refund that names none in that of its sale.
    static let currency =
        "COALESCE(s.currency, (SELECT o.currency FROM orders o WHERE o.order_id = s.order_id "
        + "AND o.repeats = 0), '\(NoCurrency.code)')"

    /// The sums of a dimension, those of archived documents in rows of their own: the columns `k0`, `k1`, …
    /// of the key, `currency`, `orders`, and for each figure `<figure>_high` and `<figure>_low`.
    static func sums(by dimension: SalesDimension, _ filter: SalesFilter) -> StoreQuery {
        let columns = columns(of: dimension)
        let keys = columns.enumerated().map { "\($0.element) AS k\($0.offset)" }
        let sums = (["orders"] + halves).map { "CAST(SUM(s.\($0)) AS BIGINT) AS \($0)" }
        var (terms, values) = condition(filter)
        values.append(dimension.part?.rawValue ?? whole)
        terms.append("s.dimension = $\(values.count)")
        let parts = [Table.live, .archived].map { table in
            "SELECT \((keys + ["s.currency AS currency"] + sums).joined(separator: ", ")) "
                + "FROM \(table.rawValue) s WHERE \(terms.joined(separator: " AND ")) GROUP BY "
                + (1...columns.count + 1).map(String.init).joined(separator: ", ")
        }
        return StoreQuery(parts.joined(separator: " UNION ALL "), of: values)
    }

    /// What the sums of documents are kept in.
    enum Table: String {
        /// Of those that the feed has.
        case live = "sales_sums"
        /// Of those that are in archives.
        case archived = "archived_sums"
    }

    /// Entries with their documents, in the order of these, behind a number.
    static func entries(
        behind number: Int64, through end: Int64? = nil, _ filter: SalesFilter = SalesFilter(), rows: Int
    ) -> StoreQuery {
        let limits = condition(filter)
        var values: [any StoreConvertible] = limits.values
        func mark(_ value: Int64) -> String {
            values.append(value)
            return "$\(values.count)"
        }
        var terms = limits.terms + ["d.number > \(mark(number))"]
        if let end { terms.append("d.number <= \(mark(end))") }
        return StoreQuery(
            "SELECT d.number, d.document, d.entry, s.kind, s.day, s.store_id, s.terminal_id, s.cashier_id, "
                + "\(currency) AS currency FROM documents d JOIN sales s ON s.mutation_id = d.entry "
                + "WHERE \(terms.joined(separator: " AND ")) ORDER BY d.number LIMIT \(rows)",
            values.map(\.storeValue), texts: ["document"])
    }

    /// Adds to rows of the sums, each of another key.
    static func additions(
        _ rows: [(key: SalesKey, value: SalesHalves)], to table: Table = .live
    ) -> StoreQuery {
        let all = keyColumns + ["orders"] + halves
        let marks = rows.indices.map { row in
            "(" + all.indices.map { "$\(row * all.count + $0 + 1)" }.joined(separator: ", ") + ")"
        }
        let changes = (["orders"] + halves).map { "\($0) = t.\($0) + excluded.\($0)" }
        return StoreQuery(
            "INSERT INTO \(table.rawValue) AS t (\(all.joined(separator: ", "))) "
                + "VALUES \(marks.joined(separator: ", ")) "
                + "ON CONFLICT (\(keyColumns.joined(separator: ", "))) DO UPDATE SET "
                + changes.joined(separator: ", "),
            of: rows.flatMap { row -> [any StoreConvertible] in row.key.texts + row.value.all })
    }

    /// Removes sums of days before one that came to nothing when their documents went into an archive.
    static func emptied(before day: String) -> StoreQuery {
        let figures = (["orders"] + halves).map { "\($0) = 0" }.joined(separator: " AND ")
        return StoreQuery("DELETE FROM sales_sums WHERE day < $1 AND \(figures)", of: [day])
    }

    private static func columns(of dimension: SalesDimension) -> [String] {
        switch dimension {
        case .day: ["s.day"]
        case .store: ["s.store_id"]
        case .terminal: ["s.store_id", "s.terminal_id"]
        case .cashier, .tender, .tax, .product: ["s.key"]
        }
    }

    private static func condition(_ filter: SalesFilter) -> (terms: [String], values: [String]) {
        let limits = [
            ("s.day >=", filter.from), ("s.day <=", filter.to), ("s.store_id =", filter.storeId),
        ].compactMap { comparison, value in value.map { (comparison, $0) } }
        var (terms, values) = (
            limits.enumerated().map { "\($0.element.0) $\($0.offset + 1)" }, limits.map(\.1)
        )
        if let stores = filter.stores {
            let marks = stores.indices.map { "$\(values.count + $0 + 1)" }
            // A list without an element is no SQL.
            terms.append(stores.isEmpty ? "1 = 0" : "s.store_id IN (\(marks.joined(separator: ", ")))")
            values += stores
        }
        return (terms, values)
    }
}

/// What a row of the sums is of.
struct SalesKey: Hashable, Comparable {
    var dimension: String
    var day: String
    var storeId: String
    /// Empty for a part of an entry.
    var terminalId = ""
    /// As ``SalesKey/stored(_:)`` writes it.
    var key: String
    var currency: String

    /// A key as its column has it.
    static func stored(_ key: String?) -> String { key.map { "=" + $0 } ?? "" }

    /// The other way round.
    static func key(_ stored: String) -> String? { stored.isEmpty ? nil : String(stored.dropFirst()) }

    /// In one order, so that two hubs that add to the same ones do not wait for each other.
    static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: (String, String, String, String, String, String) {
        (dimension, day, storeId, terminalId, key, currency)
    }

    /// In the order of the columns.
    var texts: [String] { [dimension, day, storeId, terminalId, key, currency] }
}

/// Sums of amounts, each in two halves.
struct SalesHalves {
    private(set) var all = [Int64](repeating: 0, count: 9)

    mutating func add(_ amounts: SaleAmounts) {
        let figures = [amounts.gross, amounts.discounts, amounts.refunds, amounts.tax]
        let parts = [amounts.orders] + figures.flatMap { [$0 >> 32, $0 & 0xFFFF_FFFF] }
        for (index, part) in parts.enumerated() { all[index] += part }
    }

    /// What takes the same away.
    var negated: SalesHalves {
        var halves = self
        halves.all = all.map(-)
        return halves
    }
}

extension SalesReport {
    /// Adds a row of ``SalesQuery/sums(by:_:)``.
    mutating func add(_ row: StoreRow, of dimension: SalesDimension) throws {
        func sum(_ name: String) throws -> Int128 {
            let (high, low): (Int64, Int64) = (try row[name + "_high"], try row[name + "_low"])
            return Int128(high) << 32 + Int128(low)
        }
        let texts: [String] = try dimension.names.indices.map { try row["k\($0)"] }
        let isKey = dimension == .cashier || dimension.part != nil
        add(
            isKey ? texts.map(SalesKey.key) : texts, try row["currency"],
            orders: Int128(try row["orders"] as Int64), gross: try sum("gross"),
            discounts: try sum("discounts"), refunds: try sum("refunds"), tax: try sum("tax"))
    }
}

extension KeptSums {
    /// The mutations with what the store keeps of their amounts; a condition follows.
    static let query =
        "SELECT m.id, m.type, m.document, o.total, o.currency, o.voided_by, s.gross, s.discounts, s.refunds, "
        + "s.tax, v.gross AS void_gross, d.document AS filed FROM mutations m "
        + "LEFT JOIN orders o ON o.mutation_id = m.id LEFT JOIN sales s ON s.mutation_id = m.id "
        + "LEFT JOIN sales v ON v.mutation_id = o.voided_by LEFT JOIN documents d ON d.entry = m.id "

    /// Accepted sales and refunds whose documents are in the store. What a void comes to is compared with
    /// its sale.
    static let condition =
        "m.type IN ('order.completed', 'refund.completed') AND m.outcome = 'applied' "
        + "AND m.archive IS NULL "
}
