package import HubProtocol
package import OfflineCore

/// Who says what of a sale can still come back.
package enum LeftBy: String, DocumentValue {
    /// The hub counts what came back at every terminal.
    case hub
    /// The hub did not respond, or does not have the sale: the terminal counts what came back here.
    case till
}

/// One order: an entry of `pos orders list --json`.
package struct OrderEntry: MemberDocument {
    /// The sale as it was recorded; a void or refund does not change it.
    package var sale = SaleRecord()
    /// `pending`, `acknowledged`, `rejected`, `conflicted` or `discarded`.
    package var sync = ""
    /// Who sold it; nil in a store without cashiers.
    package var cashierId: String?
    /// Whose PIN allowed what the cashier's role does not; nil: none was needed.
    package var approverId: String?
    /// RFC 3339; nil: the order was not voided.
    package var voidedAt: String?
    /// What all ``refunds`` come to.
    package var refunded = MoneyAmount()
    /// The refunds that this terminal made of the order, the oldest first.
    package var refunds: [RefundRecord] = []
    /// RFC 3339.
    package var madeAt = ""
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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try sale.members(&m)
        try m("sync", &sync)
        try m.nullable("cashierId", &cashierId)
        try m.nullable("approverId", &approverId)
        // For readers other than the commands: it follows from `voidedAt`.
        var state: String? = state
        try m.optional("state", &state)
        try m.nullable("voidedAt", &voidedAt)
        try m("refunded", &refunded)
        try m("refunds", &refunds)
        try m("madeAt", &madeAt)
        try m.optional("cardReturns", &cardReturns, absent: [])
        var lines = left.map { left in zip(sale.lines, left).map(LeftLine.init) }
        try m.optional("left", &lines)
        left = lines?.map(\.quantityMilli)
        try m.optional("leftBy", &leftBy)
        try m.optional("returnedElsewhere", &returnedElsewhere, absent: [])
    }

    package var state: String { voidedAt == nil ? "completed" : "voided" }
}

/// What can still come back of a line of a sale.
private struct LeftLine: MemberDocument {
    var sku = ""
    var barcode = ""
    /// Thousandths of a unit.
    var quantityMilli: Int64 = 0

    init() {}

    init(_ line: SoldLine, _ quantityMilli: Int64) {
        (sku, barcode, self.quantityMilli) = (line.sku, line.barcode, quantityMilli)
    }

    mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("sku", &sku)
        try m("barcode", &barcode)
        try m("quantityMilli", &quantityMilli)
    }
}

/// The response to a request for one order: the document of `pos orders show` and `void`.
package struct OrderResponse: MemberDocument {
    /// The order with its sync state and its refunds.
    package var order = OrderEntry()
    /// The receipt as text, 40 columns.
    package var receipt = ""

    /// A response; the agent makes `receipt` from the recorded sale each time.
    package init(order: OrderEntry, receipt: String) {
        (self.order, self.receipt) = (order, receipt)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try order.members(&m)
        try m("receipt", &receipt)
    }
}

/// The document of `pos orders list`: the orders and their sums by what the hub has of them, so that money
/// that the hub refused stays in sight.
package struct OrderListResponse: MemberDocument {
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
    package var orders: [OrderEntry] = []
    /// Sorted by currency, then by sync state; empty without orders.
    package var sums: [Sum] = []

    /// Where the next page begins, as `before` of the next call; nil: there is no older order.
    package var next: String?

    /// A list with the sums of these `orders` alone, not of all on this terminal.
    package init(orders: [OrderEntry], sums: [Sum], next: String? = nil) {
        (self.orders, self.sums, self.next) = (orders, sums, next)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("orders", &orders)
        try m("sums", &sums)
        try m.optional("next", &next)
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
package struct RefundRecord: MemberDocument {
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
    package var refundId = ""
    /// The order that the goods were sold with, a ULID; nil where this terminal does not have it.
    package var orderId: String?
    /// The order's number, `<store>-<terminal>-<business day>-<counter>`; nil without a receipt.
    package var orderNumber: String?
    package var mode = Mode.online
    /// RFC 3339.
    package var madeAt = ""
    /// What the goods cost after all discounts, tax included, before rounding.
    package var total = MoneyAmount()
    /// The part of ``total`` that is tax.
    package var tax = MoneyAmount()
    /// Added to ``total`` by rounding the cash to the smallest coin; it can be below 0.
    package var cashRounding = MoneyAmount()
    /// What the customer got back.
    package var paid = MoneyAmount()
    /// Where it went, cash last; empty: all of it in cash.
    package var payments: [SaleRecord.Payment] = []
    /// As it was entered; nil: none was given.
    package var reason: String?
    /// Who refunded; nil in a store without cashiers.
    package var cashierId: String?
    /// Whose PIN allowed the refund; nil: none was needed.
    package var approverId: String?
    /// As ``OrderEntry/sync``.
    package var sync = ""
    /// One line for each line of the sale that goods came back from.
    package var lines: [Line] = []
    /// As ``SaleRecord/shortCode``.
    package var shortCode: String?
    /// What the refund did to the member's points; nil: nothing.
    package var points: ReturnedPoints?
    /// What of it the terminal's card machine gives back; empty, and then left out: nothing.
    package var cardReturns: [CardReturnRecord] = []
    /// Whether its worth paid a part of the sale of an exchange.
    package var isOfExchange = false

    /// A refund; its amounts have the currency of the sale.
    package init(
        refundId: String, orderId: String?, orderNumber: String?, mode: Mode, madeAt: String,
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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("refundId", &refundId)
        try m.nullable("orderId", &orderId)
        try m.nullable("orderNumber", &orderNumber)
        try m("mode", &mode)
        try m("madeAt", &madeAt)
        try m("total", &total)
        try m("tax", &tax)
        try m("cashRounding", &cashRounding)
        try m("paid", &paid)
        try m.nullable("reason", &reason)
        try m.nullable("cashierId", &cashierId)
        try m.nullable("approverId", &approverId)
        try m("sync", &sync)
        try m("lines", &lines)
        try m.nullable("shortCode", &shortCode)
        try m.optional("points", &points)
        try m.optional("payments", &payments, absent: [])
        try m.optional("cardReturns", &cardReturns, absent: [])
        try m.optional("ofExchange", &isOfExchange, absent: false)
    }

    /// What left the drawer for it.
    package var paidInCash: MoneyAmount {
        guard !payments.isEmpty else { return paid }
        let cash = payments.filter(\.isCash)
        return MoneyAmount(cash.reduce(0) { $0 + $1.amount.amount }, paid.currency)
    }
}

/// The response to a refund: the document of `pos orders refund --json`.
package struct RefundResponse: MemberDocument {
    /// The refund of this request, or the first one of the same key.
    package var refund = RefundRecord()
    /// The slip as text, 40 columns.
    package var receipt = ""
    /// Whether a card, wallet or voucher paid all of the sale or a part, and the money goes back in cash all
    /// the same.
    package var isPaidByCard = false
    /// Who decided it: `hub`, `seller` (the till that sold it) or `none`; nil: this till sees no others.
    package var arbiter: String?
    /// The ids of the store's tills that could not be reached, and may have given money back too; nil: the
    /// hub decided, which knows of all.
    package var unseen: [String]?

    /// A response; `isPaidByCard` is false where money goes back to the card.
    package init(refund: RefundRecord, receipt: String, isPaidByCard: Bool) {
        (self.refund, self.receipt, self.isPaidByCard) = (refund, receipt, isPaidByCard)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try refund.members(&m)
        try m("receipt", &receipt)
        try m.optional("paidByCard", &isPaidByCard, absent: false)
        try m.optional("arbiter", &arbiter)
        try m.optional("unseen", &unseen)
    }
}
