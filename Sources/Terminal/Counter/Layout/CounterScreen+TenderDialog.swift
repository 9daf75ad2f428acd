internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    func drawTender(_ frame: inout Frame, _ editor: LineEditor, _ selected: Int) {
        let width = 46
        var rows = amountRows
        let field = rows.count - 2
        let refused = refusedRows(width: width - 4)
        let foreign =
            status?.foreignBooking.map {
                paragraph(text.foreignBooking($0), width: width - 4, style: .dim).filter { !$0.left.isEmpty }
            } ?? []
        let choices = tenderChoices(String(editor.text))
        // The smallest window shows the chosen row, and as many others as it has room for.
        var room = max(3, self.rows - 5 - firstLine - rows.count - min(refused.count + foreign.count, 5))
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
                    left: first > 0 ? text.moreAbove(first) : "",
                    right: below > 0 ? text.moreBelow(below) : "", style: .dim))
        }
        if choices.isEmpty, !editor.text.isEmpty {
            rows.append(Row(left: text.malformedAmount(cart.currency), style: .error))
        }
        rows += refused + foreign
        let inside = box(&frame, text.payTitle, rows, width: width)
        place(editor, &frame, at: inside, field)
    }

    private func amount(_ minor: Int64) -> String { AmountText.text(minor, currency: cart.currency) }

    /// What is to be paid, what was tendered, and the field.
    private var amountRows: [Row] {
        let currency = cart.currency
        var rows = [
            Row(left: text.total, right: AmountText.money(cart.total, currency), style: .bold)
        ]
        if let points = cart.quote?.points, points.spent > 0 {
            rows.append(
                Row(
                    left: text.less(points: points.spent),
                    right: "-" + amount(points.value), style: .dim))
        }
        if let returned = cart.returned {
            rows.append(Row(left: text.exchangeBackInTenders, right: "-" + amount(returned.worth)))
        }
        rows += takenRows
        if cart.taken > 0 || cart.returned != nil {
            rows.append(
                Row(left: text.stillDue, right: AmountText.money(due.cash, currency), style: .bold))
        }
        return rows + [
            Row(left: ""), Row(left: text.amountOrChooseBelow, style: .dim),
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
            return cart.points.map { text.spent($0) }
                ?? text.upTo(spendablePoints ?? 0)
        }
        if choice.needsApproval { return text.aManagerApproves }
        if choice.change > 0 {
            return choice.amount > 0
                ? text.changeOf(amount(choice.change))
                : text.giveBack(amount(choice.change))
        }
        if choice.change < 0 { return text.leftToPay(amount(-choice.change)) }
        return choice.kind == "cash" ? text.exact : text.theRest
    }

    /// What the till does not take now, or not by its own card machine, with the reason.
    private func refusedRows(width: Int) -> [Row] {
        let groups =
            tenders.refused(in: text.language).map { (methods: $0.methods, word: text.notNow, text: $0.text) }
            + tenders.besideMachine(in: text.language).map {
                (methods: $0.methods, word: text.route("hub"), text: $0.text)
            }
        return groups.flatMap { group in
            [
                Row(
                    left: group.methods.map(text.method).joined(separator: ", ") + "  " + group.word,
                    style: .dim)
            ] + paragraph(group.text, width: width, style: .dim).filter { !$0.left.isEmpty }
        }
    }
}
