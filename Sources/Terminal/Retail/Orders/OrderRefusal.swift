internal import HubProtocol
internal import Pricing

/// Why an order was not shown or changed.
package enum OrderRefusal: Refusal {
    case unknownOrder(String)
    case voidedAlready(orderNumber: String)
    /// The hub has it as voided, and its money was returned with that.
    case voidedAtHub(orderNumber: String)
    /// Some or all of it was refunded, so it cannot be voided.
    case refundedAlready(orderNumber: String)
    /// All of it was refunded before.
    case nothingLeft(orderNumber: String)
    /// The order has no such barcode or sku.
    case notInOrder(article: String)
    /// Thousandths of a unit.
    case moreThanLeft(article: String, quantityMilli: Int64, left: Int64)
    case amountTooLarge
    /// A text that is no receipt's code, in full.
    case receiptUnreadable
    /// No terminal signed the code.
    case receiptInvalid
    /// The hub has to check the code, and does not respond.
    case receiptUnchecked
    /// The receipt is in another currency than the store's.
    case receiptCurrency(String, store: String)
    /// An article of the receipt, or one without a receipt, that the catalogue does not have.
    case articleUnknown(String)
    /// Goods without a receipt have to be named.
    case goodsMissing
    /// Thousandths of a unit that cannot come back at once.
    case quantityInvalid(article: String)
    /// What comes back by an order or a receipt is paid as it was sold.
    case priceOfReceipt(article: String)
    /// Goods without a receipt are paid at the catalogue's price at most; it is money as text.
    case priceAboveCatalogue(article: String, price: String)
    /// Goods by weight or measure without a receipt, and neither the line nor its code has a quantity.
    case quantityRequired(article: String, name: String)
    /// The article has no fixed price, and none was entered.
    case priceRequired(article: String, name: String, currency: String)
    /// More than `refund.withoutOrder` allows; the limit is money as text.
    case aboveLimit(String, of: LimitedAmount)
    /// Decided by the hub, over all terminals, before any money moved.
    case refusedByHub(HubRefusedRefund)
    /// Goods of the sale came back while the customer was paying.
    case changedMeanwhile
    /// Nothing of this refund or void goes back by the card machine.
    case unknownCardReturn(String)
    /// The card machine has not responded: it may have given the money back.
    case cardReturnWaiting(String)
    /// It is back on the card, or was paid in cash before.
    case cardReturnSettled(String)
    /// The person has no right to it, or is not known.
    case authority(AuthorityRefusal)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    /// What a limit of `refund.withoutOrder` is for.
    package enum LimitedAmount: Hashable, Sendable {
        case oneRefund
        case oneDay
    }

    /// For example `unknown_order`; a refusal about a person has the code of its ``AuthorityRefusal``.
    package var code: String {
        switch self {
        case .unknownOrder: "unknown_order"
        case .voidedAlready: "voided_already"
        case .voidedAtHub: "voided_at_hub"
        case .refundedAlready: "refunded_already"
        case .nothingLeft: "nothing_left"
        case .notInOrder: "not_in_order"
        case .moreThanLeft: "more_than_left"
        case .amountTooLarge: "amount_too_large"
        case .receiptUnreadable, .receiptInvalid: "receipt_code_invalid"
        case .receiptUnchecked: "receipt_unchecked"
        case .receiptCurrency: "currency_differs"
        case .articleUnknown: "unknown_barcode"
        case .goodsMissing: "goods_missing"
        case .quantityInvalid: "quantity_invalid"
        case .priceOfReceipt: "price_of_receipt"
        case .priceAboveCatalogue: "price_above_catalogue"
        case .quantityRequired: "quantity_required"
        case .priceRequired: "price_required"
        case .aboveLimit: "refund_limit"
        case .refusedByHub(let refusal): refusal.reason.rawValue
        case .changedMeanwhile: "refund_changed"
        case .unknownCardReturn: "unknown_card_return"
        case .cardReturnWaiting: "card_return_waiting"
        case .cardReturnSettled: "card_return_settled"
        case .authority(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    /// In English; quantities are in units, not thousandths.
    package var message: String {
        switch self {
        case .unknownOrder(let id): "This terminal has no order \(id); look it up with `pos orders list`."
        case .voidedAlready(let number): "The order \(number) is voided already; nothing was changed."
        case .voidedAtHub(let number):
            "At the hub the order \(number) is voided, and its money came back with that; give nothing more for it."
        case .refundedAlready(let number):
            "The order \(number) was refunded in part or whole; refund the rest with `pos orders refund`."
        case .nothingLeft(let number): "All of the order \(number) came back before; nothing was refunded."
        case .notInOrder(let article):
            "The order has no \(CardNumber.masked(article)); look its lines up with `pos orders show`."
        case .refusedByHub(let refusal): refusal.message
        case .moreThanLeft(let article, _, 0):
            "All of \(article) came back before; nothing was refunded."
        case .moreThanLeft(let article, let quantity, let left):
            "\(QuantityText.text(milli: quantity)) of \(article) cannot come back, "
                + "\(QuantityText.text(milli: left)) of the order is left; nothing was refunded."
        case .amountTooLarge: "The amount is too large to be money; nothing was refunded."
        case .receiptUnreadable:
            "That is not the code of a receipt, HF1.… in full; scan it again, or refund by the order's number "
                + "at the terminal that sold it."
        case .receiptInvalid:
            "No terminal of the store signed this receipt's code; scan it again. Nothing was refunded."
        case .receiptUnchecked:
            "The hub alone can check this receipt, and it does not respond; try again later. "
                + "Nothing was refunded."
        case .receiptCurrency(let currency, let store):
            "The receipt is in \(currency), this store sells in \(store); nothing was refunded."
        case .articleUnknown(let article):
            "This terminal's catalogue has no \(CardNumber.masked(article)), so its tax is unknown; try again when the hub "
                + "responds. Nothing was refunded."
        case .goodsMissing: "Name what comes back with --line; without a receipt nothing else says it."
        case .quantityInvalid(let article):
            "\(article) cannot come back in this quantity; nothing was refunded."
        case .priceOfReceipt(let article):
            "\(article) comes back at the price that was paid for it; leave its price out. Nothing was refunded."
        case .priceAboveCatalogue(let article, let price):
            "\(article) costs \(price), and no more is paid for it without a receipt; enter a lower price. "
                + "Nothing was refunded."
        case .quantityRequired(let article, let name):
            "\(name) is sold by weight or measure; enter how much comes back (--line \(article):0.357). "
                + "Nothing was refunded."
        case .priceRequired(let article, let name, _):
            "\(name) has no fixed price; enter what was paid for one (--line \(article)@PRICE). Nothing was "
                + "refunded."
        case .aboveLimit(let limit, .oneRefund):
            "Without the order a refund is at most \(limit) (refund.withoutOrder); try again when the hub "
                + "responds. Nothing was refunded."
        case .aboveLimit(let limit, .oneDay):
            "Without the orders this terminal gives back at most \(limit) a day (refund.withoutOrder); try "
                + "again when the hub responds. Nothing was refunded."
        case .changedMeanwhile:
            "Goods of this sale came back at the same time, so the amount is another one; nothing was recorded. "
                + "Try again."
        case .unknownCardReturn(let id):
            "Nothing of \(id) goes back by the card machine; `pos orders owed` lists what does. Nothing was paid."
        case .cardReturnWaiting(let id):
            "The card machine has not responded about \(id) and may have given the money back, so no cash is "
                + "paid; the request is repeated until the machine can be reached."
        case .cardReturnSettled(let id):
            "The money of \(id) is back on the card, or was paid in cash before; nothing more was paid."
        case .authority(let refusal): refusal.message
        case .diskFull(let path): "The disk of \(path) is full, nothing was changed; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was changed: \(detail)."
        case .notEnrolled: "The terminal belongs to no store yet; run `pos init`."
        }
    }

    /// ``RefusalExit/rule`` unless the disk, the enrolment or ``authority(_:)`` gives another one.
    package var exit: RefusalExit {
        switch self {
        case .unknownOrder, .voidedAlready, .voidedAtHub, .refundedAlready, .nothingLeft, .notInOrder,
            .moreThanLeft, .amountTooLarge, .receiptUnreadable, .receiptInvalid, .receiptCurrency,
            .articleUnknown, .goodsMissing, .quantityInvalid, .priceOfReceipt, .priceAboveCatalogue,
            .quantityRequired, .priceRequired, .aboveLimit, .refusedByHub, .changedMeanwhile,
            .unknownCardReturn,
            .cardReturnSettled:
            .rule
        case .receiptUnchecked, .cardReturnWaiting: .tryAgain
        case .authority(let refusal): refusal.exit
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }

    /// Those of ``authority(_:)``, a missing price and ``refusedByHub(_:)``; empty for every other case.
    package var details: RefusalDetails {
        switch self {
        case .authority(let refusal): refusal.details
        case .quantityRequired(_, let name): RefusalDetails(article: name)
        case .priceRequired(_, let name, let currency): RefusalDetails(article: name, currency: currency)
        case .refusedByHub(let refusal):
            RefusalDetails(currency: refusal.currency, returned: refusal.returned)
        case _: RefusalDetails()
        }
    }

    init(_ error: StorageError) {
        switch error {
        case .diskFull(let path): self = .diskFull(path: path)
        case .notEnrolled: self = .notEnrolled
        case .unavailable(let detail): self = .notRecorded(detail: detail)
        case .leaseSpent: self = .notRecorded(detail: "another sale spent the lease meanwhile")
        }
    }
}
