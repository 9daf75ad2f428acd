package import Base
package import HubProtocol
package import OfflineCore
package import OfflineMode
package import Pricing

/// A refund that is durable on this terminal: goods of a sale that came back, and the money for them.
package struct Refund: Hashable, Sendable {
    /// A ULID; the same one again refunds nothing more.
    package let id: String
    /// The ULID of the order that the goods came from; nil where this terminal does not have it.
    package let orderId: String?
    /// The order's number as printed on its receipt; a refund has no number of its own. Nil without a
    /// receipt.
    package let orderNumber: String?
    /// Goods, amounts and people.
    package let content: RefundContent
    /// What the hub has of it.
    package let sync: SyncState
    /// Ten characters of the hash of the journal's entry, for paper; nil where there is no journal.
    package let shortCode: String?
    /// What of it the terminal's card machine gives back, and how far it is; empty: nothing.
    package var returns: [CardReturn] = []
    /// Keys of cards among its payments that were refused after their sale: no money came, so none goes back.
    package var refusedCards: Set<String> = []
    /// Whether its worth paid a sale that was recorded with it, so that no money was given back by itself.
    package var isOfExchange = false
    /// Whether money of a card goes back in cash. Only of a refund that is being made.
    package var isCardInCash = false

    /// Makes a refund; without `shortCode` its receipt has no short code.
    package init(
        id: String, orderId: String?, orderNumber: String?, content: RefundContent, sync: SyncState,
        shortCode: String? = nil
    ) {
        self.id = id
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.content = content
        self.sync = sync
        self.shortCode = shortCode
    }
}

/// Everything of a refund but its numbers.
package struct RefundContent: Hashable, Sendable {
    /// The mode at the begin of the refund; a switch during it does not change it.
    package let mode: Mode
    /// Unix milliseconds of the wall clock, for display.
    package let madeAt: Int64
    /// The store's zone in the tz database.
    package let timeZone: String
    /// ISO 4217, the sale's.
    package let currency: String
    /// Who refunds; nil in a store without cashiers, unless the request names one.
    package let cashierId: String?
    /// Whose PIN allowed it; nil: none was needed.
    package let approverId: String?
    /// The reason as typed; nil: none was given.
    package let reason: String?
    /// In the order of the sale; lines of which nothing came back are missing.
    package let lines: [RefundLine]
    /// Minor units, of all lines.
    package let total: Int64
    /// The taxes within ``total``, lowest rate first.
    package let taxes: [ReceiptTotals.TaxShare]
    /// Added to the total by rounding the cash of it to the smallest coin.
    package let cashRounding: Int64
    /// Where the money goes, cash last; they add up to ``paid``.
    package let payments: [SalePayment]
    /// The shift that was open; nil: none was.
    package var shiftId: String?
    /// What the refund does to the member's points; nil: nothing.
    package var points: ReturnedPoints?
    /// Who decided it; nil: the terminal sees no other tills.
    package var judgement: RefundJudgement?

    /// What the customer gets.
    package var paid: Int64 { total + cashRounding }
    /// What of it leaves the drawer.
    package var paidInCash: Int64 { payments.reduce(0) { $0 + ($1.method.isCash ? $1.amount : 0) } }
    /// The sum of ``taxes`` in minor units.
    package var tax: Int64 { taxes.reduce(0) { $0 + $1.tax } }

    /// Makes the content of a refund; without `approverId` no approver was needed. Amounts are minor units.
    /// By default it is paid in cash, belongs to no shift and moves no points.
    package init(
        mode: Mode, madeAt: Int64, timeZone: String, currency: String, cashierId: String?,
        approverId: String? = nil, reason: String?,
        lines: [RefundLine], total: Int64, taxes: [ReceiptTotals.TaxShare], cashRounding: Int64,
        payments: [SalePayment]? = nil, shiftId: String? = nil, points: ReturnedPoints? = nil
    ) {
        self.payments = payments ?? [SalePayment(method: .cash, amount: total + cashRounding)]
        self.mode = mode
        self.madeAt = madeAt
        self.timeZone = timeZone
        self.currency = currency
        self.cashierId = cashierId
        self.approverId = approverId
        self.reason = reason
        self.lines = lines
        self.total = total
        self.taxes = taxes
        self.cashRounding = cashRounding
        self.shiftId = shiftId
        self.points = points
    }
}

/// The refunded part of one line of a sale.
package struct RefundLine: Hashable, Sendable {
    /// The line's place in the sale, from 0.
    package let place: Int
    /// As in the sale's line.
    package let sku: String
    /// As in the sale's line, also when the catalogue has another one now.
    package let barcode: String
    /// As in the sale's line, for the receipt.
    package let name: String
    /// Thousandths of a unit.
    package let quantityMilli: Int64
    /// Minor units that are given back for it.
    package let total: Int64
    /// Hundredths of a percent.
    package let taxBasisPoints: Int64

    /// Makes a line; the amounts of all refunds of a line never exceed what was paid for it.
    package init(
        place: Int, sku: String, barcode: String, name: String, quantityMilli: Int64, total: Int64,
        taxBasisPoints: Int64
    ) {
        self.place = place
        self.sku = sku
        self.barcode = barcode
        self.name = name
        self.quantityMilli = quantityMilli
        self.total = total
        self.taxBasisPoints = taxBasisPoints
    }
}

/// Who refunds what of an order, when and why.
package struct RefundEntry: Hashable, Sendable {
    /// An article that comes back, and how much of it.
    package struct Item: Hashable, Sendable {
        /// A barcode or a sku of the sale.
        package let article: String
        /// Thousandths of a unit; nil: all that is left of it.
        package let quantityMilli: Int64?
        /// Minor units for one unit of goods without a receipt; nil: the catalogue's price.
        package let unitPriceMinor: Int64?
        /// The sku that the catalogue has for ``article``, so that any of an article's codes names its line.
        var sku: String?

        /// Makes an item; without `quantityMilli` all that is left of the article comes back.
        package init(article: String, quantityMilli: Int64? = nil, unitPriceMinor: Int64? = nil) {
            self.article = article
            self.quantityMilli = quantityMilli
            self.unitPriceMinor = unitPriceMinor
        }
    }

    /// The refund's id; the same one again returns the first refund.
    package let key: ULID
    /// Empty: all that is left of the sale.
    package internal(set) var items: [Item]
    /// The mode at the begin of the refund; it travels in the mutation.
    package let mode: Mode
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    package let businessDay: BusinessDay
    /// Who refunds; nil in a store without cashiers, unless the request names one.
    package let cashierId: String?
    /// Whose PIN allowed it; nil: none was needed.
    package let approverId: String?
    /// The reason as typed; nil: none was given.
    package let reason: String?
    /// Minor units to which the cash is rounded; 1: not.
    package let smallestCoin: Int64
    /// The store's zone in the tz database, for a refund of a sale that is not here.
    package let timeZone: String
    /// Its attachments, a photo of the goods for example.
    package let attachments: [Attachment]
    /// The tenders beside cash that money goes back to by the hub.
    package let repaidTenders: Set<String>
    /// The tenders that the terminal's own card machine gives back to what it charged.
    package let machineTenders: Set<String>
    /// Who decided that it may be made; nil: the terminal sees no other tills.
    package internal(set) var judgement: RefundJudgement?

    /// Makes an entry. Without `approverId` no approver was needed; an empty `items` means all that is left,
    /// empty `repaidTenders` and `machineTenders`, the default, cash.
    package init(
        key: ULID, items: [Item], mode: Mode, madeAt: Int64, businessDay: BusinessDay, cashierId: String?,
        approverId: String? = nil, reason: String?, smallestCoin: Int64, timeZone: String,
        attachments: [Attachment], repaidTenders: Set<String> = [], machineTenders: Set<String> = []
    ) {
        self.repaidTenders = repaidTenders
        self.machineTenders = machineTenders
        self.key = key
        self.items = items
        self.mode = mode
        self.madeAt = madeAt
        self.businessDay = businessDay
        self.cashierId = cashierId
        self.approverId = approverId
        self.reason = reason
        self.smallestCoin = smallestCoin
        self.timeZone = timeZone
        self.attachments = attachments
    }
}
