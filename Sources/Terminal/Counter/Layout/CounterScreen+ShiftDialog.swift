internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    func drawShift(_ frame: inout Frame, _ shift: CounterShift?) {
        let rows =
            shift?.record.map(rows)
            ?? emptyRows(
                shift == nil,
                text.openShiftHint)
        _ = box(&frame, text.theDrawersShift, rows, width: 60)
    }

    /// Short enough for 24 rows; the whole report is on the paper and in `pos shift`.
    private func rows(of shift: ShiftRecord) -> [Row] {
        func row(_ name: String, _ amount: Int64, _ style: FrameStyle = .plain) -> Row {
            Row(left: name, right: AmountText.text(amount, currency: shift.currency), style: style)
        }
        let sums = shift.sums
        let net = sums.sales.total - sums.refunds.total - sums.voids.total
        var rows = [
            Row(left: text.since, right: time(shift.openedAt)),
            Row(left: text.state, right: text.state(shift)), Row(left: ""),
        ]
        let sales = text.sales + " (\(sums.sales.count))"
        let back = text.refundsAndVoids + " (\(sums.refunds.count + sums.voids.count))"
        if shift.isBlind {
            rows += [
                Row(left: sales), Row(left: back), Row(left: ""),
                Row(left: text.amountsAreShownAfterTheCount),
            ]
        } else {
            rows += [
                row(sales, sums.sales.total), row(back, -sums.refunds.total - sums.voids.total),
                row(text.net + " " + shift.currency, net, .bold), Row(left: ""),
            ]
        }
        // Six tenders fill the smallest window, five beside debts; the report has all.
        let room = max(3, self.rows - firstLine - (shift.debtTotal > 0 ? 18 : 16))
        rows += sums.tenders.prefix(room).map { row(text.method($0.method), $0.amount) }
        if let expected = shift.expectedCash {
            rows.append(row(text.cashExpected, expected, .bold))
        }
        if let counted = shift.countedCash, let difference = shift.difference {
            rows += [
                row(text.cashCounted, counted),
                row(text.difference, difference, .bold),
            ]
        }
        if shift.debtTotal > 0 {
            rows += [
                row(text.cardDebts, shift.debtTotal, .bold),
                Row(left: text.customersOwe),
            ]
        }
        return rows
    }

    func shiftKeys(_ shift: CounterShift?) -> [(key: String, label: String)] {
        guard let shift else { return [] }
        let drawer = ("N", text.noSale)
        guard shift.isOpen else { return [("O", text.openAShift), drawer] }
        return [
            ("I", text.cashIn), ("O", text.cashOut), ("S", text.toTheSafe),
            drawer, ("C", text.countAndClose),
        ]
    }
}
