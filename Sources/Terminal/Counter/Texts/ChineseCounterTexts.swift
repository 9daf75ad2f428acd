internal import AgentAPI
internal import Base
internal import HubProtocol
internal import Pricing

struct ChineseCounterTexts: CounterTexts {
    let language = Language.chinese

    func label(_ action: CounterAction, isCartEmpty: Bool, isSignedIn: Bool) -> String {
        switch action {
        case .help: "帮助"
        case .search: "查找"
        case .quantity: "数量"
        case .discount: "折扣"
        case .price: "改价"
        case .member: "会员"
        case .coupon: "优惠券"
        case .park: isCartEmpty ? "取单" : "挂单"
        case .refund: "退货"
        case .pay: "收款"
        case .sign: isSignedIn ? "退出登录" : "登录"
        case .banner: "状态"
        case .offline: "转为离线"
        case .remove: "删除行"
        case .openItem: "按部门销售"
        case .discountAll: "整单折扣"
        case .points: "积分抵扣"
        case .voidLast: "作废上一单"
        case .shift: "班次与钱箱"
        case .decide: "待处理"
        case .printer: "打印机"
        case .tills: "其他收银机"
        case .leave: "退出"
        }
    }

    func bannerKey(_ command: String) -> String {
        let words = command.split(separator: " ").drop { $0 == "pos" }.joined(separator: " ")
        return switch words {
        case "sync now": "立即重试"
        case "offline off": "恢复在线"
        case "sync rejected": "处理"
        case let words where words.hasPrefix("sign-in"): "登录"
        default: "如何处理"
        }
    }

    var unreadableReceipt: String { "这不是完整的小票码，请重新扫描。" }
    func unknownReceipt(_ typed: String) -> String { "本机最近的订单中没有 \(typed)，请扫描小票码。" }

    func leftKnown(by source: LeftBy?) -> String? {
        switch source {
        case .hub: nil
        case .till: "未连总部：其他收银机的退货情况未知。"
        case nil: "正在查询已退商品……"
        }
    }

    func unpaid(_ amount: MoneyAmount, by method: String) -> [String] {
        ["\(self.method(method)) \(amount.text) 事后被拒，无款可退。"]
    }

    func title(of field: CounterDialog.Field) -> String {
        switch field {
        case .quantity: "本行数量"
        case .discount: "本行折扣"
        case .discountAll: "整单折扣"
        case .points: "使用积分"
        case .voucherNumber(let choice): "\(choice.method) 券号"
        case .price: "单价"
        case .openQuantity(_, let name): "\(name) 的数量"
        case .openPrice(_, let name, _): "\(name) 的价格"
        case .member: "会员"
        case .memberName(let phone): "新会员 \(phone)：姓名"
        case .coupon: "优惠券"
        case .parkName: "挂单"
        case .offlineReason: "手动转为离线"
        case .cashier: "登录"
        case .cashierPIN(let id): "\(id) 的密码"
        case .approver: "需要主管批准"
        case .approverPIN(let id, _): "\(id) 的密码"
        case .refundReason: "退货原因"
        case .dropReason: "删除挂单"
        case .voidReason(let sale): "作废 \(sale.orderNumber)"
        case .shiftFloat: "开班：备用金"
        case .shiftCounted: "交班：清点现金"
        case .cashAmount(let kind, _), .cashReason(let kind, _, _): title(ofCash: kind)
        case .discardReason(let refusal): "放弃 \(title(of: refusal))"
        }
    }

    func hint(of field: CounterDialog.Field, currency: String) -> String {
        switch field {
        case .quantity, .openQuantity: "例如 2，称重商品 0.357"
        case .discount: "整行减 \(example(currency))，或 10%；0 取消"
        case .discountAll: "整单减 \(example(currency))，或 10%；0 取消"
        case .points: "输入积分数；0 或直接回车则不用"
        case .voucherNumber: "扫描或输入"
        case .price, .openPrice, .shiftFloat, .shiftCounted, .cashAmount:
            "以 \(currency) 为单位：\(example(currency))"
        case .member: "会员卡、会员号或电话；留空则不用会员"
        case .memberName: "回车建立会员；Esc 仅记录号码"
        case .coupon: "扫描或输入券码；留空则取消优惠券"
        case .parkName: "输入便于查找的名称，或直接回车"
        case .offlineReason: "原因，或直接回车"
        case .cashier: "工号"
        case .cashierPIN, .approverPIN: "不显示输入内容"
        case .approver(let action): "事项：\(approval(action)) · 主管工号"
        case .cashReason: "原因，将上传总部"
        case .refundReason, .voidReason: "简要说明，或直接回车"
        case .dropReason: "原因；此单未成交"
        case .discardReason: "原因；单据仍保留在本机"
        }
    }

    private func approval(_ action: String) -> String {
        switch action {
        case "refund": "退货"
        case "refundLimit": "超限退货"
        case "void": "作废"
        case "priceOverride": "改价"
        case "discount": "折扣"
        case "manualOffline": "手动切换"
        case "cashMovement": "现金进出"
        case "noSale": "开钱箱"
        case "cardOffline": "离线刷卡"
        case "openItem": "无编码商品"
        case "refusals": "被拒单据"
        case "cartCopy": "取用其他窗口或收银机的单"
        case "cardDecision": "刷卡结果的认定"
        default: action
        }
    }

    func pinLocked(_ seconds: Int) -> String { "密码多次错误：请等待 \(seconds) 秒，或换人登录。" }
    var notExchanged: String { "本单不再换货。" }
    var noDepartments: String { "商品目录中没有部门，不能按部门销售。" }
    var noTender: String { "目前不能收款，原因见下。" }
    var numberMissing: String { "请输入券号。" }
    var malformedPoints: String { "积分为整数，例如 500。" }
    var pointsNeedMember: String { "使用积分须先按 F6 输入会员。" }
    var nothingToVoid: String { "没有可作废的上一单。" }

    func route(_ route: String) -> String {
        switch route {
        case "machine": "刷卡机"
        case "stored": "稍后授权"
        default: ""
        }
    }

    var nothingScanned: String { "尚未扫描商品，请先扫描。" }
    var nothingMarked: String { "请先选择退货商品：空格选择，A 全选。" }
    var reasonMissing: String { "请填写原因。" }
    func unseenWait(_ count: Int) -> String { "有 \(count) 笔刷卡单无人看到结果：本单完成后按 Alt-W。" }

    func back(_ card: CardReturnRecord) -> [String] {
        let money = card.amount.text
        switch card.state {
        case .returned: return ["\(money) 已退回原卡。"]
        case .requested: return ["\(money) 已申请退回原卡。"]
        case .refused:
            return ["刷卡机拒绝退回 \(money)：", card.reason ?? "", "请付现金：pos orders owed"]
        case .paidInCash: return ["\(money) 已付现金。"]
        case .waiting where card.needsCard:
            return ["\(money) 待再次出示卡后退回：", "pos orders owed"]
        case .waiting:
            return ["\(money) 待刷卡机连通后", "退回原卡。"]
        }
    }

    func voided(_ number: String, _ cards: [CardReturnRecord]) -> String {
        "已作废：\(number)。" + cards.flatMap(back).joined(separator: " ")
    }

    func voided(_ number: String, inCash cash: MoneyAmount, _ cards: [CardReturnRecord]) -> String {
        "已作废：\(number)。请退现金 \(cash.text)。"
            + cards.flatMap(back).joined(separator: " ")
    }

    func voided(_ number: String, _ total: MoneyAmount) -> String { "已作废：\(number)，\(total.text) 退回原卡。" }
    var nothingToDo: String { "一切正常，无需处理。" }
    var busy: String { "请稍候，上一个请求尚未完成。" }
    var gone: String { "收银服务已停止，购物车已保留；恢复后请重新扫描或收款。" }
    var agentStopped: String { "收银服务已停止 · 购物车已保留，请等待恢复" }
    var agentBack: String { "收银服务已恢复：请重新扫描或收款。" }
    var signedOut: String { "已退出登录，待上传的数据不受影响。" }
    var malformedQuantity: String { "数量写作 2 或 0.357。" }
    func malformedDiscount(_ currency: String) -> String { "折扣写作 \(example(currency)) 或 10%。" }
    func malformedAmount(_ currency: String) -> String { "请按 \(example(currency)) 的格式输入金额。" }
    func stillPricing(_ count: Int) -> String { "还有 \(count) 项正在计价，请稍候付款。" }
    func signedIn(_ name: String) -> String { "已登录：\(name)" }
    func unknownMember(_ id: String) -> String { "查无会员 \(id)，按输入记录。按 F6 修改。" }
    func wanted(by name: String) -> String { "\(name) 需要此单：按 F8 挂单后可在那里取回。" }
    var soldUnseen: String { "该单已成交：按 F10 可再次查看。" }
    var nothingComesBack: String { "该单换货的商品已不能再退。" }
    var offerDeclined: String { "此单已保留：按 F8 取回。" }
    func soldBefore(_ number: String, _ time: String) -> String { "此单已成交：\(number)（\(time)）。请把钱退还顾客。" }
    func outside(_ command: String) -> String { "`pos \(command)` 需在收银界面之外运行；Ctrl-Q 退出。" }

    func paper(_ paper: Paper) -> String {
        switch paper {
        case .unknown, .none: ""
        case .printing: "正在打印小票 …"
        case .printed: "小票已打印"
        case .waiting: "！小票未打印"
        }
    }

    func noPaper(_ detail: String?) -> String { "小票等待打印：\(detail ?? "打印机未接收")。按 Alt-T 查看打印机。" }

    func subject(_ subject: CounterRefusal.Subject) -> String {
        switch subject {
        case .sale: "销售"
        case .refund: "退货"
        case .void: "作废"
        case .cardVoid: "撤销刷卡"
        case .cashMovement: "现金进出"
        case .shift: "班次"
        case .note: "便条"
        case .member: "会员"
        case .other(let type): type
        }
    }

    func kind(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected: "被拒"
        case .conflicted: "不一致"
        case .heldBack: "暂停上传"
        }
    }

    func withoutReason(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected: "总部未说明原因。"
        case .conflicted: "总部的记录与本机不同。"
        case .heldBack: "内容与写入时不同。"
        }
    }

    func keys(_ refusal: CounterRefusal) -> [String] {
        switch refusal.kind {
        case .rejected:
            [
                "R：原因消除后重新发送。",
                "D：放弃。总部不计入，并会收到通知；单据仍留在本机。",
                "`pos sync edit` 可更正内容。",
            ]
        case .conflicted:
            ["M：重新发送，请总部计入。", "S：不再发送。总部不计入；单据仍留在本机。"]
        case .heldBack: ["R：按现有内容发送，总部会标记。"]
        }
    }

    func state(_ shift: ShiftRecord) -> String {
        switch shift.state {
        case .open: "进行中"
        case .provisional: "已交班，待总部核对"
        case .confirmed: "总部已确认"
        case .disputed: "与总部不符"
        }
    }

    private func title(ofCash kind: CashMove.Kind) -> String {
        switch kind {
        case .in: "存入现金"
        case .out: "支出现金"
        case .drop: "解款"
        case .noSale: "无销售开钱箱"
        }
    }

    func module(_ module: TillModule) -> String {
        switch module {
        case .checkout: "销售"
        case .cash: "现金"
        case .card: "刷卡"
        case .coupons: "优惠券"
        case .exchange: "换货"
        case .priceOverride: "改价"
        case .park: "挂单"
        case .manualOffline: "手动切换"
        case .refund: "退货"
        case .void: "作废"
        case .notes: "便条"
        case .sync: "上传总部"
        case .catalogue: "商品与价格"
        case .account: "收银员密码"
        case .member: "会员"
        case .marketing: "促销"
        }
    }

    func printer(_ state: PrinterCall.Response.State) -> String {
        switch state {
        case .ready: "正常"
        case .paperLow: "纸将用尽"
        case .paperOut: "缺纸"
        case .noResponse: "无应答"
        case .untried: "尚未使用"
        case .none: "无"
        }
    }

    func paperKind(_ kind: PrintJobRecord.Kind) -> String {
        switch kind {
        case .receipt: "小票"
        case .refund: "退货单"
        case .void: "作废单"
        case .shift: "班次单"
        case .test: "测试页"
        }
    }

    func jobState(_ state: PrintJobRecord.State) -> String {
        switch state {
        case .waiting: "等待"
        case .printing: "打印中"
        case .interrupted: "已中断：R 重新打印"
        case .failed: "未打印"
        }
    }

    func beforeKey(_ words: String) -> String {
        words.hasSuffix("运行 ") ? words.dropLast(3) + "按 " : words
    }

    func reasonOfHub(_ refusal: CounterRefusal) -> String? {
        switch refusal.reasonCode {
        case "conflict" where refusal.subject == .refund: "按总部的记录，该单可退的已不足此数，或已作废。"
        case "conflict" where refusal.subject == .void: "按总部的记录，该单已有退货，或已作废。"
        case "conflict": "总部的记录与本机不同。"
        case "invalid_mutation": "总部认为内容无效。"
        case "dependency_rejected": "所依据的单据被总部拒绝，请先处理那一笔。"
        case "superseded", "edit_repeated": "总部已收到更正后的版本。"
        case "expired_replay": "重复发送，距首次已久；未执行两次。"
        case "mutation_foreign": "所依据的是其他收银机的单据，请在那台处理。"
        case "order_foreign_store": "该单属于其他门店，请在那家店处理。"
        case "points_limit": "积分超过每笔上限。"
        default: nil
        }
    }

    func cameBack(_ money: String, till: String, store: String) -> String {
        "\(store) 店 \(till) 号机已退 \(money)"
    }
    func unknownCode(_ code: String) -> String { "没有条码 \(code) 的商品。请重新扫描；F2 按名称查找，Alt-U 按部门销售。" }
    var cardNumberRefused: String { "这像是银行卡号，不能在此输入，请使用刷卡机。" }
    var cardOutcomeUnknown: String { "刷卡结果不明。按 F10 可重新刷卡，也可收现金：那样该卡会退回。" }
    var wrongPIN: String { "密码不对，请重新输入。" }
    var signInFirst: String { "尚未登录，请输入工号和密码。" }
    var needsManager: String { "此操作需要主管批准，已输入的内容保留。" }
    var totalChanged: String { "合计已变化，请确认后再按 F10。" }
    var clocksDiffer: String { "本机与总部时钟不一致，请核对；确认无误后再按 F10 收款。" }
    func exchanged(for money: String) -> String { "换货：退回 \(money)。请扫描顾客换走的商品，再按 F10。" }
    func largeChange(_ money: String) -> String { "找零将为 \(money)。请核对收款；再次输入相同金额即确认。" }
    func tax(_ rate: String) -> String { "税率 \(rate) %" }
    func parked(_ name: String, content: String, total: String) -> String {
        "已挂单\(name)：\(content)，\(total)。按 F8 取回。"
    }
    func stillToPay(_ money: String) -> String { "还差 \(money)。按 Del 退回已收款。" }
    func stillToCharge(_ money: String) -> String { "还差 \(money)。尚未扣款。" }
    var countAgain: String { "输入相同金额即确认。" }
    var enterAgain: String { "再次输入相同金额即确认。" }
    var payAgain: String { "确认后请再次用该券付款。" }
    var cashWentBack: String { "当时已退还该单的现金，已计入班次。以下按键都不动现金。" }
    var notInDrawer: String { "与钱箱无关。" }
    func cashLeft(_ amount: String) -> String { "当时已从钱箱付出现金 \(amount)，已计入班次。以下按键都不动现金。" }
    func cashCame(_ amount: String) -> String { "当时钱箱收入现金 \(amount)，已计入班次。以下按键都不动现金。" }
}
