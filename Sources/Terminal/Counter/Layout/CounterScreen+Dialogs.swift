internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    func drawDialog(_ frame: inout Frame) {
        guard let dialog else { return }
        switch dialog {
        case .menu(let selected): drawMenu(&frame, selected)
        case .help: drawHelp(&frame)
        case .entry(let field, let editor): drawEntry(&frame, field, editor)
        case .tender(let editor, let selected): drawTender(&frame, editor, selected)
        case .paid(let sale, let paper): drawPaid(&frame, sale, paper)
        case .carts(let carts, let selected): drawCarts(&frame, carts, selected)
        case .search(let editor, let found, let selected): drawSearch(&frame, editor, found, selected)
        case .departments(let departments, let line, let selected):
            drawDepartments(&frame, departments, line, selected)
        case .orders(let orders, let editor, let selected): drawOrders(&frame, orders, editor, selected)
        case .refund(let goods, let marked, let selected): drawRefund(&frame, goods, marked, selected)
        case .refunded(let refund): drawRefunded(&frame, refund)
        case .unseen(let sales, let selected): drawUnseen(&frame, sales, selected)
        case .refusals(let refusals, let selected): drawRefusals(&frame, refusals, selected)
        case .refusal(let refusal): drawRefusal(&frame, refusal)
        case .printer(let printer): drawPrinter(&frame, printer)
        case .shift(let shift): drawShift(&frame, shift)
        case .tills(let tills, let selected): drawTills(&frame, tills, selected)
        case .obstacles: drawObstacles(&frame)
        case .leave: drawLeave(&frame)
        case .offer(let cart): drawOffer(&frame, cart)
        case .handBack(let back): drawHandBack(&frame, back)
        }
    }

    // MARK: - Dialogs

    private func drawEntry(_ frame: inout Frame, _ field: CounterDialog.Field, _ editor: LineEditor) {
        var rows = [Row(left: "")]
        switch field {
        case .quantity, .discount, .price:
            if let line = cart.quote?.lines[safe: selected] {
                rows.append(
                    Row(
                        left: line.name,
                        right: QuantityText.text(milli: line.quantityMilli) + " × "
                            + AmountText.text(line.unitPrice, currency: cart.currency), style: .bold))
            }
        case .points:
            if let points = tenders.points {
                let most = points.limit.map { _ in spendablePoints ?? 0 }
                rows += paragraph(text.points(points, most: most, isOld: isBalanceOld), width: 54)
            }
        case .voucherNumber(let choice):
            rows.append(
                Row(
                    left: text.method(choice.method),
                    right: AmountText.money(choice.amount, cart.currency), style: .bold))
        case .discountAll:
            rows.append(
                Row(
                    left: text.total, right: AmountText.money(cart.total, cart.currency),
                    style: .bold))
        default: break
        }
        let hint = text.hint(of: field, currency: field.currency ?? cart.currency)
        rows += [Row(left: hint, style: .dim), Row(left: ""), Row(left: ""), Row(left: "")]
        let inside = box(&frame, text.title(of: field), rows, width: 60)
        place(editor, &frame, at: inside, rows.count - 2, isSecret: field.isSecret)
    }

    private func drawRefunded(_ frame: inout Frame, _ refund: RefundResponse) {
        let cash = refund.refund.paidInCash
        // What a card did not pay does not go back to it, either.
        let unpaid = refund.refund.payments.filter { $0.state == "forwardDeclined" }
        let byOthers = refund.refund.payments.filter {
            !$0.isCash && $0.state != "forwardDeclined"
        }
        // The big figure is what the customer gets now: nothing of it is in the drawer where all of it goes
        // back to what paid the sale.
        let isCash = cash.amount > 0 || byOthers.isEmpty
        let others = byOthers.map { payment in
            text.goesBack(by: text.method(payment.method), payment.amount.text)
        }
        let byCard =
            refund.isPaidByCard
            ? text.cashForCard : ""
        drawMoney(
            &frame,
            isCash
                ? text.giveBack
                : text.noCash(backBy: byOthers.map { text.method($0.method) }.joined(separator: ", ")),
            isCash ? cash.amount : refund.refund.paid.amount, cash.currency,
            [refund.refund.orderNumber ?? "", byCard] + (isCash || others.count > 1 ? others : [])
                + unpaid.flatMap { text.unpaid($0.amount, by: $0.method) }
                + refund.refund.cardReturns.flatMap(text.back))
    }

    private func drawPaid(_ frame: inout Frame, _ sale: SaleResponse, _ paper: Paper) {
        let record = sale.sale
        // What comes back in an exchange pays first, in the record as cash.
        let goods = record.paid.first { payment in
            sale.exchange.map { payment.amount == $0.refund.paid && payment.method == "cash" } ?? false
        }
        let others = record.paid.filter { $0 != goods }
        let paid =
            (goods.map {
                [
                    text.goodsBack + " "
                        + AmountText.text($0.amount.amount, currency: $0.amount.currency)
                ]
            } ?? [])
            + others.map {
                text.method($0.method) + " "
                    + AmountText.text($0.amount.amount, currency: $0.amount.currency)
                    + mark(of: $0)
            }
        let state =
            sale.sync == "acknowledged" ? text.headOfficeHasIt : text.keptHereSentLater
        drawMoney(
            &frame,
            record.change.amount > 0 ? text.change : text.paidWithoutChange,
            record.change.amount > 0 ? record.change.amount : record.total.amount, record.total.currency,
            [
                text.total + " " + record.total.text
            ] + Self.rows(of: paid) + [record.orderNumber, state, text.paper(paper)])
    }

    /// What the amount of a card does not say: that nobody approved it yet, or that no money moved.
    private func mark(of payment: SaleRecord.Payment) -> String {
        if payment.state == PaymentState.storedOffline.rawValue {
            return text.notApprovedYet
        }
        return payment.isSimulated ? text.simulated : ""
    }

    /// In one row where they fit, else one below the other.
    private static func rows(of paid: [String]) -> [String] {
        let all = paid.joined(separator: " + ")
        return Frame.width(all) <= 40 ? [all] : paid
    }

    private func drawMoney(
        _ frame: inout Frame, _ title: String, _ amount: Int64, _ currency: String, _ below: [String]
    ) {
        let shown = AmountText.text(amount, currency: currency)
        let width = max(46, BigDigits.width(shown) + 8)
        var rows = [Row(left: "")]
        for row in BigDigits.rows(shown) {
            rows.append(
                Row(
                    left: String(repeating: " ", count: max(0, (width - 8 - row.count) / 2)) + row,
                    style: .total))
        }
        rows.append(Row(left: "", right: currency, style: .dim))
        rows += below.filter { !$0.isEmpty }.map { Row(left: $0) }
        rows += [Row(left: ""), Row(left: text.scanToBeginTheNextSale, style: .dim)]
        _ = box(&frame, title, rows, width: width)
    }

    private func drawMenu(_ frame: inout Frame, _ selected: Int) {
        let actions = CounterAction.allCases
        // The smallest window has no room for all of them.
        let room = max(6, self.rows - 5 - firstLine)
        let first = min(max(0, selected - room + 1), max(0, actions.count - room))
        let rows = actions.dropFirst(first).prefix(room).map { action in
            Row(
                left: "\(action.letter)  " + label(action),
                right: action.functionKey.map { "F\($0)" } ?? "Alt-\(action.letter)",
                isSelected: action.rawValue == selected)
        }
        _ = box(
            &frame, text.whatToDo, rows, width: 44,
            more: (first > 0, first + room < actions.count))
    }

    private func drawHelp(_ frame: inout Frame) {
        let rows: [(String, String)] = [
            (text.scanOrType, text.oneMoreInTheCart),
            (text.codeWithQuantity, text.quantityWithTheScan),
            ("*5", text.quantityOfTheMarkedLine),
            ("↑ ↓", text.marksAnotherLine),
            ("Del", text.takesTheMarkedLineOff),
            ("+ · F10", text.pay),
            ("12.50*", text.enteredPrice),
            (text.tabThenLetter, text.withoutFunctionKeys),
            (text.altThatLetter, text.theSameAtOnce),
            ("Esc", text.closesAndTakesNothing),
            (text.escWhileCard, text.givesThePaymentUp),
            ("Ctrl-Q", text.leavesOrAsks),
        ]
        _ = box(
            &frame, text.help,
            [Row(left: "")] + rows.map { Row(left: $0.0, right: $0.1) } + [Row(left: "")], width: 70)
    }

    private func drawCarts(_ frame: inout Frame, _ carts: [CartRecord]?, _ selected: Int) {
        var rows: [Row] = []
        for (place, row) in shown(cartRows(carts ?? []), selected) {
            var row = row
            row.isSelected = place == selected
            rows.append(row)
        }
        if rows.isEmpty {
            rows = emptyRows(
                carts == nil, text.noCartParked)
        }
        _ = box(
            &frame, text.parkedCarts, rows, width: 64,
            more: more(of: cartRows(carts ?? []).count, selected))
    }

    private func drawSearch(
        _ frame: inout Frame, _ editor: LineEditor, _ found: [ProductCall.Response], _ selected: Int
    ) {
        var rows = [
            Row(left: text.searchHint, style: .dim),
            Row(left: ""), Row(left: ""),
        ]
        for (place, product) in shown(found, selected) {
            let price = AmountText.text(product.priceMinor, currency: product.currency)
            let right =
                product.barcode + String(repeating: " ", count: max(1, 12 - Frame.width(price))) + price
            rows.append(Row(left: product.name, right: right, isSelected: place == selected))
        }
        if found.isEmpty, !editor.text.isEmpty {
            rows.append(Row(left: text.nothingFound, style: .dim))
        }
        let inside = box(
            &frame, text.search, rows, width: wide, more: more(of: found.count, selected))
        place(editor, &frame, at: inside, 1)
    }

    private func drawDepartments(
        _ frame: inout Frame, _ departments: [DepartmentRecord]?, _ line: EnteredLine, _ selected: Int
    ) {
        var rows = [
            Row(
                left: line.barcode.isEmpty
                    ? text.anArticleWithoutACode
                    : text.notInCatalogue(line.barcode), style: .dim),
            Row(left: ""),
        ]
        for (place, department) in shown(departments ?? [], selected) {
            rows.append(
                Row(
                    left: department.department, right: text.department(department),
                    isSelected: place == selected))
        }
        if rows.count == 2 { rows += emptyRows(departments == nil, text.noDepartments) }
        _ = box(
            &frame, text.sellByDepartment, rows, width: 64,
            more: more(of: departments?.count ?? 0, selected))
    }

    private func drawOrders(
        _ frame: inout Frame, _ orders: [OrderEntry]?, _ editor: LineEditor, _ selected: Int
    ) {
        var rows = [
            Row(left: text.receiptHint, style: .dim),
            Row(left: ""), Row(left: ""),
        ]
        for (place, order) in shown(orders ?? [], selected) {
            let refunded = order.refunded.amount > 0 ? "  " + text.refunded(order.refunded.text) : ""
            rows.append(
                Row(
                    left: time(order.madeAt) + "  " + order.sale.orderNumber
                        + (order.voidedAt == nil ? refunded : "  " + text.isVoid),
                    right: order.sale.total.text, isSelected: place == selected))
        }
        if rows.count == 3 { rows += emptyRows(orders == nil, text.noSaleWasMadeHereYet) }
        let inside = box(
            &frame, text.refundWhichSale, rows, width: 70,
            more: more(of: orders?.count ?? 0, selected))
        place(editor, &frame, at: inside, 1)
    }

    private func drawRefund(
        _ frame: inout Frame, _ goods: CounterRefund, _ marked: Set<Int>, _ selected: Int
    ) {
        let currency = goods.currency
        var rows: [Row] = []
        for (place, line) in shown(goods.lines, selected) {
            rows.append(
                Row(
                    left: (marked.contains(place) ? "[x] " : "[ ] ") + line.name,
                    right: QuantityText.text(milli: line.quantityMilli) + "  "
                        + AmountText.text(line.total, currency: currency), isSelected: place == selected))
        }
        if goods.lines.isEmpty {
            rows.append(Row(left: text.allOfItCameBackBefore, style: .error))
        }
        rows += goods.elsewhere.suffix(3).map { Row(left: text.elsewhere($0, currency), style: .dim) }
        rows += [text.leftKnown(by: goods.leftBy)].compactMap(\.self).map { Row(left: $0, style: .dim) }
        rows += [
            Row(left: ""),
            Row(
                left: text.comesBack, right: AmountText.money(goods.worth(marked), currency),
                style: .bold),
        ]
        _ = box(
            &frame, text.refundWhatComesBack + "  " + goods.orderNumber, rows,
            width: 70, more: more(of: goods.lines.count, selected))
    }
}
