internal import Base
internal import AgentAPI
internal import Counter
internal import HubProtocol
internal import Pricing
internal import Agent

/// The words of the checkout in the language of the till, or of whoever looks.
struct CheckoutText {
    let isChinese: Bool
    var language: Language { isChinese ? .chinese : .english }

    func callAsFunction(_ english: String, _ chinese: String) -> String { isChinese ? chinese : english }

    var help: String {
        self(
            """
            scan or type a barcode; BARCODE:QTY or QTY*BARCODE for more than one; scan CODE for a code that is a word
            total      the lines so far, with the total
            *QTY       changes the quantity of the last line
            x [N]      takes the last line off, or line N
            d AMOUNT [N]  discount on the last line or line N: minor units (150), whole ones (1.50) or 10%; 0 takes it back
            da AMOUNT  discount on everything, in the same forms
            m ID       member, by id or telephone number; alone: nobody
            points N   points of the member that pay a part; 0 takes them back; alone: how many there are
            c CODE     coupon; alone: takes the last one away
            pay [METHOD[:AMOUNT[:NUMBER]]]…   cash, card, …, with a voucher's number; alone: exact cash, or the rest; several split it
            tenders    how each tender goes now
            pay back   hands back what was tendered so far
            s ID       signs a cashier in, s alone signs out; the PIN is asked for
            a ID       who approves the next payment or switch; the PIN is asked for
            void last [REASON]   voids the last sale of this till
            void NUMBER [REASON] · seen NUMBER   for a sale whose answer nobody saw
            offline [REASON] · online    the manual switch
            clock      sells although the clocks of till and head office differ
            retry      tries head office again now
            q          leaves; twice with a basket
            """,
            """
            扫描或输入条码；多件：条码:数量 或 数量*条码；条码与命令同名时用 scan 条码
            total      显示全部商品和合计
            *数量      修改最后一行的数量
            x [行号]   删除最后一行或指定行
            d 金额 [行号]  整行减价：分（150）、元（1.50）或 10%；0 取消
            da 金额    整单减价，写法相同
            m 会员     会员号或电话；单独输入：取消会员
            points 数量   用会员积分抵扣；0 取消；单独输入：查看积分
            c 券码     优惠券；单独输入：去掉最后一张
            pay [方式[:金额[:券号]]]…   cash 现金，card 刷卡；单独输入：现金付清余额；可分几种方式
            tenders    各付款方式目前如何受理
            pay back   退回已收款项
            s 工号     收银员登录，单独输入：退出；随后输入密码
            a 工号     由谁批准下一次付款或切换；随后输入密码
            void last [原因]   作废本机上一单
            void 单号 [原因] · seen 单号   处理无人看到结果的刷卡单
            offline [原因] · online    手动离线／恢复
            clock      时钟与总部不一致时仍然收银
            retry      立即重新连接总部
            q          退出；有商品时需输入两次
            """)
    }

    func largeChange(_ amount: Int64, _ currency: String) -> String {
        let money = AmountText.money(amount, currency)
        return self(
            "the change would be \(money); check the cash, then pay the same again",
            "找零将为 \(money)；请核对收款，确认无误请再次输入")
    }

    /// What went wrong, in words that work in the checkout.
    func message(of error: TerminalError) -> String {
        switch error.code {
        case "sign_in_required": self("sign in first: s ID", "请先登录：s 工号")
        case "approval_required":
            self(
                "a manager has to approve it: a ID, then again (\(error.details.action ?? "-"))",
                "需要主管批准：先输入 a 工号，再重试（\(error.details.action ?? "-")）")
        case "pin_required": self("the PIN is missing: s ID or a ID asks for it", "缺少密码：请用 s 工号 或 a 工号")
        case "price_changed":
            self("the total has changed; look at it, then pay again", "合计已变化；请确认后重新付款")
        case "clock_differs":
            self(
                ShopWords.text(error.message).replacing(
                    "confirm it (--clock-confirmed)", with: "type clock, then pay again"),
                error.failure.text(in: .chinese) + "确认无误可输入 clock 后重新付款。")
        case "voucher_used":
            self(
                error.message.replacing("(--voucher-confirmed)", with: "(type voucher, then pay again)"),
                error.failure.text(in: .chinese) + "确认后可输入 voucher 并重新付款。")
        case "quantity_required":
            self(
                "\(error.details.article ?? "it") is sold by weight or measure: type 0.357*CODE",
                "\(error.details.article ?? "此商品") 按重量或计量销售：请输入 0.357*条码")
        case "price_required":
            self(
                "\(error.details.article ?? "it") has no fixed price: type CODE@PRICE, the price in minor units",
                "\(error.details.article ?? "此商品") 没有固定价格：请输入 条码@价格（以最小货币单位计）")
        case "unknown_barcode":
            self(
                error.message.replacing("`pos sync now`", with: "`retry`")
                    + " CODE@PRICE#DEPARTMENT sells it by department.",
                error.failure.text(in: .chinese) + "也可按部门销售：条码@价格#部门")
        case "agent_gone": agentGone
        default: ShopWords.text(error.failure.text(in: language))
        }
    }

    var agentGone: String {
        self(
            "the till's service has stopped; waiting for it, the basket is kept (Control-C leaves)",
            "收银服务已停止；购物篮已保留，请等待恢复（Control-C 退出）")
    }
    var agentBack: String {
        self("the till's service is back, the basket is as it was", "收银服务已恢复，购物篮未变")
    }

    /// Lines and total of a basket.
    func list(_ basket: Basket) -> String {
        var rows = basket.quotedLines.enumerated().map {
            "  \($0.offset + 1)  " + line($0.element, currency: basket.currency)
        }
        if let member = basket.quote?.member { rows.append("  " + self.member(member)) }
        if !basket.coupons.isEmpty {
            rows.append("  " + self("coupons ", "优惠券 ") + basket.coupons.joined(separator: ", "))
        }
        rows.append("  " + total(basket))
        return rows.joined(separator: "\n")
    }

    /// One line as priced.
    func line(_ line: SoldLine, currency: String) -> String {
        func amount(_ amount: Int64) -> String { AmountText.text(amount, currency: currency) }
        return "\(line.name)  \(QuantityText.text(milli: line.quantityMilli)) x \(amount(line.unitPrice))"
            + (line.discount > 0 ? "  -\(amount(line.discount))" : "")
            + "  \(amount(line.total))"
    }

    func member(_ member: QuoteResponse.Member) -> String {
        let id = member.memberId
        guard member.isKnown else {
            return self("member \(id): nobody knows them, noted as typed", "会员 \(id)：查无此人，按输入记录")
        }
        let name = member.name.map { " (\($0))" } ?? ""
        return self("member \(id)\(name)", "会员 \(id)\(name)")
    }

    func total(_ basket: Basket) -> String {
        var words =
            self("total ", "合计 ") + AmountText.money(basket.total, basket.currency)
            + self(", of it tax ", "，含税 ")
            + AmountText.text(basket.quote?.tax.amount ?? 0, currency: basket.currency)
        if let rounding = basket.quote?.cashRounding.amount, rounding != 0 {
            words +=
                self(", in cash ", "，现金 ")
                + AmountText.money(basket.total + rounding, basket.currency)
        }
        return words
    }

    /// What is typed behind.
    func prompt(_ basket: Basket) -> String {
        guard !basket.lines.isEmpty else { return "> " }
        var words = "[\(basket.lines.count) · \(AmountText.money(basket.total, basket.currency))"
        if basket.taken > 0 {
            let left = AmountText.text(max(0, basket.total - basket.taken), currency: basket.currency)
            words += self(" · \(left) still due", " · 还差 \(left)")
        }
        return words + "] > "
    }

    /// What was taken so far, and what is due.
    func taken(_ basket: Basket) -> String {
        let (taken, left) = (
            AmountText.text(basket.taken, currency: basket.currency),
            AmountText.money(max(0, basket.total - basket.taken), basket.currency)
        )
        return self(
            "\(taken) taken, \(left) still due: pay cash, pay card, or pay back",
            "已收 \(taken)，还差 \(left)：pay cash、pay card，或 pay back 退回")
    }

    /// A card sale whose result nobody saw.
    func unseen(_ sale: UnseenSalesCall.Sale) -> String {
        let (number, total) = (sale.orderNumber, sale.total.text)
        return self(
            "a card paid \(total) for \(number), and its answer was not seen: `seen \(number)` or `void \(number)`",
            "刷卡单 \(number)（\(total)）已成交，但无人看到结果：输入 seen \(number) 保留，或 void \(number) 撤销")
    }

    var isExchange: String {
        self(
            "it is an exchange: take it at the counter (`pos sell`); it is kept",
            "这是换货单：请在收银界面（pos sell）继续；此单已保留")
    }

    func left(_ cart: CartSummary) -> String {
        self(
            "a window left a cart: \(offer(cart)) Enter takes it, anything else leaves it",
            "有窗口留下了一单：\(offer(cart)) 回车继续此单，输入其他内容则暂不处理")
    }

    /// A cart that a window left: `3 lines, 50.00 EUR taken: go on?`
    func offer(_ cart: CartSummary) -> String {
        let lines = cart.content(in: language)
        guard cart.lines > 0 else { return self("\(lines): go on?", "\(lines)：继续？") }
        let money =
            cart.money.inHand == 0
            ? cart.total.text
            : self(
                "\(MoneyAmount(cart.money.inHand, cart.total.currency).text) taken",
                "已收 \(MoneyAmount(cart.money.inHand, cart.total.currency).text)")
        return self("\(lines), \(money): go on?", "\(lines)，\(money)：继续？")
    }

    /// A tender of the store, as people call it.
    func method(_ method: String) -> String {
        switch method {
        case "cash": self("Cash", "现金")
        case "card": self("Card", "刷卡")
        default: method
        }
    }

    /// A basket in a few words.
    func basket(_ basket: Basket) -> String {
        let money = AmountText.money(basket.total, basket.currency)
        let count = basket.lines.count
        return self("\(count) \(count == 1 ? "line" : "lines"), \(money)", "\(count) 行，\(money)")
    }

    func malformedQuantity(_ typed: String) -> TerminalError {
        TerminalError(
            .usage, code: "malformed_quantity",
            self("a quantity is *2 or *0.357, not \"*\(typed)\"", "数量写作 *2 或 *0.357"))
    }

    var malformedDiscount: TerminalError {
        TerminalError(
            .usage, code: "malformed_discount",
            self(
                "a discount is d 150, d 1.50 or d 10%, of the whole line",
                "减价写作 d 150、d 1.50 或 d 10%，对整行有效"))
    }

    var malformedDiscountOfAll: TerminalError {
        TerminalError(
            .usage, code: "malformed_discount",
            self(
                "a discount on everything is da 150, da 1.50 or da 10%",
                "整单减价写作 da 150、da 1.50 或 da 10%"))
    }

    /// The refusal of a code that may be a PIN, without it.
    func hidden(_ code: String, in error: TerminalError) -> TerminalError {
        var details = error.details
        details.translations = details.translations.mapValues {
            $0.replacing(code, with: UnknownCode.hidden)
        }
        return TerminalError(
            error.kind, code: error.code, error.message.replacing(code, with: UnknownCode.hidden),
            details: details)
    }

    var malformedPoints: TerminalError {
        TerminalError(
            .usage, code: "malformed_points",
            self("points are a whole number: points 500", "积分为整数：points 500"))
    }

    func malformedPayment(_ word: String) -> TerminalError {
        TerminalError(
            .usage, code: "malformed_payment",
            self(
                "a payment is cash, card, cash:12.50 or gift:12.50:NUMBER, not \"\(CardNumber.masked(word))\"",
                "付款写作 cash、card、cash:12.50 或 gift:12.50:券号"))
    }
}
