/// Why nothing was done with a shift.
package enum ShiftRefusal: Refusal {
    /// One is open; a terminal has one drawer.
    case alreadyOpen(shiftId: String)
    case noneOpen
    case unknown(String)
    /// An amount, in minor units, is outside of its range.
    case amountInvalid(field: String, range: ClosedRange<Int64>)
    /// What was counted is of a tender that the shift cannot have, or is named twice.
    case unknownTender(String, known: [String])
    /// A movement of cash has no amount or no reason.
    case amountMissing
    case reasonMissing
    case textTooLong(field: String, limit: Int)
    /// The catalogue has no article, so the currency is not known.
    case currencyUnknown
    /// Carts that are not sold have so much of their customers, which is no cash of the shift.
    case cartHasMoney(String, cart: String)
    /// What was counted differs by more than is tolerated; nil: the store counts blind.
    case countDiffers(by: String?)
    /// More would be taken out than the drawer should have; nil: the store counts blind.
    case drawerShort(has: String?)
    case authority(AuthorityRefusal)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    /// For example `shift_not_open`.
    package var code: String {
        switch self {
        case .alreadyOpen: "shift_open_already"
        case .noneOpen: "shift_not_open"
        case .unknown: "unknown_shift"
        case .amountInvalid: "amount_invalid"
        case .unknownTender: "unknown_payment_method"
        case .amountMissing: "amount_missing"
        case .reasonMissing: "reason_missing"
        case .textTooLong: "text_too_long"
        case .currencyUnknown: "currency_unknown"
        case .cartHasMoney: "cart_has_money"
        case .countDiffers: "count_differs"
        case .drawerShort: "drawer_short"
        case .authority(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    /// In English, one line.
    package var message: String {
        switch self {
        case .alreadyOpen(let id):
            "The shift \(id) is open; close it with `pos shift close --counted AMOUNT` before another begins."
        case .noneOpen: "No shift is open; open one with `pos shift open --float AMOUNT`."
        case .unknown(let id): "This terminal has no shift \(id); `pos shift list` shows them."
        case .amountInvalid(let field, let range):
            "`\(field)` is from \(range.lowerBound) to \(range.upperBound) in minor units; "
                + "nothing was recorded."
        case .unknownTender(let method, let known):
            "`\(method.prefix(64))` is no other tender of this shift, or is counted twice; count "
                + "\(known.joined(separator: ", ")), each once. Nothing was recorded."
        case .amountMissing: "Name an amount above 0 in minor units; nothing was recorded."
        case .reasonMissing: "Say why with --reason TEXT; nothing was recorded."
        case .textTooLong(let field, let limit): "`\(field)` is longer than \(limit) bytes; shorten it."
        case .currencyUnknown:
            "The catalogue is empty, so the currency is not known; pull it with `pos sync now`."
        case .cartHasMoney(let money, let cart):
            "\(money) were taken for a cart that is not sold (\(cart)); sell it, or hand the money back and drop "
                + "it: `pos cart current` lists such carts. The shift stays open."
        case .countDiffers(let amount):
            (amount.map { "The count differs by \($0)" } ?? "The count is not what is expected")
                + "; count again, then confirm it (--confirmed). The shift stays open."
        case .drawerShort(let has):
            (has.map { "The drawer should have \($0)" } ?? "The drawer should have less")
                + "; check the amount, or confirm it (--confirmed). Nothing was recorded."
        case .authority(let refusal): refusal.message
        case .diskFull(let path): "The disk of \(path) is full, nothing was recorded; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was recorded: \(detail)."
        case .notEnrolled: "The terminal belongs to no store yet; run `pos init`."
        }
    }

    /// In Chinese, for the counter.
    package var chinese: String? {
        switch self {
        case .alreadyOpen: "已有班次未结；请先交班。"
        case .noneOpen: "尚未开班；请先开班。"
        case .unknown: "没有这个班次。"
        case .amountInvalid, .amountMissing: "请输入正确的金额。"
        case .unknownTender(let method, let known):
            "没有付款方式 \(method.prefix(64))，或重复；请用 \(known.joined(separator: "、"))。"
        case .reasonMissing: "请输入原因。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .currencyUnknown: "商品目录为空，币种未知；请先同步。"
        case .cartHasMoney(let money, _): "有未成交的购物车已收 \(money)；请先成交，或退款后取消（F8）。"
        case .countDiffers(let amount): (amount.map { "清点相差 \($0)" } ?? "清点与应有现金不符") + "；请重新清点后确认。班次未结。"
        case .drawerShort(let has): (has.map { "钱箱应有 \($0)" } ?? "钱箱没有这么多现金") + "；请核对金额，或确认。未记录。"
        case .authority(let refusal): refusal.chinese
        case .diskFull: "磁盘已满；请清理空间后重试。"
        case .notRecorded: "无法记录。"
        case .notEnrolled: "本机尚未注册门店。"
        }
    }

    /// ``RefusalExit/rule`` unless the request, the disk, the enrolment or ``authority(_:)`` gives another
    /// one.
    package var exit: RefusalExit {
        switch self {
        case .alreadyOpen, .noneOpen, .unknown, .currencyUnknown, .cartHasMoney, .countDiffers, .drawerShort:
            .rule
        case .amountInvalid, .unknownTender, .amountMissing, .reasonMissing, .textTooLong: .usage
        case .authority(let refusal): refusal.exit
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }

    /// Those of ``authority(_:)``; else empty.
    package var details: RefusalDetails {
        if case .authority(let refusal) = self { return refusal.details }
        if case .cartHasMoney(_, let cart) = self { return RefusalDetails(cart: cart) }
        return RefusalDetails()
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
