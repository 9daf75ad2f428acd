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
                    left: text("Total", "合计"), right: AmountText.money(cart.total, cart.currency),
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
            ($0.kind ?? $0.method) != "cash" && $0.state != "forwardDeclined"
        }
        // The big figure is what the customer gets now: nothing of it is in the drawer where all of it goes
        // back to what paid the sale.
        let isCash = cash.amount > 0 || byOthers.isEmpty
        let others = byOthers.map { payment in
            text("goes back by \(text.method(payment.method)): ", "由\(text.method(payment.method))退回：")
                + payment.amount.text
        }
        let byCard =
            refund.isPaidByCard
            ? text("It was paid by card or voucher; it goes back in cash.", "原非现金支付，以现金退回。") : ""
        drawMoney(
            &frame,
            isCash
                ? text("Give back", "应退")
                : text("No cash: it goes back by", "不退现金，退回") + " "
                    + byOthers.map { text.method($0.method) }.joined(separator: ", "),
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
                    text("Goods back", "退回商品") + " "
                        + AmountText.text($0.amount.amount, currency: $0.amount.currency)
                ]
            } ?? [])
            + others.map {
                text.method($0.method) + " "
                    + AmountText.text($0.amount.amount, currency: $0.amount.currency)
                    + mark(of: $0)
            }
        let state =
            sale.sync == "acknowledged"
            ? text("head office has it", "总部已收到") : text("kept here, sent later", "已保存，稍后上传")
        drawMoney(
            &frame,
            record.change.amount > 0 ? text("Change", "找零") : text("Paid · no change", "已付清 · 无找零"),
            record.change.amount > 0 ? record.change.amount : record.total.amount, record.total.currency,
            [
                text("Total", "合计") + " " + record.total.text
            ] + Self.rows(of: paid) + [record.orderNumber, state, text.paper(paper)])
    }

    /// What the amount of a card does not say: that nobody approved it yet, or that no money moved.
    private func mark(of payment: SaleRecord.Payment) -> String {
        if payment.state == PaymentState.storedOffline.rawValue {
            return text(" (not approved yet)", "（待授权）")
        }
        return payment.isSimulated ? text(" (simulated)", "（模拟）") : ""
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
        rows += [Row(left: ""), Row(left: text("Scan to begin the next sale", "直接扫描即可开始下一单"), style: .dim)]
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
            &frame, text("What to do", "操作"), rows, width: 44,
            more: (first > 0, first + room < actions.count))
    }

    private func drawHelp(_ frame: inout Frame) {
        let rows: [(String, String)] = [
            (text("scan, or type a code + Enter", "扫描，或输入条码后回车"), text("one more in the cart", "加入购物车")),
            ("3*CODE · CODE:0.357", text("quantity with the scan", "扫描时带数量")),
            ("*5", text("quantity of the marked line", "修改所选行数量")),
            (text("↑ ↓", "↑ ↓"), text("marks another line", "选择另一行")),
            ("Del", text("takes the marked line off", "删除所选行")),
            ("+ · F10", text("pay", "收款")),
            ("12.50*", text("a price that was entered here, by F5", "* 表示此处改过的单价（F5）")),
            (text("Tab, then a letter", "Tab 后按字母"), text("everything, without F-keys", "不用功能键的全部操作")),
            (text("Alt + that letter", "Alt + 该字母"), text("the same at once", "直接执行")),
            ("Esc", text("closes, and takes nothing", "关闭，不做更改")),
            (text("Esc while a card is asked", "等待刷卡时 Esc"), text("gives the payment up", "取消付款")),
            ("Ctrl-Q", text("leaves; asks when the cart is full", "退出，有商品时会询问")),
        ]
        _ = box(
            &frame, text("Help", "帮助"),
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
                carts == nil, text("No cart is parked. F8 with a full cart parks it.", "没有挂单。有商品时按 F8 挂单。"))
        }
        _ = box(
            &frame, text("Parked carts", "挂单列表"), rows, width: 64,
            more: more(of: cartRows(carts ?? []).count, selected))
    }

    private func drawSearch(
        _ frame: inout Frame, _ editor: LineEditor, _ found: [ProductCall.Response], _ selected: Int
    ) {
        var rows = [
            Row(left: text("any part of the name, SKU or barcode", "名称、编号或条码的任意部分"), style: .dim),
            Row(left: ""), Row(left: ""),
        ]
        for (place, product) in shown(found, selected) {
            let price = AmountText.text(product.priceMinor, currency: product.currency)
            let right =
                product.barcode + String(repeating: " ", count: max(1, 12 - Frame.width(price))) + price
            rows.append(Row(left: product.name, right: right, isSelected: place == selected))
        }
        if found.isEmpty, !editor.text.isEmpty {
            rows.append(Row(left: text("Nothing found. Try fewer letters.", "没有找到，请减少输入内容。"), style: .dim))
        }
        let inside = box(
            &frame, text("Search", "查找商品"), rows, width: wide, more: more(of: found.count, selected))
        place(editor, &frame, at: inside, 1)
    }

    private func drawDepartments(
        _ frame: inout Frame, _ departments: [DepartmentRecord]?, _ line: SellCall.Line, _ selected: Int
    ) {
        var rows = [
            Row(
                left: line.barcode.isEmpty
                    ? text("an article without a code", "无条码商品")
                    : text("what the catalogue does not have: ", "目录中没有的商品：") + line.barcode, style: .dim),
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
            &frame, text("Sell by department", "按部门销售"), rows, width: 64,
            more: more(of: departments?.count ?? 0, selected))
    }

    private func drawOrders(
        _ frame: inout Frame, _ orders: [OrderEntry]?, _ editor: LineEditor, _ selected: Int
    ) {
        var rows = [
            Row(left: text("scan the receipt's code, or type its number", "扫描小票码，或输入单号"), style: .dim),
            Row(left: ""), Row(left: ""),
        ]
        for (place, order) in shown(orders ?? [], selected) {
            let refunded = order.refunded.amount > 0 ? text("  refunded ", "  已退 ") + order.refunded.text : ""
            rows.append(
                Row(
                    left: time(order.madeAt) + "  " + order.sale.orderNumber
                        + (order.voidedAt == nil ? refunded : text("  void", "  已作废")),
                    right: order.sale.total.text, isSelected: place == selected))
        }
        if rows.count == 3 { rows += emptyRows(orders == nil, text("No sale was made here yet.", "本机尚无订单。")) }
        let inside = box(
            &frame, text("Refund: which sale?", "退货：选择订单"), rows, width: 70,
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
            rows.append(Row(left: text("All of it came back before.", "已全部退回。"), style: .error))
        }
        rows += goods.elsewhere.suffix(3).map { Row(left: text.elsewhere($0, currency), style: .dim) }
        rows += [text.leftKnown(by: goods.leftBy)].compactMap(\.self).map { Row(left: $0, style: .dim) }
        rows += [
            Row(left: ""),
            Row(
                left: text("comes back", "退款"), right: AmountText.money(goods.worth(marked), currency),
                style: .bold),
        ]
        _ = box(
            &frame, text("Refund: what comes back?", "退货：选择商品") + "  " + goods.orderNumber, rows,
            width: 70, more: more(of: goods.lines.count, selected))
    }
}
