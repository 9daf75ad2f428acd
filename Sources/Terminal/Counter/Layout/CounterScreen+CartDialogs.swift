internal import AgentAPI
internal import Pricing

extension CounterScreen {
    /// What was taken so far, a row for each tender, with those that are charged with the sale.
    var takenRows: [Row] { rows(of: cart.money) }

    private func rows(of money: TakenMoney) -> [Row] {
        money.parts.map { tender in
            let note = tender.isInHand ? tender.reference : text("charged at the end", "最后扣款")
            return Row(
                left: (tender.isInHand ? text("taken: ", "已收：") : "") + text.method(tender.method)
                    + (note.map { " · " + $0 } ?? ""),
                right: AmountText.text(tender.amount.amount, currency: tender.amount.currency))
        }
    }

    func drawLeave(_ frame: inout Frame) {
        var rows = [
            Row(left: ""),
            Row(left: text("lines in it", "商品行数"), right: String(cart.lines.count), style: .bold),
            Row(left: text("worth", "金额"), right: AmountText.money(cart.total, cart.currency), style: .bold),
        ]
        if cart.money.inHand > 0 {
            rows.append(
                Row(
                    left: text("taken", "已收"), right: AmountText.money(cart.money.inHand, cart.currency),
                    style: .bold))
        }
        rows += [
            Row(left: ""),
            Row(left: text("The cart is kept: the next counter offers it.", "此单会保留，下一个收银窗口会提示继续。")),
        ]
        _ = box(&frame, text("Leave?", "退出？"), rows, width: 54)
    }

    func drawOffer(_ frame: inout Frame, _ offered: CartSummary) {
        var rows = [Row(left: ""), Row(left: text.offer(offered), style: .bold), Row(left: "")]
        rows.append(Row(left: text("total", "合计"), right: offered.total.text))
        rows += self.rows(of: offered.money)
        if let member = offered.memberId { rows.append(Row(left: text("member", "会员"), right: member)) }
        if let cashier = offered.cashierId { rows.append(Row(left: text("cashier", "收银员"), right: cashier)) }
        rows.append(Row(left: ""))
        _ = box(&frame, text("A window left this cart", "有窗口留下了一单"), rows, width: 54)
    }

    func drawHandBack(_ frame: inout Frame, _ back: CounterHandBack) {
        let rows = back.back.lines(in: text.language, text.method).map { Row(left: $0, style: .bold) }
        let title =
            back.dropped == nil
            ? text("Empty the cart?", "清空购物车？") : text("Drop this cart for good?", "删除此单？")
        _ = box(
            &frame, title,
            [Row(left: "")] + rows + [
                Row(left: ""),
                Row(left: text("Enter once the customer has it back.", "已退还顾客后按回车。"), style: .dim),
            ], width: 54)
    }

    /// Of those that wait, then of those on the screens of other windows.
    func cartRows(_ carts: [CartRecord]) -> [Row] {
        carts.map { cart in
            cartRow(
                time(cart.parkedAt) + "  " + name(of: cart),
                cart.content(in: text.language), cart.money, cart.total)
        }
            + elsewhere.map { cart in
                let screen = cart.frontEnd?.split(separator: ";", maxSplits: 1).last ?? "-"
                return cartRow(
                    text("at \(screen)", "正在 \(screen)"), cart.content(in: text.language),
                    cart.money, cart.total)
            }
    }

    private func cartRow(_ left: String, _ content: String, _ money: TakenMoney, _ total: MoneyAmount) -> Row
    {
        Row(left: left, right: content + "  " + taken(money, total.currency) + total.text)
    }

    func name(of cart: CartRecord) -> String {
        if let name = cart.name { return name }
        return cart.state == "left"
            ? text("left by a window", "窗口关闭时留下") : text("without a name", "未命名")
    }

    /// `taken 50.00  `, or nothing.
    private func taken(_ money: TakenMoney, _ currency: String) -> String {
        guard money.inHand > 0 else { return "" }
        let amount = AmountText.text(money.inHand, currency: currency)
        return text("taken \(amount)  ", "已收 \(amount)  ")
    }
}
