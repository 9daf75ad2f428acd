internal import HubCore
import HubProtocol

/// The queries of the read model.
enum SalesQuery {
    /// A refund that names no currency counts in that of its sale.
    private static let currency =
        "COALESCE(s.currency, (SELECT o.currency FROM orders o WHERE o.order_id = s.order_id "
        + "AND o.repeats = 0), '\(NoCurrency.code)')"

    /// The figures of a row, each in two halves of 32 bits, since a sum of hostile amounts overflows.
    private static let figures = ["gross", "discounts", "refunds", "tax"]

    /// The sums by whole entries: the columns `k0`, `k1`, … of the key, `currency`, `orders`, and for each
    /// figure `<figure>_high` and `<figure>_low`.
    static func sums(by dimension: SalesDimension, _ filter: SalesFilter) -> StoreQuery {
        let columns = columns(of: dimension)
        let keys = columns.enumerated().map { "\($0.element) AS k\($0.offset)" }
        let sums = figures.flatMap { figure in
            [
                "CAST(SUM(s.\(figure) >> 32) AS BIGINT) AS \(figure)_high",
                "CAST(SUM(s.\(figure) & 4294967295) AS BIGINT) AS \(figure)_low",
            ]
        }
        let selected = keys + ["\(currency) AS currency", "CAST(SUM(s.orders) AS BIGINT) AS orders"] + sums
        let condition = condition(filter)
        let terms = condition.terms.isEmpty ? "" : "WHERE \(condition.terms.joined(separator: " AND ")) "
        return StoreQuery(
            "SELECT \(selected.joined(separator: ", ")) FROM sales s \(terms)GROUP BY "
                + (1...columns.count + 1).map(String.init).joined(separator: ", "), of: condition.values)
    }

    /// `day`, `mutation_id`, `currency` and `parts` of a page of entries.
    ///
    /// - Parameter place: the day and the mutation behind which the page begins.
    static func parts(
        _ filter: SalesFilter, after place: (day: String, mutationId: String), rows: Int
    ) -> StoreQuery {
        let condition = condition(filter)
        let count = condition.values.count
        let terms = condition.terms + ["(s.day, s.mutation_id) > ($\(count + 1), $\(count + 2))"]
        return StoreQuery(
            "SELECT s.day, s.mutation_id, \(currency) AS currency, s.parts FROM sales s "
                + "WHERE \(terms.joined(separator: " AND ")) ORDER BY s.day, s.mutation_id LIMIT \(rows)",
            of: condition.values + [place.day, place.mutationId])
    }

    private static func columns(of dimension: SalesDimension) -> [String] {
        switch dimension {
        case .day: ["s.day"]
        case .store: ["s.store_id"]
        case .terminal: ["s.store_id", "s.terminal_id"]
        case .cashier: ["s.cashier_id"]
        case .tender, .tax, .product: []
        }
    }

    /// Only what the filter names, so that the index of days serves it.
    private static func condition(_ filter: SalesFilter) -> (terms: [String], values: [String]) {
        let limits = [
            ("s.day >=", filter.from), ("s.day <=", filter.to), ("s.store_id =", filter.storeId),
        ].compactMap { comparison, value in value.map { (comparison, $0) } }
        return (limits.enumerated().map { "\($0.element.0) $\($0.offset + 1)" }, limits.map(\.1))
    }
}

extension SalesReport {
    /// Adds a row of ``SalesQuery/sums(by:_:)``.
    ///
    /// - Parameter figure: reads a whole number by its column's name.
    mutating func add(
        _ key: [String?], _ currency: String, figure: (String) throws -> Int64
    ) throws {
        func sum(_ name: String) throws -> Int128 {
            Int128(try figure(name + "_high")) << 32 + Int128(try figure(name + "_low"))
        }
        add(
            key, currency, orders: Int128(try figure("orders")), gross: try sum("gross"),
            discounts: try sum("discounts"), refunds: try sum("refunds"), tax: try sum("tax"))
    }
}

extension KeptSums {
    /// The mutations with what the store keeps of their amounts; a condition follows.
    static let query =
        "SELECT m.id, m.type, m.document, o.total, o.currency, o.voided_by, s.gross, s.discounts, s.refunds, "
        + "s.tax, v.gross AS void_gross FROM mutations m "
        + "LEFT JOIN orders o ON o.mutation_id = m.id LEFT JOIN sales s ON s.mutation_id = m.id "
        + "LEFT JOIN sales v ON v.mutation_id = o.voided_by "

    /// Accepted sales and refunds whose documents are kept. What a void comes to is compared with its sale.
    static let condition =
        "m.type IN ('order.completed', 'refund.completed') AND m.outcome = 'applied' "
        + "AND m.document IS NOT NULL "
}
