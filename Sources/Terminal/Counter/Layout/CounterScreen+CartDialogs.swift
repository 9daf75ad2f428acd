internal import AgentAPI
internal import Pricing

extension CounterScreen {
    /// What was taken so far, a row for each tender, with those that are charged with the sale.
    var takenRows: [Row] { rows(of: cart.money) }

    private func rows(of money: TakenMoney) -> [Row] {
        money.parts.map { tender in
            let note = tender.isInHand ? tender.reference : text.chargedAtTheEnd
            return Row(
                left: (tender.isInHand
                    ? text.takenBy(text.method(tender.method)) : text.method(tender.method))
                    + (note.map { " · " + $0 } ?? ""),
                right: AmountText.text(tender.amount.amount, currency: tender.amount.currency))
        }
    }

    func drawLeave(_ frame: inout Frame) {
        var rows = [
            Row(left: ""),
            Row(left: text.linesInIt, right: String(cart.lines.count), style: .bold),
            Row(left: text.worth, right: AmountText.money(cart.total, cart.currency), style: .bold),
        ]
        if cart.money.inHand > 0 {
            rows.append(
                Row(
                    left: text.taken, right: AmountText.money(cart.money.inHand, cart.currency),
                    style: .bold))
        }
        rows += [
            Row(left: ""),
            Row(left: text.cartIsKept),
        ]
        _ = box(&frame, text.askToLeave, rows, width: 54)
    }

    func drawOffer(_ frame: inout Frame, _ offered: CartSummary) {
        var rows = [Row(left: ""), Row(left: text.offer(offered), style: .bold), Row(left: "")]
        rows.append(Row(left: text.totalOfCart, right: offered.total.text))
        rows += self.rows(of: offered.money)
        if let member = offered.memberId { rows.append(Row(left: text.memberOfCart, right: member)) }
        if let cashier = offered.cashierId { rows.append(Row(left: text.cashier, right: cashier)) }
        rows.append(Row(left: ""))
        _ = box(&frame, text.aWindowLeftThisCart, rows, width: 54)
    }

    func drawHandBack(_ frame: inout Frame, _ back: CounterHandBack) {
        let rows = back.back.lines(in: text.language, text.method).map { Row(left: $0, style: .bold) }
        let title =
            back.dropped == nil ? text.emptyTheCart : text.dropThisCartForGood
        _ = box(
            &frame, title,
            [Row(left: "")] + rows + [
                Row(left: ""),
                Row(left: text.enterOnceHandedBack, style: .dim),
            ], width: 54)
    }

    /// Of those that wait here and at other tills, then of those on the screens of other windows.
    func cartRows(_ carts: [CartRecord]) -> [Row] {
        carts.map { cart in
            cartRow(
                place(of: cart) + "  " + name(of: cart),
                cart.content(in: text.language), cart.money, cart.total)
        }
            + elsewhere.map { cart in
                let screen = cart.frontEnd?.split(separator: ";", maxSplits: 1).last ?? "-"
                return cartRow(
                    text.at(screen: String(screen)), cart.content(in: text.language),
                    cart.money, cart.total)
            }
    }

    /// When it was parked; of another till's cart, which till has it.
    private func place(of cart: CartRecord) -> String {
        guard cart.isElsewhere else { return time(cart.parkedAt) }
        let till = cart.ownerNumber.map(String.init) ?? "?"
        return cart.reachable == false ? text.atSilentTill(till) : text.at(till: till)
    }

    private func cartRow(_ left: String, _ content: String, _ money: TakenMoney, _ total: MoneyAmount) -> Row
    {
        Row(left: left, right: content + "  " + taken(money, total.currency) + total.text)
    }

    func name(of cart: CartRecord) -> String {
        if let name = cart.name { return name }
        return cart.state == .left ? text.leftByAWindow : text.withoutAName
    }

    /// `taken 50.00  `, or nothing.
    private func taken(_ money: TakenMoney, _ currency: String) -> String {
        guard money.inHand > 0 else { return "" }
        let amount = AmountText.text(money.inHand, currency: currency)
        return text.takenMoney(amount) + "  "
    }
}
