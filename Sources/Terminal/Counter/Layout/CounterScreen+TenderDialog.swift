internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    func drawTender(_ frame: inout Frame, _ editor: LineEditor, _ selected: Int) {
        let width = 46
        var rows = amountRows
        let field = rows.count - 2
        let refused = refusedRows(width: width - 4)
        let choices = tenderChoices(String(editor.text))
        // The smallest window shows the chosen row, and as many others as it has room for.
        var room = max(3, self.rows - 5 - firstLine - rows.count - min(refused.count, 5))
        let isCut = choices.count > room
        if isCut { room -= 1 }
        let first = min(max(0, selected - room + 1), max(0, choices.count - room))
        for (place, choice) in choices.enumerated().dropFirst(first).prefix(room) {
            rows.append(
                Row(left: left(of: choice), right: right(of: choice), isSelected: place == selected))
        }
        if isCut {
            let below = max(0, choices.count - first - room)
            rows.append(
                Row(
                    left: first > 0 ? text("▲ \(first) more", "▲ 上面还有 \(first) 项") : "",
                    right: below > 0 ? text("▼ \(below) more", "▼ 下面还有 \(below) 项") : "", style: .dim))
        }
        if choices.isEmpty, !editor.text.isEmpty {
            rows.append(Row(left: text.malformedAmount(cart.currency), style: .error))
        }
        rows += refused
        let inside = box(&frame, text("Pay", "收款"), rows, width: width)
        place(editor, &frame, at: inside, field)
    }

    private func amount(_ minor: Int64) -> String { AmountText.text(minor, currency: cart.currency) }

    /// What is to be paid, what was tendered, and the field.
    private var amountRows: [Row] {
        let currency = cart.currency
        var rows = [
            Row(left: text("Total", "合计"), right: AmountText.money(cart.total, currency), style: .bold)
        ]
        if let points = cart.quote?.points, points.spent > 0 {
            rows.append(
                Row(
                    left: text("less \(points.spent) points", "已抵扣 \(points.spent) 积分"),
                    right: "-" + amount(points.value), style: .dim))
        }
        if let returned = cart.returned {
            rows.append(Row(left: text("comes back", "换货退回"), right: "-" + amount(returned.worth)))
        }
        rows += takenRows
        if cart.taken > 0 || cart.returned != nil {
            rows.append(
                Row(left: text("Still due", "还差"), right: AmountText.money(due.cash, currency), style: .bold))
        }
        return rows + [
            Row(left: ""), Row(left: text("Amount, or choose below", "输入金额，或在下面选择"), style: .dim),
            Row(left: ""), Row(left: ""),
        ]
    }

    private func left(of choice: TenderChoice) -> String {
        let route = text.route(choice.route)
        return text.method(choice.method) + (route.isEmpty ? "" : " (\(route))") + "  "
            + amount(choice.amount)
    }

    private func right(of choice: TenderChoice) -> String {
        if choice.kind == TenderChoice.points {
            return cart.points.map { text("\($0) spent", "已用 \($0)") }
                ?? text("up to \(spendablePoints ?? 0)", "最多 \(spendablePoints ?? 0)")
        }
        if choice.needsApproval { return text("a manager approves", "需主管批准") }
        if choice.change > 0 {
            return (choice.amount > 0 ? text("change ", "找零 ") : text("give back ", "应退 "))
                + amount(choice.change)
        }
        if choice.change < 0 { return text("still due ", "还差 ") + amount(-choice.change) }
        return choice.kind == "cash" ? text("exact", "正好") : text("the rest", "全部")
    }

    /// What the till does not take now, with the reason.
    private func refusedRows(width: Int) -> [Row] {
        tenders.refused(in: text.language).flatMap { group in
            [
                Row(
                    left: group.methods.map(text.method).joined(separator: ", ") + "  "
                        + text("not now", "不可用"), style: .dim)
            ] + paragraph(group.text, width: width, style: .dim).filter { !$0.left.isEmpty }
        }
    }
}
