package import Base
internal import AgentAPI
internal import HubProtocol
internal import Pricing

/// The words of the screen in the language of the till, or of whoever looks.
package struct CounterText: Sendable {
    /// Chinese; otherwise English.
    package let isChinese: Bool
    package var language: Language { isChinese ? .chinese : .english }

    func callAsFunction(_ english: String, _ chinese: String) -> String { isChinese ? chinese : english }

    func label(_ action: CounterAction, isCartEmpty: Bool = false, isSignedIn: Bool = false) -> String {
        switch action {
        case .help: self("Help", "帮助")
        case .search: self("Search", "查找")
        case .quantity: self("Quantity", "数量")
        case .discount: self("Discount", "折扣")
        case .price: self("Price", "改价")
        case .member: self("Member", "会员")
        case .coupon: self("Coupon", "优惠券")
        case .park: isCartEmpty ? self("Resume", "取单") : self("Park", "挂单")
        case .refund: self("Refund", "退货")
        case .pay: self("Pay", "收款")
        case .sign: isSignedIn ? self("Sign out", "退出登录") : self("Sign in", "登录")
        case .banner: self("State", "状态")
        case .offline: self("Go offline", "转为离线")
        case .remove: self("Remove line", "删除行")
        case .openItem: self("Sell by department", "按部门销售")
        case .discountAll: self("Discount on the whole cart", "整单折扣")
        case .points: self("Spend points", "积分抵扣")
        case .voidLast: self("Void the last sale", "作废上一单")
        case .shift: self("Shift and drawer", "班次与钱箱")
        case .decide: self("What waits for you", "待处理")
        case .printer: self("Printer", "打印机")
        case .leave: self("Leave", "退出")
        }
    }

    /// What the key of the banner does, for its command.
    func bannerKey(_ command: String) -> String {
        let words = command.split(separator: " ").drop { $0 == "pos" }.joined(separator: " ")
        return switch words {
        case "sync now": self("try now", "立即重试")
        case "offline off": self("go online", "恢复在线")
        case "sync rejected": self("decide", "处理")
        case let words where words.hasPrefix("sign-in"): self("sign in", "登录")
        default: self("what to do", "如何处理")
        }
    }

    var unreadableReceipt: String {
        self(
            "That is not the whole code of a receipt. Scan it again.", "这不是完整的小票码，请重新扫描。")
    }

    func unknownReceipt(_ typed: String) -> String {
        self(
            "None of the newest sales here has the number \(typed). Scan the receipt's code.",
            "本机最近的订单中没有 \(typed)，请扫描小票码。")
    }

    /// What came back at another terminal.
    func elsewhere(_ refund: ReceiptSale.Refund, _ currency: String) -> String {
        let money = AmountText.money(refund.total, currency)
        let till = refund.place?.terminalNumber.map(String.init) ?? "?"
        let store = refund.place?.storeId ?? "?"
        return self(
            "\(money) came back at till \(till) of store \(store)", "\(store) 店 \(till) 号机已退 \(money)")
    }

    /// How far the lines of a refund can be relied on; nil: the hub has decided them.
    func leftKnown(by source: LeftBy?) -> String? {
        switch source {
        case .hub: nil
        case .till:
            self(
                "Without head office: what came back at other tills is not known.",
                "未连总部：其他收银机的退货情况未知。")
        case nil: self("looking for what came back before …", "正在查询已退商品……")
        }
    }

    /// A card that was refused after its sale, of whose goods some came back.
    func unpaid(_ amount: MoneyAmount, by method: String) -> [String] {
        isChinese
            ? ["\(self.method(method)) \(amount.text) 事后被拒，无款可退。"]
            : ["\(self.method(method)) \(amount.text): refused after the sale,", "nothing goes back to it."]
    }

    func title(of field: CounterDialog.Field) -> String {
        switch field {
        case .quantity: self("Quantity of the line", "本行数量")
        case .discount: self("Discount on the line", "本行折扣")
        case .discountAll: self("Discount on the whole cart", "整单折扣")
        case .points: self("Points to spend", "使用积分")
        case .voucherNumber(let choice): self("Number of \(choice.method)", "\(choice.method) 券号")
        case .price: self("Price for one unit", "单价")
        case .openQuantity(_, let name): self("How much of \(name)?", "\(name) 的数量")
        case .openPrice(_, let name, _): self("Price of \(name)", "\(name) 的价格")
        case .member: self("Member", "会员")
        case .memberName(let phone): self("New member \(phone): the name", "新会员 \(phone)：姓名")
        case .coupon: self("Coupon", "优惠券")
        case .parkName: self("Park this cart", "挂单")
        case .offlineReason: self("Go offline by hand", "手动转为离线")
        case .cashier: self("Sign in", "登录")
        case .cashierPIN(let id): self("PIN of \(id)", "\(id) 的密码")
        case .approver: self("A manager has to approve", "需要主管批准")
        case .approverPIN(let id, _): self("PIN of \(id)", "\(id) 的密码")
        case .refundReason: self("Why do the goods come back?", "退货原因")
        case .dropReason: self("Drop this cart for good", "删除挂单")
        case .voidReason(let sale): self("Void \(sale.orderNumber)", "作废 \(sale.orderNumber)")
        case .shiftFloat: self("Open a shift: the float", "开班：备用金")
        case .shiftCounted: self("Close the shift: the cash in the drawer", "交班：清点现金")
        case .cashAmount(let kind, _), .cashReason(let kind, _, _): title(ofCash: kind)
        case .discardReason(let refusal):
            self("Give up \(title(of: refusal))", "放弃 \(title(of: refusal))")
        }
    }

    /// - Parameter currency: of the amounts in it.
    func hint(of field: CounterDialog.Field, currency: String) -> String {
        switch field {
        case .quantity, .openQuantity: self("2, or 0.357 of what is weighed", "例如 2，称重商品 0.357")
        case .discount:
            self(
                "\(example(currency)) off the whole line, or 10%; 0 takes it back",
                "整行减 \(example(currency))，或 10%；0 取消")
        case .discountAll:
            self(
                "\(example(currency)) off everything, or 10%; 0 takes it back",
                "整单减 \(example(currency))，或 10%；0 取消")
        case .points: self("a number; 0 or just Enter spends none", "输入积分数；0 或直接回车则不用")
        case .voucherNumber: self("scan or type it", "扫描或输入")
        case .price, .openPrice, .shiftFloat, .shiftCounted, .cashAmount:
            self("in \(currency): \(example(currency))", "以 \(currency) 为单位：\(example(currency))")
        case .member: self("card, id or telephone number; empty: no member", "会员卡、会员号或电话；留空则不用会员")
        case .memberName: self("Enter makes the member; Esc leaves the number as typed", "回车建立会员；Esc 仅记录号码")
        case .coupon: self("scan or type its code; empty: no coupons", "扫描或输入券码；留空则取消优惠券")
        case .parkName: self("a name to find it by, or just Enter", "输入便于查找的名称，或直接回车")
        case .offlineReason: self("why, or just Enter", "原因，或直接回车")
        case .cashier: self("your id", "工号")
        case .cashierPIN, .approverPIN: self("it is not shown", "不显示输入内容")
        case .approver(let action):
            self("for \(approval(action)) · the manager's id", "事项：\(approval(action)) · 主管工号")
        case .cashReason: self("why; it goes to head office", "原因，将上传总部")
        case .refundReason, .voidReason: self("a few words, or just Enter", "简要说明，或直接回车")
        case .dropReason: self("why; nothing was sold from it", "原因；此单未成交")
        case .discardReason: self("why; the sale stays on this till", "原因；单据仍保留在本机")
        }
    }

    /// An action of `account.approvals`.
    private func approval(_ action: String) -> String {
        switch action {
        case "refund": self("a refund", "退货")
        case "refundLimit": self("a refund above the limit", "超限退货")
        case "void": self("a void", "作废")
        case "priceOverride": self("another price", "改价")
        case "discount": self("this discount", "折扣")
        case "manualOffline": self("the manual switch", "手动切换")
        case "cashMovement": self("a movement of cash", "现金进出")
        case "noSale": self("opening the drawer", "开钱箱")
        case "cardOffline": self("a card while offline", "离线刷卡")
        case "openItem": self("an open item", "无编码商品")
        case "refusals": self("a refused entry", "被拒单据")
        case "cartCopy": self("a cart of another window", "取用其他窗口的单")
        default: action
        }
    }

    /// A text of the agent as this screen shows it: in the words of a shop, and with the key that does here
    /// what a command does in a shell. Commands without a key stay: they are the manager's.
    static func words(_ text: String) -> String {
        let parts = ShopWords.text(text).split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().reduce(into: "") { shown, next in
            guard !next.offset.isMultiple(of: 2) else {
                shown += next.element
                return
            }
            guard let key = keys.first(where: { next.element.hasPrefix($0.command) })?.key else {
                shown += "`" + next.element + (next.offset + 1 < parts.count ? "`" : "")
                return
            }
            // A command is run, a key is pressed.
            if shown.hasSuffix("运行 ") { shown = shown.dropLast(3) + "按 " }
            shown += key
        }
    }

    private static let keys: [(command: String, key: String)] = [
        ("pos sign-in", "F11"), ("pos sync now", "F12"), ("pos offline off", "F12"),
        ("pos sync rejected", "Alt-W"), ("pos shift open", "Alt-Z"), ("pos shift close", "Alt-Z"),
        ("pos printer", "Alt-T"), ("pos orders refund", "F9"), ("pos orders void", "Alt-V"),
        ("pos cart list", "F8"), ("pos cart drop", "F8"),
    ]

    /// What was refused, and what to do next.
    ///
    /// - Parameter hasPINs: the store has cashiers, so that digits may be a PIN.
    func refusal(_ failure: AgentFailure, of change: CartChange?, hasPINs: Bool = false) -> String {
        let words = Self.words(
            failure.text(in: language))
        switch failure.code {
        case "unknown_barcode":
            guard case .scan(let line, _) = change else { return words }
            let code = UnknownCode.shown(line.barcode, hasPINs: hasPINs)
            return self(
                "No article has the code \(code). Scan again; F2 finds it by name, Alt-U sells it by department.",
                "没有条码 \(code) 的商品。请重新扫描；F2 按名称查找，Alt-U 按部门销售。")
        case "card_number_refused":
            return self(
                "That looks like a card number, which is never entered here. Use the card machine.",
                "这像是银行卡号，不能在此输入，请使用刷卡机。")
        case "card_outcome_unknown":
            return self(
                "The card is not confirmed. F10 tries it again; cash is right too: then the card is given back.",
                "刷卡结果不明。按 F10 可重新刷卡，也可收现金：那样该卡会退回。")
        case "wrong_pin": return self("That is not the PIN. Enter it again.", "密码不对，请重新输入。")
        case "sign_in_required": return self("Nobody is signed in. Enter your id and PIN.", "尚未登录，请输入工号和密码。")
        case "approval_required":
            return self("This needs a manager. What was entered is kept.", "此操作需要主管批准，已输入的内容保留。")
        case "price_changed":
            return self("The total has changed. Look at it, then F10 again.", "合计已变化，请确认后再按 F10。")
        case "voucher_used":
            return self(
                words.replacing("(--voucher-confirmed)", with: "(pay with it again)"),
                words + "确认后请再次用该券付款。")
        case "count_differs":
            return words.replacing("confirm it (--confirmed)", with: "enter the same count")
                + (isChinese ? "输入相同金额即确认。" : "")
        case "drawer_short":
            return words.replacing("confirm it (--confirmed)", with: "enter it again")
                + (isChinese ? "再次输入相同金额即确认。" : "")
        case "clock_differs":
            return self(
                "The clocks of till and head office differ. Look at them; F10 again sells all the same.",
                "本机与总部时钟不一致，请核对；确认无误后再按 F10 收款。")
        default: return words
        }
    }

    func pinLocked(_ seconds: Int) -> String {
        self(
            "Too many wrong PINs: wait \(seconds) s, or somebody else signs in.",
            "密码多次错误：请等待 \(seconds) 秒，或换人登录。")
    }

    func exchanged(_ worth: Int64, _ currency: String) -> String {
        self(
            "Goods for \(AmountText.money(worth, currency)) come back. Scan what the customer takes, then F10.",
            "换货：退回 \(AmountText.money(worth, currency))。请扫描顾客换走的商品，再按 F10。")
    }
    func largeChange(_ amount: Int64, _ currency: String) -> String {
        let money = AmountText.money(amount, currency)
        return self(
            "The change would be \(money). Check the cash; the same amount again takes it.",
            "找零将为 \(money)。请核对收款；再次输入相同金额即确认。")
    }
    var notExchanged: String { self("Nothing comes back with this sale now.", "本单不再换货。") }

    var noDepartments: String {
        self("The catalogue has no departments, so nothing can be sold by one.", "商品目录中没有部门，不能按部门销售。")
    }

    func department(_ department: DepartmentRecord) -> String {
        let rate = QuantityText.text(milli: department.taxBasisPoints * 10)
        return self("tax \(rate) %", "税率 \(rate) %")
    }

    var noTender: String { self("No tender can be taken now; the reason is below.", "目前不能收款，原因见下。") }
    var numberMissing: String { self("The voucher's number is missing.", "请输入券号。") }
    var malformedPoints: String { self("Points are a whole number: 500.", "积分为整数，例如 500。") }
    var pointsNeedMember: String { self("Points need a member: F6 first.", "使用积分须先按 F6 输入会员。") }
    var nothingToVoid: String { self("There is no last sale to void.", "没有可作废的上一单。") }

    /// How a tender goes that is not requested of the hub.
    func route(_ route: String) -> String {
        switch route {
        case "machine": self("machine", "刷卡机")
        case "stored": self("stored", "稍后授权")
        default: ""
        }
    }

    /// What the member has and can spend of it.
    ///
    /// - Parameter most: what this sale can spend for certain; nil: the hub decides that.
    func points(_ points: PointsState, most: Int64?, isOld: Bool) -> String {
        let balance = points.balance.map {
            isOld
                ? self("the member had \($0)", "会员曾有 \($0)") : self("\($0) of the member", "会员共 \($0)")
        }
        let limit = points.isRefused ? nil : most.map { self("\($0) can be spent now", "目前可用 \($0)") }
        let why = points.isRefused ? Self.words(points.text(in: language)) : nil
        return [balance, limit, why].compactMap(\.self).joined(separator: self(" · ", " · "))
    }

    var nothingScanned: String { self("Nothing is scanned yet: scan an article first.", "尚未扫描商品，请先扫描。") }
    var nothingMarked: String {
        self("Mark what comes back: Space for a line, A for all.", "请先选择退货商品：空格选择，A 全选。")
    }
    var reasonMissing: String { self("Say why, in a few words.", "请填写原因。") }

    func unseenWait(_ count: Int) -> String {
        self(
            count == 1
                ? "Nobody saw the result of a card sale: Alt-W, once this cart is done."
                : "Nobody saw the results of \(count) card sales: Alt-W, once this cart is done.",
            "有 \(count) 笔刷卡单无人看到结果：本单完成后按 Alt-W。")
    }

    /// How far a card's money is that the terminal's own machine gives back, in lines of the smallest dialog.
    func back(_ card: CardReturnRecord) -> [String] {
        let money = card.amount.text
        switch card.state {
        case "returned": return [self("\(money) is back on the card.", "\(money) 已退回原卡。")]
        case "refused":
            return [
                self("The card machine refused \(money):", "刷卡机拒绝退回 \(money)："), card.reason ?? "",
                self("pay it in cash: pos orders owed", "请付现金：pos orders owed"),
            ]
        case "paidInCash": return [self("\(money) was paid in cash.", "\(money) 已付现金。")]
        case _:
            return [
                self("\(money) goes back to the card", "\(money) 待刷卡机连通后"),
                self("when the machine can be reached.", "退回原卡。"),
            ]
        }
    }

    /// Of a void whose money the card machine does not have back on the card yet.
    func voided(_ number: String, _ cards: [CardReturnRecord]) -> String {
        self("Void: \(number). ", "已作废：\(number)。") + cards.flatMap(back).joined(separator: " ")
    }

    /// Of a void whose cash the customer gets, with what is on its way to cards.
    func voided(_ number: String, inCash cash: MoneyAmount, _ cards: [CardReturnRecord]) -> String {
        self("Void: \(number). Give back \(cash.text) in cash. ", "已作废：\(number)。请退现金 \(cash.text)。")
            + cards.flatMap(back).joined(separator: " ")
    }

    func voided(_ number: String, _ total: MoneyAmount) -> String {
        self("Void: \(number), \(total.text) goes back to the card.", "已作废：\(number)，\(total.text) 退回原卡。")
    }

    var nothingToDo: String { self("All is well: there is nothing to do.", "一切正常，无需处理。") }
    var busy: String { self("One moment: the last request is not answered yet.", "请稍候，上一个请求尚未完成。") }
    var gone: String {
        self(
            "The till's service has stopped. The cart is kept; scan or pay again once it is back.",
            "收银服务已停止，购物车已保留；恢复后请重新扫描或收款。")
    }
    var agentStopped: String {
        self(
            "THE TILL'S SERVICE HAS STOPPED · the cart is kept; wait until it is back",
            "收银服务已停止 · 购物车已保留，请等待恢复")
    }
    var agentBack: String {
        self("The till's service is back: scan or pay again.", "收银服务已恢复：请重新扫描或收款。")
    }
    var givingUp: String { self("Giving it up …", "正在取消 …") }
    var signedOut: String { self("Signed out. What waits to be sent is kept.", "已退出登录，待上传的数据不受影响。") }
    var malformedQuantity: String { self("A quantity is 2 or 0.357.", "数量写作 2 或 0.357。") }
    func malformedDiscount(_ currency: String) -> String {
        self("A discount is \(example(currency)) or 10%.", "折扣写作 \(example(currency)) 或 10%。")
    }
    func malformedAmount(_ currency: String) -> String {
        self("An amount is written as \(example(currency)).", "金额写作 \(example(currency))。")
    }

    /// An amount as it is typed: 12.50 EUR, 1250 JPY, 12.500 KWD.
    private func example(_ currency: String) -> String {
        let decimals = AmountText.decimals(of: currency)
        let minor = decimals == 0 ? 1250 : (1..<decimals).reduce(Int64(125)) { minor, _ in minor * 10 }
        return AmountText.text(minor, currency: currency)
    }

    func stillPricing(_ count: Int) -> String {
        self("\(count) still being priced; pay in a moment.", "还有 \(count) 项正在计价，请稍候付款。")
    }

    func signedIn(_ name: String) -> String { self("Signed in: \(name)", "已登录：\(name)") }

    func parked(_ cart: CartRecord) -> String {
        let name = cart.name.map { " \"\($0)\"" } ?? ""
        let content = cart.content(in: language)
        return self(
            "Parked\(name): \(content), \(cart.total.text). F8 brings it back.",
            "已挂单\(name)：\(content)，\(cart.total.text)。按 F8 取回。")
    }

    func unknownMember(_ id: String) -> String {
        self("Nobody knows the member \(id); noted as typed. F6 changes it.", "查无会员 \(id)，按输入记录。按 F6 修改。")
    }

    func priceChanged(_ name: String, from old: Int64, to new: Int64, currency: String) -> String {
        let (was, now) = (AmountText.text(old, currency: currency), AmountText.text(new, currency: currency))
        return self("The price of \(name) is \(now) now, it was \(was).", "\(name) 的价格已由 \(was) 变为 \(now)。")
    }

    func stillDue(_ amount: Int64, _ currency: String, of money: TakenMoney) -> String {
        let due = AmountText.money(amount, currency)
        return money.inHand > 0
            ? self("\(due) still due. Del hands back what was taken.", "还差 \(due)。按 Del 退回已收款。")
            : self("\(due) still due. Nothing is charged yet.", "还差 \(due)。尚未扣款。")
    }

    /// A cart that a window left, in one line: `3 lines, 50.00 EUR taken: go on?`
    func offer(_ cart: CartSummary) -> String {
        let lines = cart.content(in: language)
        guard cart.lines > 0 else { return self("\(lines): go on?", "\(lines)：继续？") }
        guard cart.money.inHand > 0 else {
            return self("\(lines), \(cart.total.text): go on?", "\(lines)，\(cart.total.text)：继续？")
        }
        let taken = AmountText.money(cart.money.inHand, cart.total.currency)
        return self("\(lines), \(taken) taken: go on?", "\(lines)，已收 \(taken)：继续？")
    }

    /// Another window was refused this cart.
    func wanted(by name: String) -> String {
        self("\(name) wants this cart: F8 parks it for there.", "\(name) 需要此单：按 F8 挂单后可在那里取回。")
    }

    var soldUnseen: String { self("That sale was made: F10 shows it again.", "该单已成交：按 F10 可再次查看。") }

    var nothingComesBack: String {
        self("The goods for its exchange cannot come back any more.", "该单换货的商品已不能再退。")
    }

    var offerDeclined: String { self("It is kept: F8 brings it back.", "此单已保留：按 F8 取回。") }

    /// - Parameter time: on the store's clock.
    func soldBefore(_ number: String, _ time: String) -> String {
        self(
            "This cart was sold already: \(number), \(time). Give the money back.",
            "此单已成交：\(number)（\(time)）。请把钱退还顾客。")
    }

    func outside(_ command: String) -> String {
        self(
            "`pos \(command)` works outside the counter; Ctrl-Q leaves it.",
            "`pos \(command)` 需在收银界面之外运行；Ctrl-Q 退出。")
    }

    /// The paper of a receipt; empty where there is nothing to say.
    func paper(_ paper: Paper) -> String {
        switch paper {
        case .unknown, .none: ""
        case .printing: self("the receipt is printing …", "正在打印小票 …")
        case .printed: self("the receipt is printed", "小票已打印")
        case .waiting: self("! the receipt is not printed", "！小票未打印")
        }
    }

    func noPaper(_ detail: String?) -> String {
        self(
            "The receipt waits: \(detail ?? "the printer did not take it"). Alt-T shows the printer.",
            "小票等待打印：\(detail ?? "打印机未接收")。按 Alt-T 查看打印机。")
    }

    func method(_ method: String) -> String {
        switch method {
        case "cash": self("Cash", "现金")
        case "card": self("Card", "刷卡")
        case "points": self("Points", "积分")
        default: method
        }
    }

    func role(_ role: String) -> String {
        switch role {
        case "manager": self("manager", "主管")
        case "cashier": self("cashier", "收银员")
        default: role
        }
    }
}
