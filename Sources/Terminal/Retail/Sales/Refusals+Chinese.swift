internal import Base
internal import HubProtocol
internal import Pricing

extension SaleRefusal {
    /// One line for the counter, without the names of commands.
    package var chinese: String? {
        switch self {
        case .noLines: "还没有商品，请先扫描。"
        case .tooManyLines(let count, let limit): "本单有 \(count) 行，最多 \(limit) 行；请分单。"
        case .unknownBarcode(let barcode): "没有条码为 \(CardNumber.masked(barcode)) 的商品；请核对，或重新同步商品目录。"
        case .misreadBarcode(let barcode, let fault):
            "无法识读 \(CardNumber.masked(barcode))：\(Language.chinese.sharedTexts.text(fault))；请重新扫描，或输入商品自身的条码。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .tooManyCoupons(let count, let limit): "本单有 \(count) 张优惠券，最多 \(limit) 张。"
        case .quantityOutOfRange(let barcode, let quantity, let limit):
            "\(barcode) 的数量为 \(QuantityText.text(milli: quantity))，必须大于 0 且不超过 "
                + "\(QuantityText.text(milli: limit))。"
        case .fractionOfPiece(let barcode, let quantity):
            "\(barcode) 按件销售，不能为 \(QuantityText.text(milli: quantity))；请输入整数。"
        case .negativePrice(let barcode): "\(barcode) 的价格小于 0。"
        case .quantityRequired(_, let name): "\(name) 按重量或计量销售；请输入数量。"
        case .priceRequired(_, let name, _): "\(name) 没有固定价格；请输入大于 0 的价格。"
        case .departmentUnknown(let name, let known):
            known.isEmpty ? "商品目录中没有部门。" : "没有部门 \(name)；现有：\(known.joined(separator: "、"))。"
        case .departmentRateRequired(let name, let rates):
            "\(name) 的商品有多种税率（\(Self.percents(rates))），请指明其一。"
        case .negativeDiscount(let barcode): "\(barcode) 的减价小于 0。"
        case .discountAboveLine(let barcode, let discount, let line):
            "减价 \(discount) 超过 \(barcode) 这一行的金额 \(line)。"
        case .amountTooLarge: "金额过大，请核对价格和数量。"
        case .mixedCurrencies(let one, let other): "商品分别以 \(one) 和 \(other) 计价，请分单。"
        case .unknownPaymentMethod(let method, let known):
            "没有付款方式 \(method)；请用 \(known.joined(separator: "、"))。"
        case .referenceUnused(let method): "\(method) 没有号码，请去掉。"
        case .referenceRequired(let method): "\(method) 须输入券号。"
        case .voucherUsed(let number, nil): "券 \(number) 在本单中重复，请只输入一次。"
        case .voucherUsed(let number, let order?):
            "券 \(number) 已用于 \(order)；请换付款方式，或确认券内仍有余额。"
        case .tenderRefused(let method, _): "目前不能用 \(method)，请用其他付款方式。"
        case .authority(let refusal): refusal.chinese
        case .refund(let refusal): refusal.chinese
        case .couponRefused(let code, let objection): objection.chinese(of: code)
        case .points(let refusal): refusal.chinese
        case .negativePayment: "付款金额小于 0。"
        case .severalOpenPayments: "只能有一种付款不写金额，其余请写明。"
        case .severalCards: "一单最多两次刷卡，其余请用其他方式。"
        case .paymentShort(let due, let tendered): "应收 \(due)，已收 \(tendered)；请收足余额。"
        case .changeTooLarge(let change): "找零 \(change) 过大，请检查输入的现金金额（可能误扫了条码）。"
        case .cardAboveTotal(let total, let card): "非现金 \(card) 超过合计 \(total)，只有现金找零。"
        case .cardOffline(let reason): "目前不能刷卡\(Self.chineseReason(reason))，请收现金。"
        case .offlineCardLimit(let excess): excess.chinese
        case .cardDeclined(let reason, let isVoidOpen):
            "刷卡被拒\(Self.chineseReason(reason))；请换卡或收现金。"
                + (isVoidOpen ? "刷卡机尚未确认撤销第一张卡的扣款，系统会继续撤销。" : "")
        case .cardOutcomeUnknown(_, nil): "刷卡结果不明，正在撤销，未成交；请重试或收现金。"
        case .cardOutcomeUnknown: "刷卡结果不明，本单已挂起；请重新结账（不会重复扣款），或取消挂单以撤销刷卡。"
        case .cardGivenUp: "等待刷卡时已取消；正在撤销授权，未成交。"
        case .priceChanged(let quoted, let total): "合计已由 \(quoted) 变为 \(total)；请告知顾客后重新付款。"
        case .clockDiffers(let own, let hub): "本机时钟为 \(own)，总部为 \(hub)；请校准本机时钟。"
        case .shiftRequired: "尚未开班；请先开班。"
        case .diskFull: "磁盘已满，未成交；请清理空间后重试。"
        case .notRecorded: "无法记录，未成交。"
        case .notEnrolled: "本机尚未注册门店。"
        }
    }
}

extension SaleRefusal {
    /// The reason of a refused card in brackets; empty for a text that has no translation, as the own words
    /// of a gateway: the cashier has no use for half a line in another language.
    private static func chineseReason(_ english: String) -> String {
        if english.hasPrefix(offlineReason) {
            let causes = english.dropFirst(offlineReason.count).dropLast().split(separator: ", ")
            return "（本机离线：" + causes.map { chineseCauses[String($0)] ?? "" }.joined(separator: "、") + "）"
        }
        return chineseReasons[english].map { "（\($0)）" } ?? ""
    }

    /// What the checkout writes before the causes.
    static let offlineReason = "the terminal is offline ("

    private static let chineseCauses = ["manual": "手动", "network": "网络", "service": "服务"]

    /// The checkout's own reasons, and the usual ones of issuers.
    private static let chineseReasons = [
        "no payment service is configured at the hub": "总部未设置支付服务",
        "the hub does not accept this terminal until it is enrolled again": "本机须重新注册",
        "the payment service is not available": "支付服务不可用",
        "no reason given": "未说明原因", "the authorisation was voided": "授权已撤销",
        "the charge was voided": "扣款已撤销", "insufficient funds": "余额不足", "expired card": "卡已过期",
        "do not honor": "发卡行拒绝", "lost card": "卡已挂失", "stolen card": "卡已挂失", "wrong pin": "密码错误",
        "limit exceeded": "超过卡的限额",
    ]
}

extension OfflineCardExcess {
    /// Which limit of the store, in one line.
    fileprivate var chinese: String {
        switch self {
        case .perSale: "超过离线刷卡每单限额，请收现金。"
        case .perShift: "超过离线刷卡每班限额，请收现金。"
        case .perTerminal: "超过本机离线刷卡限额，请收现金。"
        case .perStore: "超过本店离线刷卡限额，请收现金。"
        case .age: "有离线刷卡超过时限仍未转发，目前不能刷卡，请收现金。"
        case .unreadable: "此前的离线刷卡记录无法读取，联系总部之前不能刷卡，请收现金。"
        }
    }
}

extension CouponObjection {
    fileprivate func chinese(of code: String) -> String {
        switch self {
        case .unknown: "没有优惠券 \(code)；请核对，或不用。"
        case .repeated: "优惠券 \(code) 输入了两次，请去掉一张。"
        case .expired: "优惠券 \(code) 已过期。"
        case .otherMember: "优惠券 \(code) 只限指定会员，请先输入该会员。"
        case .usedUp: "优惠券 \(code) 已用完。"
        case .lent:
            "优惠券 \(code) 的剩余次数已分配给其他收银台，联机时会归还；请半分钟后重试，或不用券结账。"
        case .needsHub: "优惠券 \(code) 需联系总部，目前不能使用。"
        case .notInForce: "优惠券 \(code) 的活动目前无效。"
        case .membersOnly: "优惠券 \(code) 只限会员或指定等级，请先输入会员，或不用。"
        case .notCombined: "优惠券 \(code) 不能与其他优惠同用，且其他优惠更多；请不用。"
        case .nothingToTakeOff: "本单没有优惠券 \(code) 适用的商品。"
        }
    }
}

extension AuthorityRefusal {
    /// One line for the counter; wait times are in full seconds, rounded up.
    package var chinese: String? {
        switch self {
        case .signInRequired: "请先登录收银员。"
        case .noCashiers: "本店没有收银员名单，无需登录。"
        case .pinRequired(let id): "缺少 \(id) 的密码。"
        case .wrongPIN(let id): "\(id) 的密码不对，请重新输入。"
        case .pinLocked(let id, let milliseconds):
            "\(id) 的密码多次错误，请等待 \((milliseconds + 999) / 1000) 秒，或换人收银。"
        case .approvalRequired: "需要主管（另一人）批准。"
        case .pinNotChecked(let id): "\(id) 的密码须由总部核对，而总部没有应答；请重试。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .diskFull: "磁盘已满，未作任何更改；请清理空间。"
        case .unavailable: "本机数据无法使用，未作任何更改。"
        case .notEnrolled: "本机尚未注册门店。"
        }
    }
}

extension OrderRefusal {
    /// One line for the counter, without the names of commands.
    package var chinese: String? {
        switch self {
        case .unknownOrder(let id): "本机没有订单 \(id)。"
        case .voidedAlready(let number): "订单 \(number) 已作废，未作任何更改。"
        case .voidedAtHub(let number): "订单 \(number) 在总部已作废，款项已随之退还；请勿再退。"
        case .receiptUnreadable: "这不是小票码（HF1.…，须完整）；请重新扫描，或在售出的收银机上按单号退货。"
        case .receiptInvalid: "本店没有终端签发过这个小票码；请重新扫描。未作退货。"
        case .receiptUnchecked: "只有总部能核对这张小票，而总部没有应答；请稍后再试。未作退货。"
        case .receiptCurrency(let currency, let store): "小票币种为 \(currency)，本店为 \(store)；未作退货。"
        case .articleUnknown(let article): "本机商品目录没有 \(CardNumber.masked(article))，税率未知；请等总部应答后再试。未作退货。"
        case .goodsMissing: "请写明退回的商品；没有小票就无从得知。"
        case .quantityInvalid(let article): "\(article) 不能按此数量退回；未作退货。"
        case .priceOfReceipt(let article): "\(article) 按原成交价退款，请勿输入价格；未退货。"
        case .priceAboveCatalogue(let article, let price):
            "\(article) 的价格为 \(price)，无小票退款不能超过此价；未退货。"
        case .quantityRequired(_, let name): "\(name) 按重量或计量销售；请输入退回的数量。未退货。"
        case .priceRequired(_, let name, _): "\(name) 没有固定价格；请输入当时的单价。未退货。"
        case .aboveLimit(let limit, .oneRefund):
            "没有原单时每次最多退 \(limit)（refund.withoutOrder）；请等总部应答后再试。未作退货。"
        case .aboveLimit(let limit, .oneDay):
            "没有原单时本机每天最多退 \(limit)（refund.withoutOrder）；请等总部应答后再试。未作退货。"
        case .refusedByHub(let refusal): refusal.chinese
        case .changedMeanwhile: "该单同时有商品退回，金额已变；未作记录，请重试。"
        case .unknownCardReturn(let id): "\(id) 没有由刷卡机退回的款项；未付现金。"
        case .cardReturnWaiting(let id): "刷卡机尚未应答 \(id)，款项可能已退回，因此不付现金；连通后会自动重发。"
        case .cardReturnSettled(let id): "\(id) 的款项已退回原卡，或已付过现金；未再付款。"
        case .refundedAlready(let number): "订单 \(number) 已有退货，不能作废；请退其余商品。"
        case .nothingLeft(let number): "订单 \(number) 已全部退货。"
        case .notInOrder(let article): "订单中没有 \(CardNumber.masked(article))。"
        case .moreThanLeft(let article, _, 0): "\(article) 已全部退回；未作退货。"
        case .moreThanLeft(let article, let quantity, let left):
            "\(article) 不能退 \(QuantityText.text(milli: quantity))，只剩 \(QuantityText.text(milli: left))。"
        case .amountTooLarge: "金额过大，未退货。"
        case .authority(let refusal): refusal.chinese
        case .diskFull: "磁盘已满，未作任何更改；请清理空间。"
        case .notRecorded: "本机数据无法使用，未作任何更改。"
        case .notEnrolled: "本机尚未注册门店。"
        }
    }
}
