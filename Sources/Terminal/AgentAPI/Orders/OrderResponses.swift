package import HubProtocol

/// Who says what of a sale can still come back.
package enum LeftBy: String, Hashable, Sendable {
    /// The hub counts what came back at every terminal.
    case hub
    /// The hub did not respond, or does not have the sale: the terminal counts what came back here.
    case till
}

/// One order: an entry of `pos orders list --json`.
package struct OrderEntry: AgentDocument {
    /// The sale as it was recorded; a void or refund does not change it.
    package let sale: SaleRecord
    /// `pending`, `acknowledged`, `rejected`, `conflicted` or `discarded`.
    package let sync: String
    /// Who sold it; nil in a store without cashiers.
    package let cashierId: String?
    /// Whose PIN allowed what the cashier's role does not; nil: none was needed.
    package let approverId: String?
    /// RFC 3339; nil: the order was not voided.
    package let voidedAt: String?
    /// What all ``refunds`` come to.
    package let refunded: MoneyAmount
    /// The refunds that this terminal made of the order, the oldest first.
    package let refunds: [RefundRecord]
    /// RFC 3339.
    package let madeAt: String
    /// What the terminal's card machine gives back for the void; empty, and then left out: nothing.
    package var cardReturns: [CardReturnRecord] = []
    /// Thousandths of a unit that can still come back, in the order of the sale's lines; nil in lists.
    package var left: [Int64]?
    /// Who decided ``left``; nil with it.
    package var leftBy: LeftBy?
    /// What came back at other terminals, as far as the hub has reported it, oldest first.
    package var returnedElsewhere: [ReceiptSale.Refund] = []

    /// An entry; `cashierId`, `approverId` and `voidedAt` are nil where there is none.
    package init(
        sale: SaleRecord, sync: String, cashierId: String?, approverId: String?, voidedAt: String?,
        refunded: MoneyAmount, refunds: [RefundRecord], madeAt: String
    ) {
        self.sale = sale
        self.sync = sync
        self.cashierId = cashierId
        self.approverId = approverId
        self.voidedAt = voidedAt
        self.refunded = refunded
        self.refunds = refunds
        self.madeAt = madeAt
    }

    /// Every member is required but `state`, which is computed; `cashierId`, `approverId` and `voidedAt` may
    /// be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            sale: try SaleRecord(members), sync: try members.string("sync"),
            cashierId: try members.nullable("cashierId", members.string),
            approverId: try members.nullable("approverId", members.string),
            voidedAt: try members.nullable("voidedAt", members.string),
            refunded: try members.document("refunded"), refunds: try members.documents("refunds"),
            madeAt: try members.string("madeAt"))
        cardReturns = try members.optional("cardReturns", members.documents) ?? []
        leftBy = members.whole["leftBy"]?.string.flatMap(LeftBy.init(rawValue:))
        left = members.whole["left"]?.array?.map { $0["quantityMilli"]?.integer ?? 0 }
        returnedElsewhere = (members.whole["returnedElsewhere"]?.array ?? []).compactMap {
            try? ReceiptSale.Refund(json: $0)
        }
    }

    package var state: String { voidedAt == nil ? "completed" : "voided" }

    var members: JSONObject {
        var members = sale.members
        members["sync"] = .string(sync)
        members["cashierId"] = JSONValue(cashierId)
        members["approverId"] = JSONValue(approverId)
        members["state"] = .string(state)
        members["voidedAt"] = JSONValue(voidedAt)
        members["refunded"] = refunded.json
        members["refunds"] = JSONValue(documents: refunds)
        members["madeAt"] = .string(madeAt)
        if !cardReturns.isEmpty { members["cardReturns"] = JSONValue(documents: cardReturns) }
        members["left"] = left.map { left in
            .array(
                zip(sale.lines, left).map { line, quantity in
                    [
                        "sku": .string(line.sku), "barcode": .string(line.barcode),
                        "quantityMilli": .integer(quantity),
                    ]
                })
        }
        members["leftBy"] = leftBy.map { .string($0.rawValue) }
        if !returnedElsewhere.isEmpty {
            members["returnedElsewhere"] = .array(returnedElsewhere.map(\.json))
        }
        return members
    }

    /// The members of ``sale`` and those of the entry in one object.
    package var json: JSONValue { .object(members) }
}

/// The response to a request for one order: the document of `pos orders show` and `void`.
package struct OrderResponse: AgentDocument {
    /// The order with its sync state and its refunds.
    package let order: OrderEntry
    /// The receipt as text, 40 columns.
    package let receipt: String

    /// A response; the agent makes `receipt` from the recorded sale each time.
    package init(order: OrderEntry, receipt: String) {
        (self.order, self.receipt) = (order, receipt)
    }

    /// Reads the order's members and `receipt` from one object.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(order: try OrderEntry(members), receipt: try members.string("receipt"))
    }

    /// The order's members with `receipt` beside them.
    package var json: JSONValue {
        var members = order.members
        members["receipt"] = .string(receipt)
        return .object(members)
    }
}

/// The document of `pos orders list`: the orders and their sums by what the hub has of them, so that money
/// that the hub refused stays in sight.
package struct OrderListResponse: AgentDocument {
    /// One sum for each currency and sync state of the orders that are not voided.
    package struct Sum: MemberDocument {
        /// ISO 4217.
        package var currency = ""
        /// As ``OrderEntry/sync``.
        package var sync = ""
        /// How many orders the sum has.
        package var orders: Int64 = 0
        /// Minor units.
        package var amount: Int64 = 0
        /// Minor units.
        package var refunded: Int64 = 0

        /// A sum; `amount` is the total before `refunded` is taken off.
        package init(currency: String, sync: String, orders: Int64, amount: Int64, refunded: Int64) {
            self.currency = currency
            self.sync = sync
            self.orders = orders
            self.amount = amount
            self.refunded = refunded
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("currency", &currency)
            try m("sync", &sync)
            try m("orders", &orders)
            try m("amount", &amount)
            try m("refunded", &refunded)
        }
    }

    /// Newest first.
    package let orders: [OrderEntry]
    /// Sorted by currency, then by sync state; empty without orders.
    package let sums: [Sum]

    /// Where the next page begins, as `before` of the next call; nil: there is no older order.
    package var next: String?

    /// A list with the sums of these `orders` alone, not of all on this terminal.
    package init(orders: [OrderEntry], sums: [Sum], next: String? = nil) {
        (self.orders, self.sums, self.next) = (orders, sums, next)
    }

    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            orders: try members.documents("orders"), sums: try members.documents("sums"),
            next: try members.optional("next", members.string))
    }

    /// `{"orders":[…],"sums":[…],"next"}`, without `next` where nothing follows.
    package var json: JSONValue {
        var members: JSONObject = [
            "orders": JSONValue(documents: orders), "sums": JSONValue(documents: sums),
        ]
        if let next { members["next"] = .string(next) }
        return .object(members)
    }

    /// This page and the one behind it as one list.
    package func followed(by page: OrderListResponse) -> OrderListResponse {
        var sums: [String: Sum] = [:]
        for sum in self.sums + page.sums {
            let key = sum.currency + " " + sum.sync
            sums[key] = sums[key].map { $0.adding(sum) } ?? sum
        }
        return OrderListResponse(
            orders: orders + page.orders,
            sums: sums.values.sorted { ($0.currency, $0.sync) < ($1.currency, $1.sync) }, next: page.next)
    }
}

extension OrderListResponse.Sum {
    /// With another sum of the same currency and state.
    fileprivate func adding(_ other: OrderListResponse.Sum) -> OrderListResponse.Sum {
        OrderListResponse.Sum(
            currency: currency, sync: sync, orders: orders + other.orders, amount: amount + other.amount,
            refunded: refunded + other.refunded)
    }
}

/// One refund, in the order that it belongs to.
package struct RefundRecord: AgentDocument {
    /// An article that came back.
    package struct Line: MemberDocument {
        /// As in the sale's line.
        package var sku = ""
        /// The barcode of the sale's line.
        package var barcode = ""
        /// The article's name when it was sold.
        package var name = ""
        /// Thousandths of a unit.
        package var quantityMilli: Int64 = 0
        /// Minor units.
        package var total: Int64 = 0
        /// Hundredths of a percent.
        package var taxBasisPoints: Int64 = 0

        /// A line; `total` is what is given back for the article.
        package init(
            sku: String, barcode: String, name: String, quantityMilli: Int64, total: Int64,
            taxBasisPoints: Int64
        ) {
            self.sku = sku
            self.barcode = barcode
            self.name = name
            self.quantityMilli = quantityMilli
            self.total = total
            self.taxBasisPoints = taxBasisPoints
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("sku", &sku)
            try m("barcode", &barcode)
            try m("name", &name)
            try m("quantityMilli", &quantityMilli)
            try m("total", &total)
            try m("taxBasisPoints", &taxBasisPoints)
        }
    }

    /// A ULID.
    package let refundId: String
    /// The order that the goods were sold with, a ULID; nil where this terminal does not have it.
    package let orderId: String?
    /// The order's number, `<store>-<terminal>-<business day>-<counter>`; nil without a receipt.
    package let orderNumber: String?
    /// `online` or `offline`.
    package let mode: String
    /// RFC 3339.
    package let madeAt: String
    /// What the goods cost after all discounts, tax included, before rounding.
    package let total: MoneyAmount
    /// The part of ``total`` that is tax.
    package let tax: MoneyAmount
    /// Added to ``total`` by rounding the cash to the smallest coin; it can be below 0.
    package let cashRounding: MoneyAmount
    /// What the customer got back.
    package let paid: MoneyAmount
    /// Where it went, cash last; empty from an agent of an earlier version: all of it in cash.
    package let payments: [SaleRecord.Payment]
    /// As it was entered; nil: none was given.
    package let reason: String?
    /// Who refunded; nil in a store without cashiers.
    package let cashierId: String?
    /// Whose PIN allowed the refund; nil: none was needed.
    package let approverId: String?
    /// As ``OrderEntry/sync``.
    package let sync: String
    /// One line for each line of the sale that goods came back from.
    package let lines: [Line]
    /// As ``SaleRecord/shortCode``.
    package let shortCode: String?
    /// What the refund did to the member's points; nil: nothing.
    package var points: ReturnedPoints?
    /// What of it the terminal's card machine gives back; empty, and then left out: nothing.
    package var cardReturns: [CardReturnRecord] = []
    /// Whether its worth paid a part of the sale of an exchange.
    package var isOfExchange = false

    /// A refund; its amounts have the currency of the sale.
    package init(
        refundId: String, orderId: String?, orderNumber: String?, mode: String, madeAt: String,
        total: MoneyAmount, tax: MoneyAmount, cashRounding: MoneyAmount, paid: MoneyAmount, reason: String?,
        cashierId: String?, approverId: String?, sync: String, lines: [Line], shortCode: String?,
        payments: [SaleRecord.Payment] = []
    ) {
        self.payments = payments
        self.refundId = refundId
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.mode = mode
        self.madeAt = madeAt
        self.total = total
        self.tax = tax
        self.cashRounding = cashRounding
        self.paid = paid
        self.reason = reason
        self.cashierId = cashierId
        self.approverId = approverId
        self.sync = sync
        self.lines = lines
        self.shortCode = shortCode
    }

    /// Every member is required; `orderId`, `orderNumber`, `reason`, `cashierId`, `approverId` and
    /// `shortCode` may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            refundId: try members.string("refundId"),
            orderId: try members.nullable("orderId", members.string),
            orderNumber: try members.nullable("orderNumber", members.string),
            mode: try members.string("mode"),
            madeAt: try members.string("madeAt"), total: try members.document("total"),
            tax: try members.document("tax"), cashRounding: try members.document("cashRounding"),
            paid: try members.document("paid"), reason: try members.nullable("reason", members.string),
            cashierId: try members.nullable("cashierId", members.string),
            approverId: try members.nullable("approverId", members.string),
            sync: try members.string("sync"), lines: try members.documents("lines"),
            shortCode: try members.nullable("shortCode", members.string),
            payments: try members.optional("payments", members.documents) ?? [])
        points = try members.points(ReturnedPoints.init(json:))
        cardReturns = try members.optional("cardReturns", members.documents) ?? []
        isOfExchange = try members.optional("ofExchange", members.bool) ?? false
    }

    /// What left the drawer for it.
    package var paidInCash: MoneyAmount {
        guard !payments.isEmpty else { return paid }
        let cash = payments.filter { ($0.kind ?? $0.method) == "cash" }
        return MoneyAmount(cash.reduce(0) { $0 + $1.amount.amount }, paid.currency)
    }

    var members: JSONObject {
        var members: JSONObject = [
            "refundId": .string(refundId), "orderId": JSONValue(orderId),
            "orderNumber": JSONValue(orderNumber),
            "mode": .string(mode), "madeAt": .string(madeAt), "total": total.json, "tax": tax.json,
            "cashRounding": cashRounding.json, "paid": paid.json, "reason": JSONValue(reason),
            "cashierId": JSONValue(cashierId), "approverId": JSONValue(approverId), "sync": .string(sync),
            "lines": JSONValue(documents: lines), "shortCode": JSONValue(shortCode),
        ]
        members["points"] = points?.json
        if !payments.isEmpty { members["payments"] = JSONValue(documents: payments) }
        if !cardReturns.isEmpty { members["cardReturns"] = JSONValue(documents: cardReturns) }
        if isOfExchange { members["ofExchange"] = true }
        return members
    }

    /// What is nil is null, but for `points`, which are left out then.
    package var json: JSONValue { .object(members) }
}

/// The response to a refund: the document of `pos orders refund --json`.
package struct RefundResponse: AgentDocument {
    /// The refund of this request, or the first one of the same key.
    package let refund: RefundRecord
    /// The slip as text, 40 columns.
    package let receipt: String
    /// Whether a card, wallet or voucher paid all of the sale or a part, and the money goes back in cash all
    /// the same.
    package let isPaidByCard: Bool

    /// A response; `isPaidByCard` is false where money goes back to the card.
    package init(refund: RefundRecord, receipt: String, isPaidByCard: Bool) {
        (self.refund, self.receipt, self.isPaidByCard) = (refund, receipt, isPaidByCard)
    }

    /// Reads the refund's members and `receipt`; a missing `paidByCard` is false.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            refund: try RefundRecord(members), receipt: try members.string("receipt"),
            isPaidByCard: try members.optional("paidByCard", members.bool) ?? false)
    }

    /// The refund's members with `receipt`; `paidByCard` is present only where it is true.
    package var json: JSONValue {
        var members = refund.members
        members["receipt"] = .string(receipt)
        if isPaidByCard { members["paidByCard"] = true }
        return .object(members)
    }
}
