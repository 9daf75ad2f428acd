package import HubProtocol

/// What sales are summed up by.
package enum SalesDimension: String, Hashable, Sendable, CaseIterable {
    case day, store, terminal, cashier, tender, tax, product

    /// The part of an entry that has this dimension; nil where the entry as a whole has it.
    package var part: SalePart.Dimension? {
        switch self {
        case .day, .store, .terminal, .cashier: nil
        case .tender: .tender
        case .tax: .tax
        case .product: .product
        }
    }

    /// The members of a row's key, in the order of the values.
    package var names: [String] {
        switch self {
        case .day: ["day"]
        case .store: ["storeId"]
        case .terminal: ["storeId", "terminalId"]
        case .cashier: ["cashierId"]
        case .tender: ["method"]
        case .tax: ["taxBasisPoints"]
        case .product: ["sku"]
        }
    }
}

/// Which entries of the read model are meant; nil for no limit.
package struct SalesFilter: Hashable, Sendable {
    /// The first business day, YYYY-MM-DD.
    package var from: String?
    /// The last business day.
    package var to: String?
    package var storeId: String?
    /// Some stores, ``mostStores`` at most.
    package var stores: [String]?
    /// Of each store its own day; of a list of orders alone, in the place of ``from`` and ``to``.
    package var own: StoreDays?

    /// As many as have a row of their own in a table of the dashboard: each is a value of the query.
    package static let mostStores = 500

    /// Every entry, but for what is named.
    package init(from: String? = nil, to: String? = nil, storeId: String? = nil, stores: [String]? = nil) {
        self.from = from
        self.to = to
        self.storeId = storeId
        self.stores = stores.map { Array($0.prefix(Self.mostStores)) }
    }
}

/// The business day that each store is in.
package struct StoreDays: Hashable, Sendable {
    /// Of the stores that are not among ``others``, YYYY-MM-DD.
    package let usual: String
    /// Stores that are in another day, by that day; ``mostStores`` at most are distinguished.
    package let others: [String: [String]]

    /// Each is a value of the query, of which a database takes some ten thousand.
    package static let mostStores = 10_000

    package init(usual: String, others: [String: [String]] = [:]) {
        self.usual = usual
        var left = Self.mostStores
        var kept: [String: [String]] = [:]
        for (day, stores) in others.sorted(by: { $0.key < $1.key }) where left > 0 {
            kept[day] = Array(stores.prefix(left))
            left -= stores.count
        }
        self.others = kept
    }

    /// Every day that a store is in, the earliest first.
    package var days: [String] { Set([usual] + others.keys).sorted() }
}

/// One row of a report: the sums of one key in one currency.
package struct SalesRow: Hashable, Sendable {
    /// What the sums are of.
    package let dimension: SalesDimension
    /// The values of ``SalesDimension/names``; nil for what has none.
    package let key: [String?]
    /// ISO 4217, or its code for "no currency".
    package let currency: String
    /// Sales less voids.
    package let orders: Int128
    /// Whether it is the sum of all keys that have no row of their own; ``key`` has no values then.
    package var isOthers = false
    /// Minor units, as in ``SaleAmounts``.
    package let gross: Int128
    /// Minor units.
    package let discounts: Int128
    /// Minor units.
    package let refunds: Int128
    /// Minor units.
    package let tax: Int128

    /// Minor units: gross less discounts less refunds.
    package var net: Int128 { gross - discounts - refunds }

    /// `{"key","orders","gross","discounts","refunds","net","tax","currency"}`; with `exceeds`, where a sum
    /// is larger than a number that travels: then the nearest one that does stands in its place; and with
    /// `others` in the row of what has no row of its own.
    package var json: JSONValue {
        let range = JSONValue.exactIntegers
        let sums = [
            ("orders", orders), ("gross", gross), ("discounts", discounts), ("refunds", refunds),
            ("net", net), ("tax", tax),
        ]
        var members: JSONObject = ["key": keyJSON, "currency": .string(currency)]
        if isOthers { members["others"] = true }
        for (name, sum) in sums {
            let nearest = min(max(sum, Int128(range.lowerBound)), Int128(range.upperBound))
            members[name] = .integer(Int64(nearest))
            if nearest != sum { members["exceeds"] = true }
        }
        return .object(members)
    }

    private var keyJSON: JSONValue {
        var members: JSONObject = [:]
        for (name, value) in zip(dimension.names, key) {
            members[name] = dimension == .tax ? JSONValue(value.flatMap { Int64($0) }) : JSONValue(value)
        }
        return .object(members)
    }
}

/// Adds entries of the read model up to the rows of a report.
package struct SalesReport: Sendable {
    private struct Key: Hashable {
        let values: [String?]
        let currency: String
    }

    private struct Sums {
        var orders: Int128 = 0
        var gross: Int128 = 0
        var discounts: Int128 = 0
        var refunds: Int128 = 0
        var tax: Int128 = 0
    }

    private let dimension: SalesDimension
    private var sums: [Key: Sums] = [:]

    /// An empty report.
    package init(by dimension: SalesDimension) {
        self.dimension = dimension
    }

    /// Adds what a store has summed up already.
    package mutating func add(
        _ key: [String?], _ currency: String, orders: Int128, gross: Int128, discounts: Int128,
        refunds: Int128, tax: Int128
    ) {
        var sum = sums[Key(values: key, currency: currency)] ?? Sums()
        sum.orders += orders
        sum.gross += gross
        sum.discounts += discounts
        sum.refunds += refunds
        sum.tax += tax
        sums[Key(values: key, currency: currency)] = sum
    }

    /// Adds an entry, or a part of one.
    package mutating func add(_ key: [String?], _ currency: String, _ amounts: SaleAmounts) {
        add(
            key, currency, orders: Int128(amounts.orders), gross: Int128(amounts.gross),
            discounts: Int128(amounts.discounts), refunds: Int128(amounts.refunds),
            tax: Int128(amounts.tax))
    }

    /// In the order of the keys, those without a value last; then by currency.
    package var rows: [SalesRow] {
        sums.map { key, sum in
            SalesRow(
                dimension: dimension, key: key.values, currency: key.currency, orders: sum.orders,
                gross: sum.gross, discounts: sum.discounts, refunds: sum.refunds, tax: sum.tax)
        }.sorted { left, right in
            for (one, other) in zip(left.key, right.key) where one != other {
                guard let one else { return false }
                guard let other else { return true }
                if dimension == .tax, let first = Int64(one), let second = Int64(other) {
                    return first < second
                }
                return one < other
            }
            return left.currency < right.currency
        }
    }
}

extension [SalesRow] {
    /// The rows with at most `most` keys of their own, those with the most orders; what the others come to
    /// stands in rows behind them, one for each currency.
    package func ended(at most: Int) -> [SalesRow] {
        guard count > most, let dimension = first?.dimension else { return self }
        let ranked = indices.sorted { (-self[$0].orders, $0) < (-self[$1].orders, $1) }
        let kept = ranked.prefix(most).sorted()
        var others = SalesReport(by: dimension)
        var currencies: Set<String> = []
        for index in ranked.dropFirst(most) {
            let row = self[index]
            if currencies.count < Self.mostCurrencies { currencies.insert(row.currency) }
            others.add(
                row.key.map { _ in nil },
                currencies.contains(row.currency) ? row.currency : NoCurrency.code, orders: row.orders,
                gross: row.gross, discounts: row.discounts, refunds: row.refunds, tax: row.tax)
        }
        return kept.map { self[$0] }
            + others.rows.map { row in
                var row = row
                row.isOthers = true
                return row
            }
    }

    /// More than any chain sells in; what is beyond is no currency's, since a terminal may name any three
    /// letters.
    private static let mostCurrencies = 20
    /// Keys in a table that people look at: with half of it a chain of 150 stores does not see all of them,
    /// twice as many make a page of half a megabyte.
    package static let mostInTable = MetricPage.mostKeys
    /// Keys in a response: at some 500 bytes each, ``PageLimit/bytes``.
    package static let mostInResponse = 4_000
}
