internal import HubProtocol
internal import Pricing

/// Why an order was not shown or changed.
package enum OrderRefusal: StorageRefusal {
    case unknownOrder(String)
    case voidedAlready(orderNumber: String)
    /// The hub has it as voided, and its money was returned with that.
    case voidedAtHub(orderNumber: String)
    /// Some or all of it was refunded, so it cannot be voided.
    case refundedAlready(orderNumber: String)
    /// All of it was refunded before.
    case nothingLeft(orderNumber: String)
    /// What other tills gave back of it, by their notes or the till that sold it, leaves too little.
    case returnedElsewhere(orderNumber: String)
    /// The order has no such barcode or sku.
    case notInOrder(article: String)
    /// Thousandths of a unit.
    case moreThanLeft(article: String, quantityMilli: Int64, left: Int64)
    case amountTooLarge
    /// A text that is no receipt's code, in full.
    case receiptUnreadable
    /// No terminal signed the code.
    case receiptInvalid
    /// The hub has to check the code, and does not respond, or does not have the sale yet.
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
    /// No other till may give anything back by this id.
    case unknownGrant(String)
    /// The till that may give it back was heard within a minute.
    case takerHeard(till: String)
    /// That till made it meanwhile, or this one cannot write that now.
    case notTakenBack(String)
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
        case .returnedElsewhere: "refund_exceeds_sale"
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
        case .unknownGrant: "unknown_grant"
        case .takerHeard: "taker_heard"
        case .notTakenBack: "not_taken_back"
        case .authority(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    package func text(from texts: any RefusalTexts) -> String { texts.text(self) }

    /// ``RefusalExit/rule`` unless the disk, the enrolment or ``authority(_:)`` gives another one.
    package var exit: RefusalExit {
        switch self {
        case .unknownOrder, .voidedAlready, .voidedAtHub, .refundedAlready, .nothingLeft, .returnedElsewhere,
            .notInOrder, .moreThanLeft, .amountTooLarge, .receiptUnreadable, .receiptInvalid,
            .receiptCurrency,
            .articleUnknown, .goodsMissing, .quantityInvalid, .priceOfReceipt, .priceAboveCatalogue,
            .quantityRequired, .priceRequired, .aboveLimit, .refusedByHub, .changedMeanwhile,
            .unknownCardReturn, .unknownGrant,
            .cardReturnSettled:
            .rule
        case .receiptUnchecked, .cardReturnWaiting, .takerHeard, .notTakenBack: .tryAgain
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
}
