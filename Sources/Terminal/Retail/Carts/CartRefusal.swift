/// Why a cart was not parked, shown or dropped.
package enum CartRefusal: StorageRefusal {
    case unknownCart(String)
    case tooManyCarts(limit: Int)
    case textTooLong(field: String, limit: Int)
    /// Another screen works on it; nil: somebody else put it aside.
    case inUse(FrontEnd?)
    /// The customer handed over so much, which is not back.
    case hasMoney(String, cart: String)
    /// Its sale is recorded; the time is the store's, for people.
    case alreadySold(orderNumber: String, soldAt: Int64, shownAt: String = "")
    /// A card may be charged for it, so the cart stays until that is known.
    case cardUnknown(detail: String)
    /// What was taken has no amount, or none above 0.
    case amountMissing(method: String)
    /// Another till of the store has the cart of this id, or it cannot be had from there.
    case elsewhere(CartObstacle, String)
    /// The header does not say which front end it is.
    case frontEndMissing
    /// What is in the cart could not be sold either.
    case sale(SaleRefusal)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    /// For example `unknown_cart`; a refusal of the content has the code of its ``SaleRefusal``.
    package var code: String {
        switch self {
        case .unknownCart: "unknown_cart"
        case .tooManyCarts: "too_many_carts"
        case .textTooLong: "text_too_long"
        case .inUse: "cart_in_use"
        case .hasMoney: "cart_has_money"
        case .alreadySold: "already_sold"
        case .cardUnknown: "card_unknown"
        case .amountMissing: "amount_missing"
        case .elsewhere(let obstacle, _): obstacle.code
        case .frontEndMissing: "front_end_missing"
        case .sale(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    /// Whether the cart is on another screen and stays there.
    package var isOfAnotherScreen: Bool {
        switch self {
        case .inUse: true
        case .sale(.authority(.approvalRequired)): true
        case .sale, .unknownCart, .tooManyCarts, .textTooLong, .hasMoney, .alreadySold, .cardUnknown,
            .amountMissing, .frontEndMissing, .diskFull, .notRecorded, .notEnrolled, .elsewhere:
            false
        }
    }

    package func text(from texts: any RefusalTexts) -> String { texts.text(self) }

    /// By whose fault it was not done.
    package var exit: RefusalExit {
        switch self {
        case .unknownCart, .tooManyCarts, .textTooLong, .inUse, .hasMoney, .alreadySold: .rule
        case .amountMissing, .frontEndMissing: .usage
        case .cardUnknown: .tryAgain
        case .elsewhere(let obstacle, _): obstacle.exit
        case .sale(let refusal): refusal.exit
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }

    /// Which screen has the cart, which sale it became.
    package var details: RefusalDetails {
        var details = RefusalDetails()
        switch self {
        case .inUse(let frontEnd): details.frontEnd = frontEnd?.text
        case .hasMoney(_, let cart): details.cart = cart
        case .alreadySold(let number, let soldAt, _):
            (details.orderNumber, details.soldAt) = (number, soldAt)
        case .sale(let refusal): details = refusal.details
        case .elsewhere(let obstacle, let cart):
            (details.terminalId, details.cart) = (obstacle.terminalId, cart)
        case .unknownCart, .tooManyCarts, .textTooLong, .cardUnknown, .amountMissing, .frontEndMissing,
            .diskFull, .notRecorded, .notEnrolled:
            break
        }
        return details
    }
}
