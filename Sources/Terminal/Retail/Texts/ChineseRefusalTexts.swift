internal import Base
internal import HubProtocol
internal import OfflineCore
internal import Pricing

/// Options stand in brackets, as in English: screens leave them out.
struct ChineseRefusalTexts: RefusalTexts {
    /// Of whatever needs a store.
    fileprivate static let notEnrolled = "本机尚未注册门店。"

    func text(_ refusal: SaleRefusal) -> String { refusal.chinese }
    func text(_ refusal: OrderRefusal) -> String { refusal.chinese }
    func text(_ refusal: AuthorityRefusal) -> String { refusal.chinese }
    func text(_ refusal: MemberRefusal) -> String { refusal.chinese }
    func text(_ refusal: ShiftRefusal) -> String { refusal.chinese }
    func text(_ refusal: CartRefusal) -> String { refusal.chinese }

    func why(_ absence: CardAbsence) -> String {
        switch absence {
        case .notConfigured: "总部未设置支付服务"
        case .notEnrolled: "本机须重新注册"
        case .offline(let causes): "本机离线：" + causes.map(name).joined(separator: "、")
        case .unavailable: "支付服务不可用"
        case .busy: "支付服务正在处理本机的其他刷卡"
        }
    }

    private func name(_ cause: OfflineCause) -> String {
        switch cause {
        case .manual: "手动"
        case .network: "网络"
        case .service: "服务"
        }
    }

    func why(_ obstacle: TillObstacle) -> String {
        switch obstacle {
        case .switchedOff: "本机已手动切换为离线"
        case .network: "无法连上总部"
        case .service(let name): "总部服务 \(name) 故障"
        case .slow(let name): "总部服务 \(name) 响应太慢"
        case .notEnrolled: "总部不接受本机身份"
        case .noPayments: "总部没有配置支付服务"
        case .noTender: "本店不收银行卡"
        case .signInRequired: "尚未登录"
        case .shiftRequired: "尚未开班"
        case .diskFull: "磁盘已满"
        case .notRecording: "本机目前无法记录"
        case .clockDiffers(let own, let hub): "本机时钟为 \(own)，总部为 \(hub)"
        case .cardLimit(.unreadable): "此前的离线刷卡记录无法读取"
        case .cardLimit: "已达离线刷卡限额"
        case .machineUndecided: "前一笔刷卡的结果尚未确定"
        case .machineAway: "连不上刷卡机"
        case .machineRefused: "刷卡机拒绝本机"
        case .machineBusy: "刷卡机正被其他收银机使用"
        case .tooOld: "总部要求更新版本"
        case .superseded: "本机的另一副本正在使用"
        case .busy(let end): "总部要求等到 \(end)"
        }
    }

    private func end(of obstacle: TillObstacle) -> String {
        switch obstacle {
        case .switchedOff: "运行 `\(TillObstacle.goOnline)` 恢复"
        case .network: "连上总部后自动恢复"
        case .service: "总部恢复服务后自动恢复"
        case .slow: "响应恢复正常后自动恢复"
        case .notEnrolled, .superseded: "重新注册后恢复：`\(TillObstacle.enrol)`"
        case .noPayments: "总部配置后，下次更新时恢复"
        case .noTender: "本店开通后恢复"
        case .signInRequired: "运行 `pos sign-in 工号` 登录后恢复"
        case .shiftRequired: "运行 `pos shift open --float 金额` 开班后恢复"
        case .diskFull: "腾出空间后恢复"
        case .notRecording: "原因见 `pos doctor`"
        case .clockDiffers: "校准时钟后恢复"
        case .cardLimit: "总部处理后自动恢复"
        case .machineUndecided: "刷卡机应答后恢复，或运行 `pos card decide`"
        case .machineAway, .machineBusy: "半分钟内自动重试，或运行 `pos card test`"
        case .machineRefused: "原因见 `pos card test`"
        case .tooOld: "升级后恢复"
        case .busy: "到时自动恢复"
        }
    }

    func text(_ obstacle: TillObstacle) -> String { "\(why(obstacle))；\(end(of: obstacle))" }
}

extension SaleRefusal {
    fileprivate var chinese: String {
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
        case .quantityRequired(let barcode, let name): "\(name) 按重量或计量销售；请输入数量（--line \(barcode):0.357）。"
        case .priceRequired(let barcode, let name, _): "\(name) 没有固定价格；请输入大于 0 的价格（--line \(barcode)@价格）。"
        case .departmentUnknown(let name, let known):
            known.isEmpty ? "商品目录中没有部门。" : "没有部门 \(name)；现有：\(known.joined(separator: "、"))。"
        case .departmentRateRequired(let name, let rates):
            "\(name) 的商品有多种税率（\(Self.percents(rates))），请指明其一。"
        case .negativeDiscount(let barcode): "\(barcode) 的折扣小于 0。"
        case .discountAboveLine(let barcode, let discount, let line):
            "折扣 \(discount) 超过 \(barcode) 这一行的金额 \(line)。"
        case .amountTooLarge: "金额过大，请核对价格和数量。"
        case .mixedCurrencies(let one, let other): "商品分别以 \(one) 和 \(other) 计价，请分单。"
        case .unknownPaymentMethod(let method, let known):
            "没有付款方式 \(method)；请用 \(known.joined(separator: "、"))。"
        case .referenceUnused(let method): "\(method) 没有号码，请去掉。"
        case .referenceRequired(let method): "\(method) 须输入券号。"
        case .voucherUsed(let number, nil): "券 \(number) 在本单中重复，请只输入一次。"
        case .voucherUsed(let number, let order?):
            "券 \(number) 已用于 \(order)；请换付款方式，或确认券内仍有余额（--voucher-confirmed）。"
        case .tenderRefused(let method, _): "目前不能用 \(method)，请用其他付款方式。"
        case .authority(let refusal): refusal.chinese
        case .refund(let refusal): refusal.chinese
        case .couponRefused(let code, let objection): objection.chinese(of: code)
        case .points(let refusal): refusal.chinese
        case .negativePayment: "付款金额小于 0。"
        case .severalOpenPayments: "只能有一种付款不写金额，其余请写明。"
        case .severalCards: "一单最多两次刷卡，其余请用其他方式。"
        case .paymentShort(let due, let tendered): "应收 \(due)，已收 \(tendered)；请收足余款。"
        case .changeTooLarge(let change): "找零 \(change) 过大，请检查输入的现金金额（可能误扫了条码）。"
        case .cardAboveTotal(let total, let card): "非现金 \(card) 超过合计 \(total)，只有现金找零。"
        case .cardOffline(let absence): "目前不能刷卡（\(ChineseRefusalTexts().why(absence))），请收现金。"
        case .offlineCardLimit(let excess): excess.chinese
        case .chargeAboveLimit:
            "刷卡机未经银行授权已扣款，但已达离线刷卡限额：款项正退回该卡，见 `pos card status`；请收现金。"
        case .cardMachine(let trouble): machine(trouble)
        case .cardDeclined(let reason, let isVoidOpen):
            "刷卡被拒\(bracketed(reason))；请换卡或收现金。"
                + (isVoidOpen ? "刷卡机尚未确认撤销第一张卡的扣款，系统会继续撤销。" : "")
        case .cardOutcomeUnknown(_, nil): "刷卡结果不明，正在撤销，未成交；请重试或收现金。"
        case .cardOutcomeUnknown: "刷卡结果不明，本单已挂起；请重新结账（不会重复扣款），或取消挂单以撤销刷卡。"
        case .cardGivenUp: "等待刷卡时已取消；正在撤销授权，未成交。"
        case .priceChanged(let quoted, let total): "合计已由 \(quoted) 变为 \(total)；请告知顾客后重新付款。"
        case .clockDiffers(let own, let hub): "本机时钟为 \(own)，总部为 \(hub)；请校准本机时钟，或确认（--clock-confirmed）。"
        case .cartGranted(let taker): CartObstacle.granted(to: taker).chinese("")
        case .shiftRequired: "尚未开班；请先开班。"
        case .diskFull: "磁盘已满，未成交；请清理空间后重试。"
        case .notRecorded: "无法记录，未成交。"
        case .notEnrolled: ChineseRefusalTexts.notEnrolled
        }
    }

    private func machine(_ trouble: DeviceTrouble) -> String {
        let why =
            switch trouble {
            case .unreachable: "连不上刷卡机，请检查网线和 cardMachine.address"
            case .busy: "刷卡机正忙（可能正为另一台收银机服务），请稍候"
            case .refused: "刷卡机拒绝本机，请运行 `pos card test` 查看原因"
            case .undecided: "前一笔刷卡的结果尚未确定，请查看 `pos card status`"
            case .notKept: "磁盘无法记录本次付款，请腾出空间"
            }
        return why + "。未扣款；请重试或改用其他付款方式。"
    }

    /// The reason of a refused card in brackets; empty for a text that has no translation, as the own words
    /// of a gateway: the cashier has no use for half a line in another language.
    private func bracketed(_ english: String) -> String {
        Self.reasons[english].map { "（\($0)）" } ?? ""
    }

    /// The usual reasons of hub and issuers.
    private static let reasons = [
        "no reason given": "未说明原因", "the authorisation was voided": "授权已撤销",
        "the charge was voided": "扣款已撤销", "insufficient funds": "余额不足", "expired card": "卡已过期",
        "do not honor": "发卡行拒绝", "lost card": "卡已挂失", "stolen card": "卡已挂失", "wrong pin": "密码错误",
        "limit exceeded": "超过卡的限额",
    ]
}

extension OfflineCardExcess {
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

extension PointsRefusal {
    fileprivate var chinese: String {
        switch self {
        case .notOffered: "本店不接受积分抵扣。"
        case .negative: "积分数小于 0。"
        case .memberUnknown: "使用积分须先输入本店已知的会员。"
        case .belowMinimum(let least): "每单至少使用 \(least) 积分。"
        case .aboveTotal(let value, let total): "积分抵扣 \(value) 超过应付金额 \(total)；请减少积分。"
        case .unavailable(let wanted, let available, true, _):
            "本机目前只能使用 \(available) 积分（共需 \(wanted)）；其余已分配给其他收银台，联机时会归还："
                + "请半分钟后重试，或减少积分。"
        case .unavailable(let wanted, let available, false, true):
            "该会员目前只能使用 \(available) 积分（共需 \(wanted)）；请减少。"
        case .unavailable(let wanted, let available, false, false):
            "本机目前只能使用 \(available) 积分（共需 \(wanted)）；请减少，或等总部应答后重试。"
        }
    }
}

extension AuthorityRefusal.MissingApprover {
    fileprivate func chinese(for action: ApprovalAction) -> String {
        let what = "`\(action.rawValue)` 需要主管批准（--approver 主管工号）"
        switch self {
        case .nobody: return what + "。"
        case .samePerson: return what + "，且不能是收银员本人。"
        case .noManager(let id): return what + "；\(id) 不是主管。"
        }
    }
}

extension AuthorityRefusal {
    fileprivate var chinese: String {
        switch self {
        case .signInRequired: "请先登录收银员。"
        case .noCashiers: "本店没有收银员名单，无需登录。"
        case .pinRequired(let id): "缺少 \(id) 的密码；请输入密码（--pin-stdin），或先登录。"
        case .wrongPIN(let id): "\(id) 的密码不对，请重新输入。"
        case .pinLocked(let id, let milliseconds):
            "\(id) 的密码多次错误，请等待 \((milliseconds + 999) / 1000) 秒，或换人收银。"
        case .approvalRequired(let action, let missing): missing.chinese(for: action)
        case .pinNotChecked(let id): "\(id) 的密码须由总部核对，而总部没有应答；请重试。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .diskFull: "磁盘已满，未作任何更改；请清理空间。"
        case .notRecorded: "本机数据无法使用，未作任何更改。"
        case .notEnrolled: ChineseRefusalTexts.notEnrolled
        }
    }
}

extension OrderRefusal {
    fileprivate var chinese: String {
        switch self {
        case .unknownOrder(let id): "本机没有订单 \(id)。"
        case .voidedAlready(let number): "订单 \(number) 已作废，未作任何更改。"
        case .voidedAtHub(let number): "订单 \(number) 在总部已作废，款项已随之退还；请勿再退。"
        case .receiptUnreadable: "这不是小票码（HF1.…，须完整）；请重新扫描，或在售出的收银机上按单号退货。"
        case .receiptInvalid: "本店没有终端签发过这个小票码；请重新扫描。未作退货。"
        case .receiptUnchecked: "只有总部能核对这张小票，而总部没有应答，或还没有收到这笔交易；请等本机和售出的收银机都联网后再试。未作退货。"
        case .receiptCurrency(let currency, let store): "小票币种为 \(currency)，本店为 \(store)；未作退货。"
        case .articleUnknown(let article): "本机商品目录没有 \(CardNumber.masked(article))，税率未知；请等总部应答后再试。未作退货。"
        case .goodsMissing: "请写明退回的商品（--line）；没有小票就无从得知。"
        case .quantityInvalid(let article): "\(article) 不能按此数量退回；未作退货。"
        case .priceOfReceipt(let article): "\(article) 按原成交价退款，请勿输入价格；未退货。"
        case .priceAboveCatalogue(let article, let price):
            "\(article) 的价格为 \(price)，无小票退款不能超过此价；未退货。"
        case .quantityRequired(let article, let name):
            "\(name) 按重量或计量销售；请输入退回的数量（--line \(article):0.357）。未退货。"
        case .priceRequired(let article, let name, _): "\(name) 没有固定价格；请输入当时的单价（--line \(article)@价格）。未退货。"
        case .aboveLimit(let limit, .oneRefund):
            "没有原单时每次最多退 \(limit)（refund.withoutOrder）；请等总部应答后再试。未作退货。"
        case .aboveLimit(let limit, .oneDay):
            "没有原单时本机每天最多退 \(limit)（refund.withoutOrder）；请等总部应答后再试。未作退货。"
        case .refusedByHub(let refusal): refusal.chinese
        case .changedMeanwhile: "该单同时有商品退回，金额已变；未作记录，请重试。"
        case .unknownCardReturn(let id): "\(id) 没有由刷卡机退回的款项；未付现金。"
        case .cardReturnWaiting(let id): "刷卡机尚未应答 \(id)，款项可能已退回，因此不付现金；连通后会自动重发。"
        case .cardReturnSettled(let id): "\(id) 的款项已退回原卡，或已付过现金；未再付款。"
        case .unknownGrant(let id): "\(id) 不是其他收银机待办的退货；见 `pos orders granted`。"
        case .notTakenBack(let id): "\(id) 未能收回：对方已退款，或本机暂时无法记录；请看 `pos orders granted` 后再试。"
        case .takerHeard(let till): "收银机 \(till) 刚刚还有消息，可能正在退款；等它一分钟没有消息后再收回，或请它退款。"
        case .refundedAlready(let number): "订单 \(number) 已有退货，不能作废；请退其余商品。"
        case .returnedElsewhere(let number): "本店其他收银机已为订单 \(number) 退款，余额不足；未退款。`pos orders granted` 列出尚未办理的。"
        case .nothingLeft(let number): "订单 \(number) 已全部退货。"
        case .notInOrder(let article): "订单中没有 \(CardNumber.masked(article))。"
        case .moreThanLeft(let article, _, 0): "\(article) 已全部退回；未作退货。"
        case .moreThanLeft(let article, let quantity, let left):
            "\(article) 不能退 \(QuantityText.text(milli: quantity))，只剩 \(QuantityText.text(milli: left))。"
        case .amountTooLarge: "金额过大，未退货。"
        case .authority(let refusal): refusal.chinese
        case .diskFull: "磁盘已满，未作任何更改；请清理空间。"
        case .notRecorded: "本机数据无法使用，未作任何更改。"
        case .notEnrolled: ChineseRefusalTexts.notEnrolled
        }
    }
}

extension HubRefusedRefund {
    fileprivate var chinese: String {
        if reason == .foreignStore { return "\(orderNumber) 是其他门店的订单，请扫描其小票码。未退款。" }
        let parts = latest.map { refund, time in
            let what = refund.isReserved ? "正在退" : refund.isVoid ? "已作废" : "已退"
            return "\(place(refund, time))\(what) \(money(refund.total))"
        }
        let rest = left.map { "，只剩 \(money($0))" } ?? ""
        let back = parts.isEmpty ? "超过售出的数量或金额" : parts.joined(separator: "，")
        return "总部不同意退款：\(orderNumber) \(back)\(rest)。未退款。"
    }

    private func place(_ refund: ReceiptSale.Refund, _ time: String) -> String {
        guard let place = refund.place else { return "" }
        let till = place.terminalNumber.map { " \($0) 号机" } ?? ""
        return "\(place.storeId) 店\(till)\(time.isEmpty ? "" : "于 \(time) ")"
    }
}

extension MemberRefusal {
    fileprivate var chinese: String {
        switch self {
        case .phoneInvalid: "电话号码应为 6 至 20 位数字，请重新输入。"
        case .nameInvalid: "请输入会员姓名（不超过 \(MemberRecord.longestField) 字节）。"
        case .cardNumber: "姓名像是银行卡号，不予保存；请输入姓名。"
        case .authority(let refusal): refusal.chinese
        case .diskFull: "磁盘已满；请清理空间后重试。"
        case .notRecorded: "无法记录。"
        case .notEnrolled: ChineseRefusalTexts.notEnrolled
        }
    }
}

extension ShiftRefusal {
    fileprivate var chinese: String {
        switch self {
        case .alreadyOpen: "已有班次未结；请先交班。"
        case .noneOpen: "尚未开班；请先开班。"
        case .unknown: "没有这个班次。"
        case .amountInvalid, .amountMissing: "请输入正确的金额。"
        case .unknownTender(let method, let known):
            "没有付款方式 \(method.prefix(64))，或重复；请用 \(known.joined(separator: "、"))。"
        case .reasonMissing: "请输入原因（--reason 原因）。未记录。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .currencyUnknown: "商品目录为空，币种未知；请先同步。"
        case .cartHasMoney(let money, _): "有未成交的购物车已收 \(money)；请先成交，或退款后取消（F8）。"
        case .countDiffers(let amount):
            (amount.map { "清点相差 \($0)" } ?? "清点与应有现金不符") + "；请重新清点后确认（--confirmed）。班次未结。"
        case .drawerShort(let has): (has.map { "钱箱应有 \($0)" } ?? "钱箱没有这么多现金") + "；请核对金额，或确认（--confirmed）。未记录。"
        case .authority(let refusal): refusal.chinese
        case .diskFull: "磁盘已满；请清理空间后重试。"
        case .notRecorded: "无法记录。"
        case .notEnrolled: ChineseRefusalTexts.notEnrolled
        }
    }
}

extension CartRefusal {
    fileprivate var chinese: String {
        switch self {
        case .unknownCart: "没有这张挂单；可能已售出或已取消。"
        case .tooManyCarts(let limit): "已有 \(limit) 张挂单，请先处理其中一张。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .inUse(let frontEnd):
            "此单正在另一个窗口（\(frontEnd?.name ?? "-")）中；请先在那里挂单（F8）或关闭该窗口。"
        case .hasMoney(let money, _): "此单已收 \(money)；请先退还顾客，再删除（--handed-back）。"
        case .alreadySold(let number, _, let time):
            "此单已成交：\(number)\(time.isEmpty ? "" : "，" + time)；无需再收款。"
        case .cardUnknown: "此单的刷卡结果不明，已保留；请稍后再试。"
        case .amountMissing(let method): "请输入 \(method.prefix(64)) 的金额（大于 0）；未作任何更改。"
        case .elsewhere(let obstacle, let id): obstacle.chinese(id)
        case .frontEndMissing: "请求缺少前端名称（Pos-Front-End），或名称超过 100 字节。"
        case .sale(let refusal): refusal.chinese
        case .diskFull: "磁盘已满，未挂单；请清理空间。"
        case .notRecorded: "本机数据无法使用，未作任何更改。"
        case .notEnrolled: ChineseRefusalTexts.notEnrolled
        }
    }
}
