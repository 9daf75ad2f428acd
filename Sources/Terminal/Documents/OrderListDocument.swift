internal import HubProtocol
internal import OfflineMode
internal import Pricing
internal import Retail

/// `pos orders list --json`: the orders, and what they come to by what the hub has of them, so that money
/// that the hub refused stays in sight.
struct OrderListDocument {
    let orders: [Order]

    var json: JSONValue {
        ["orders": .array(orders.map(SaleDocument.order)), "sums": .array(sums)]
    }

    /// One sum for each currency and sync state of the orders that are not voided.
    private var sums: [JSONValue] {
        struct Key: Hashable {
            let currency: String
            let sync: String
        }
        var sums: [Key: (orders: Int64, amount: Int64, refunded: Int64)] = [:]
        for order in orders where order.sale.voidedAt == nil {
            let content = order.sale.content
            let key = Key(currency: content.currency, sync: order.sync.rawValue)
            sums[key, default: (0, 0, 0)].orders += 1
            sums[key, default: (0, 0, 0)].amount += content.totals.total
            sums[key, default: (0, 0, 0)].refunded += order.refunds.reduce(0) { $0 + $1.content.total }
        }
        return sums.sorted { ($0.key.currency, $0.key.sync) < ($1.key.currency, $1.key.sync) }.map {
            key, sum in
            [
                "currency": .string(key.currency), "sync": .string(key.sync),
                "orders": .integer(sum.orders), "amount": .integer(sum.amount),
                "refunded": .integer(sum.refunded),
            ]
        }
    }
}
