internal import HubCore
package import HubProtocol

/// What sales of one currency come to.
package struct CurrencySum: Fact {
    /// ISO 4217, or its code for "no currency".
    package private(set) var currency = ""
    /// How many sales, or refunds, have this currency.
    package private(set) var orders: Int64 = 0
    /// Minor units; the nearest number that travels (2⁵³ − 1 in size) where ``exceeds`` is true.
    package private(set) var amount: Int64 = 0
    /// Whether the sum is larger than a number that travels. Sums of a terminal that wrote such amounts are
    /// its own trouble and are shown as such.
    package private(set) var exceeds = false

    /// A sum that fits 64 bits; ``exceeds`` is true if it is larger than a number that travels.
    package init(currency: String, orders: Int64, amount: Int64) {
        self.init(currency: currency, orders: orders, sum: Int128(amount))
    }

    /// - Parameters:
    ///   - high: the sum of all amounts shifted right by 32 bits.
    ///   - low: the sum of the 32 bits that the shift drops. Neither overflows below 2³¹ orders.
    package init(currency: String, orders: Int64, high: Int64, low: Int64) {
        self.init(currency: currency, orders: orders, sum: Int128(high) << 32 + Int128(low))
    }

    init(currency: String, orders: Int64, sum: Int128) {
        let range = JSONValue.exactIntegers
        let nearest = min(max(sum, Int128(range.lowerBound)), Int128(range.upperBound))
        self.currency = currency
        self.orders = orders
        amount = Int64(nearest)
        exceeds = nearest != sum
    }

    /// How many currencies are shown of a terminal, the most used first. A shop has one; a terminal that
    /// writes hundreds fills its own line of the audit and no more.
    package static let maximum = 20

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount)
        try m.text("currency", &currency)
        try m.mark("exceeds", &exceeds)
        try m.number("orders", &orders)
    }
}

/// How many sales, and what they come to.
package struct SaleSum: Fact {
    /// Sales, or refunds, of all currencies together.
    package private(set) var orders: Int64 = 0
    /// By currency, the most used first.
    package private(set) var amounts: [CurrencySum] = []

    /// No sales and no amounts.
    package static let none = SaleSum(amounts: [])

    package init(orders: Int64, amount: Int64, currency: String) {
        self.orders = orders
        amounts = [CurrencySum(currency: currency, orders: orders, amount: amount)]
    }

    /// - Parameter amounts: by currency, the most used first.
    package init(amounts: [CurrencySum]) {
        self.init(orders: amounts.reduce(0) { $0 + $1.orders }, amounts: amounts)
    }

    fileprivate init(orders: Int64, amounts: [CurrencySum]) {
        self.orders = orders
        self.amounts = amounts
    }

    /// Minor units of the most used currency.
    package var amount: Int64 { amounts.first?.amount ?? 0 }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        // It follows from the others, and is not read.
        var largest: Int64? = amount
        try m.number("amount", &largest, .optional)
        try m.list("amounts", &amounts)
        try m.number("orders", &orders)
    }
}

/// Sums sales up one by one, so that no two of their documents are in memory at once.
package struct SaleCounter {
    private var sums: [String: (orders: Int64, sum: Int128)] = [:]

    package init() {}

    /// Counts an entry of the journal if it is a sale, also one that was refused, whose members may be
    /// anything: what is no currency counts as none.
    package mutating func add(_ entry: JSONValue) {
        guard entry["type"]?.string == CompletedOrder.type else { return }
        let sale = EntryMembers(shown: entry["payload"])
        let currency = NamedCurrency.of(sale.currency) ?? NoCurrency.code
        let before = sums[currency] ?? (0, 0)
        sums[currency] = (before.orders + 1, before.sum + Int128(sale.total ?? 0))
    }

    /// What was counted, the most used currencies first.
    package var sum: SaleSum {
        let all = sums.map { CurrencySum(currency: $0.key, orders: $0.value.orders, sum: $0.value.sum) }
        return SaleSum(
            orders: all.reduce(0) { $0 + $1.orders },
            amounts: Array(
                all.sorted { ($1.orders, $0.currency) < ($0.orders, $1.currency) }.prefix(CurrencySum.maximum)
            ))
    }
}
