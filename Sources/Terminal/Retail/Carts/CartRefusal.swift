/// Why a cart was not parked, shown or dropped.
package enum CartRefusal: Refusal {
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
    /// The header does not say which front end it is.
    case frontEndMissing
    /// What is in the cart could not be sold either.
    case sale(SaleRefusal)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    init(_ error: StorageError) {
        switch error {
        case .diskFull(let path): self = .diskFull(path: path)
        case .notEnrolled: self = .notEnrolled
        case .unavailable(let detail): self = .notRecorded(detail: detail)
        case .leaseSpent: self = .notRecorded(detail: "another sale spent the lease meanwhile")
        }
    }

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
        case .frontEndMissing: "front_end_missing"
        case .sale(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    /// In English.
    package var message: String {
        switch self {
        case .unknownCart(let id):
            "There is no parked cart \(id); it was sold or dropped, or look it up with `pos cart list`."
        case .tooManyCarts(let limit):
            "\(limit) carts are parked, and more are not kept; drop one with `pos cart drop ID --reason TEXT`."
        case .textTooLong(let field, let limit): "\(field) has more than \(limit) bytes; shorten it."
        case .inUse(let frontEnd):
            "The cart is on the screen of \(frontEnd?.name ?? "another counter"); nothing was changed. Park it "
                + "there (F8), or end that window, then take it."
        case .hasMoney(let money, _):
            "\(money) were taken for the cart; hand them back, then drop it with --handed-back."
        case .alreadySold(let number, _, let time):
            "The cart was sold already: \(number)\(time.isEmpty ? "" : " at " + time). Nothing is to be paid."
        case .cardUnknown(let detail):
            "A card may be charged for the cart (\(detail)), so it is kept; try again when the payment service "
                + "or the card machine answers."
        case .amountMissing(let method):
            "What was taken by \(method.prefix(64)) needs an amount above 0 in minor units; nothing was changed."
        case .frontEndMissing:
            "Name the front end in `Pos-Front-End: <ULID of its start>;<name>`, at most 100 bytes."
        case .sale(let refusal): refusal.message
        case .diskFull(let path): "The disk of \(path) is full, nothing was parked; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was changed: \(detail)."
        case .notEnrolled: "This terminal has no store yet; run `pos init --hub URL --enrol CODE`."
        }
    }

    /// One line for the counter, without the names of commands.
    package var chinese: String? {
        switch self {
        case .unknownCart: "没有这张挂单；可能已售出或已取消。"
        case .tooManyCarts(let limit): "已有 \(limit) 张挂单，请先处理其中一张。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .inUse(let frontEnd):
            "此单正在另一个窗口（\(frontEnd?.name ?? "-")）中；请先在那里挂单（F8）或关闭该窗口。"
        case .hasMoney(let money, _): "此单已收 \(money)；请先退还顾客。"
        case .alreadySold(let number, _, let time):
            "此单已成交：\(number)\(time.isEmpty ? "" : "，" + time)；无需再收款。"
        case .cardUnknown: "此单的刷卡结果不明，已保留；请稍后再试。"
        case .amountMissing, .frontEndMissing: nil
        case .sale(let refusal): refusal.chinese
        case .diskFull: "磁盘已满，未挂单；请清理空间。"
        case .notRecorded: "本机数据无法使用，未作任何更改。"
        case .notEnrolled: "本机尚未注册门店。"
        }
    }

    /// Whether the cart is on another screen and stays there.
    package var isOfAnotherScreen: Bool {
        switch self {
        case .inUse: true
        case .sale(.authority(.approvalRequired)): true
        case .sale, .unknownCart, .tooManyCarts, .textTooLong, .hasMoney, .alreadySold, .cardUnknown,
            .amountMissing, .frontEndMissing, .diskFull, .notRecorded, .notEnrolled:
            false
        }
    }

    /// By whose fault it was not done.
    package var exit: RefusalExit {
        switch self {
        case .unknownCart, .tooManyCarts, .textTooLong, .inUse, .hasMoney, .alreadySold: .rule
        case .amountMissing, .frontEndMissing: .usage
        case .cardUnknown: .tryAgain
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
        case .unknownCart, .tooManyCarts, .textTooLong, .cardUnknown, .amountMissing, .frontEndMissing,
            .diskFull, .notRecorded, .notEnrolled:
            break
        }
        return details
    }
}
