internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    func drawShift(_ frame: inout Frame, _ shift: CounterShift?) {
        let rows =
            shift?.record.map(rows)
            ?? emptyRows(
                shift == nil,
                text("No shift is open. O counts the drawer and opens one.", "尚未开班。按 O 输入备用金开班。"))
        _ = box(&frame, text("The drawer's shift", "班次"), rows, width: 60)
    }

    /// Short enough for 24 rows; the whole report is on the paper and in `pos shift`.
    private func rows(of shift: ShiftRecord) -> [Row] {
        func row(_ name: String, _ amount: Int64, _ style: FrameStyle = .plain) -> Row {
            Row(left: name, right: AmountText.text(amount, currency: shift.currency), style: style)
        }
        let sums = shift.sums
        let net = sums.sales.total - sums.refunds.total - sums.voids.total
        var rows = [
            Row(left: text("since", "开班时间"), right: time(shift.openedAt)),
            Row(left: text("state", "状态"), right: text.state(shift)), Row(left: ""),
        ]
        let sales = text("Sales", "销售") + " (\(sums.sales.count))"
        let back = text("Refunds and voids", "退货与作废") + " (\(sums.refunds.count + sums.voids.count))"
        if shift.isBlind {
            rows += [
                Row(left: sales), Row(left: back), Row(left: ""),
                Row(left: text("Amounts are shown after the count.", "清点后显示金额。")),
            ]
        } else {
            rows += [
                row(sales, sums.sales.total), row(back, -sums.refunds.total - sums.voids.total),
                row(text("Net", "净额") + " " + shift.currency, net, .bold), Row(left: ""),
            ]
        }
        // Six tenders fill the smallest window, five beside debts; the report has all.
        let room = max(3, self.rows - firstLine - (shift.debtTotal > 0 ? 18 : 16))
        rows += sums.tenders.prefix(room).map { row(text.method($0.method), $0.amount) }
        if let expected = shift.expectedCash {
            rows.append(row(text("Cash expected", "应有现金"), expected, .bold))
        }
        if let counted = shift.countedCash, let difference = shift.difference {
            rows += [
                row(text("Cash counted", "实点现金"), counted),
                row(text("Difference", "差额"), difference, .bold),
            ]
        }
        if shift.debtTotal > 0 {
            rows += [
                row(text("Owed: cards refused after the sale", "欠款：离线刷卡事后被拒"), shift.debtTotal, .bold),
                Row(left: text("the customers owe: inform the manager", "顾客尚欠：请告知店长")),
            ]
        }
        return rows
    }

    func shiftKeys(_ shift: CounterShift?) -> [(key: String, label: String)] {
        guard let shift else { return [] }
        let drawer = ("N", text("no sale", "开钱箱"))
        guard shift.isOpen else { return [("O", text("open a shift", "开班")), drawer] }
        return [
            ("I", text("cash in", "存入")), ("O", text("cash out", "支出")), ("S", text("to the safe", "解款")),
            drawer, ("C", text("count and close", "清点交班")),
        ]
    }
}
