internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    /// The smallest window: that of the terminals that gave the number its name.
    package static let smallest = (columns: 80, rows: 24)

    /// What is on the screen now.
    package func frame() -> Frame {
        var frame = Frame(columns: columns, rows: rows)
        guard columns >= Self.smallest.columns, rows >= Self.smallest.rows else {
            frame.put(
                text("the window is smaller than 80 × 24", "窗口小于 80 × 24"), at: 0, 0, .bold)
            return frame
        }
        drawTitle(&frame)
        drawBanner(&frame)
        drawLines(&frame, firstLine..<rows - 11)
        drawTotals(&frame, from: rows - 11)
        drawField(&frame)
        drawKeys(&frame)
        drawDialog(&frame)
        return frame
    }

    // MARK: - Above

    private func drawTitle(_ frame: inout Frame) {
        frame.fill(0, 0..<columns, .title)
        frame.put(" " + place, at: 0, 0, .title, limit: columns * (isPaperWaiting ? 3 : 5) / 8)
        let right: String
        if let cashier {
            right = cashier.name + " · " + text.role(cashier.role)
        } else if status?.isSignInRequired == true {
            right = text("nobody is signed in · F11", "尚未登录 · F11")
        } else {
            right = ""
        }
        let paper = isPaperWaiting ? text("! printer: Alt-T", "！打印机：Alt-T") + "  " : ""
        frame.put(paper + right + " ", at: 0, endingAt: columns, .title)
    }

    /// The store, the till's number in it, and whether a shift is open.
    private var place: String {
        guard let status else { return "POS" }
        guard let till = status.till else { return "POS   " + text("store", "门店") + " \(status.storeId)" }
        let number = till.number.map { " · " + text("till", "收银机") + " \($0)" } ?? ""
        let shift = till.shiftId == nil ? " · " + text("no shift is open", "未开班") : ""
        return till.storeName + number + shift
    }

    private func drawBanner(_ frame: inout Frame) {
        guard let status else {
            frame.put(" … " + text("connecting to the till's service", "正在连接收银服务"), at: 1, 0, .dim)
            return
        }
        guard !isAgentGone else {
            frame.fill(1, 0..<columns, .stopped)
            frame.put(" ■ " + text.agentStopped, at: 1, 0, .stopped, limit: columns - 1)
            return
        }
        let style: FrameStyle = status.isOffline || status.command != nil ? .alert : .calm
        for (offset, words) in banner.enumerated() {
            frame.fill(1 + offset, 0..<columns, style)
            let mark = offset > 0 ? "   " : style == .alert ? " ▲ " : " ● "
            frame.put(mark + words, at: 1 + offset, 0, style)
        }
        frame.put(bannerKey, at: 1, endingAt: columns, .key)
    }

    private var bannerKey: String {
        status?.command.map { " F12 " + text.bannerKey($0) + " " } ?? ""
    }

    /// What the status says, over as many rows as it needs, at most three: what to do and how many wait stand
    /// at its end.
    private var banner: [String] {
        var (first, rest) = Frame.broken(
            status?.banner ?? "", limit: columns - 4 - Frame.width(bannerKey))
        var rows = [first]
        while !rest.isEmpty, rows.count < 3 {
            (first, rest) = Frame.broken(rest, limit: columns - 4)
            rows.append(first)
        }
        return rows
    }

    /// The row below the banner.
    var firstLine: Int { isAgentGone ? 2 : 1 + banner.count }

    // MARK: - Lines

    /// Where the columns of a line end, and how wide the name is.
    private var grid: (sku: Int, name: Int, quantity: Int, price: Int, discount: Int, amount: Int) {
        let amount = columns - 1
        let discount = amount - 10
        let price = discount - 10
        let quantity = price - 10
        return (5, columns >= 100 ? 21 : 16, quantity, price, discount, amount)
    }

    private func drawLines(_ frame: inout Frame, _ range: Range<Int>) {
        let grid = grid
        let head = range.lowerBound
        frame.fill(head, 0..<columns, .heading)
        frame.put("  #", at: head, 0, .heading)
        frame.put(text("SKU", "编号"), at: head, grid.sku, .heading)
        frame.put(text("Article", "商品"), at: head, grid.name, .heading)
        frame.put(text("Qty", "数量"), at: head, endingAt: grid.quantity, .heading)
        frame.put(text("Price", "单价"), at: head, endingAt: grid.price, .heading)
        frame.put(text("Discount", "优惠"), at: head, endingAt: grid.discount, .heading)
        frame.put(text("Amount", "金额"), at: head, endingAt: grid.amount, .heading)
        let lines = cart.quote?.lines ?? []
        guard !lines.isEmpty else {
            if dialog == nil { drawEmpty(&frame, range) }
            return
        }
        let room = range.count - 1
        let first = min(max(0, selected - room + 1), max(0, lines.count - room))
        for (offset, line) in lines.dropFirst(first).prefix(room).enumerated() {
            draw(line, first + offset, &frame, row: head + 1 + offset)
        }
        if first > 0 { frame.put("▲", at: head, 0, .heading) }
        if first + room < lines.count { frame.put("▼", at: range.upperBound - 1, columns - 1, .bold) }
    }

    private func draw(_ line: SoldLine, _ place: Int, _ frame: inout Frame, row: Int) {
        let grid = grid
        let isSelected = place == selected
        let style: FrameStyle = isSelected ? .selected : .plain
        frame.fill(row, 0..<columns, style)
        if isSelected { frame.put("▶", at: row, 0, style) }
        frame.put(String(place + 1), at: row, endingAt: 4, isSelected ? style : .dim)
        frame.put(line.sku, at: row, grid.sku, isSelected ? style : .dim, limit: grid.name - grid.sku - 1)
        frame.put(line.name, at: row, grid.name, style, limit: grid.quantity - 7 - grid.name)
        frame.put(QuantityText.text(milli: line.quantityMilli), at: row, endingAt: grid.quantity, style)
        let amount = { AmountText.text($0, currency: cart.currency) }
        let isOverridden =
            cart.lines.indices.contains(place) && cart.lines[place].unitPriceMinor != nil
        frame.put(
            amount(line.unitPrice) + (isOverridden ? "*" : ""), at: row,
            endingAt: grid.price + (isOverridden ? 1 : 0), style)
        if line.discount != 0 {
            frame.put("-" + amount(line.discount), at: row, endingAt: grid.discount, style)
        }
        frame.put(amount(line.total), at: row, endingAt: grid.amount, isSelected ? style : .bold)
    }

    private func drawEmpty(_ frame: inout Frame, _ range: Range<Int>) {
        let needsSignIn = status?.isSignInRequired == true && cashier == nil
        let rows: [(String, FrameStyle)] = [
            (
                needsSignIn
                    ? text("F11  sign in first", "请先按 F11 登录")
                    : text("Scan the first article", "请扫描第一件商品"), .bold
            ),
            ("", .plain),
            (
                needsSignIn
                    ? text("or Tab, then s · an id and a PIN are asked for", "或按 Tab 再按 s · 输入工号和密码")
                    : text("or type its code and press Enter · F2 finds it by name", "或输入条码后回车 · F2 按名称查找"),
                .dim
            ),
            (text("3*CODE sells three · F8 brings back a parked cart", "3*条码 表示三件 · F8 取回挂单"), .dim),
            (text("Tab shows everything that can be done here", "Tab 显示全部操作"), .dim),
        ]
        let top = range.lowerBound + 1 + max(0, (range.count - 1 - rows.count) / 2)
        for (offset, row) in rows.enumerated() {
            frame.put(row.0, at: top + offset, max(0, (columns - Frame.width(row.0)) / 2), row.1)
        }
    }

    // MARK: - Totals

    private func drawTotals(_ frame: inout Frame, from top: Int) {
        frame.fill(top, 0..<columns, .border, with: "─")
        let amount = AmountText.text(cart.total, currency: cart.currency)
        let big = BigDigits.rows(amount)
        let tax =
            text("of it tax ", "含税 ")
            + AmountText.text(cart.quote?.tax.amount ?? 0, currency: cart.currency)
        let cash = text("in cash ", "现金 ") + AmountText.text(cart.cashTotal, currency: cart.currency)
        let isRounded = cart.quote.map { $0.cashRounding.amount != 0 } ?? false
        let figures = Frame.width(tax) + (isRounded ? 2 + Frame.width(cash) : 0) + 1
        let split = columns - max(30, BigDigits.width(amount) + 6, figures)
        drawOffers(&frame, from: top + 1, limit: split - 2)
        frame.put(text("TOTAL", "合计") + " " + cart.currency, at: top + 1, split, .bold)
        let count = cart.lines.count
        if cart.money.inHand == 0 {
            frame.put(
                text("\(count) \(count == 1 ? "line" : "lines")", "\(count) 行"), at: top + 1,
                endingAt: columns - 1, .dim)
        } else {
            let taken = text("Taken ", "已收 ") + AmountText.text(cart.money.inHand, currency: cart.currency)
            frame.put(taken, at: top + 1, endingAt: columns - 1, .alert)
        }
        for (offset, row) in big.enumerated() {
            frame.put(row, at: top + 2 + offset, endingAt: columns - 1, cart.isEmpty ? .dim : .total)
        }
        guard cart.quote != nil else { return }
        frame.put(tax, at: top + 5, split, .dim)
        if isRounded { frame.put(cash, at: top + 5, endingAt: columns - 1, .bold) }
    }

    private func drawOffers(_ frame: inout Frame, from top: Int, limit: Int) {
        var rows: [(String, String)] = []
        if let member = cart.member {
            let known = cart.quote?.member
            let name = known?.name.map { " · \($0)" } ?? ""
            let doubt = known?.isKnown == false ? text(" (not found)", "（未找到）") : ""
            let points =
                tenders.points?.balance.map {
                    isBalanceOld
                        ? text(" · had \($0) points", " · 曾有 \($0) 积分")
                        : text(" · \($0) points", " · \($0) 积分")
                } ?? ""
            rows.append((text("Member", "会员"), (known?.memberId ?? member) + name + doubt + points))
        }
        if let points = cart.quote?.points, points.spent > 0 {
            rows.append(
                (
                    text("Points", "积分"),
                    "\(points.spent) · -" + AmountText.text(points.value, currency: cart.currency)
                ))
        }
        if let returned = cart.returned {
            rows.append(
                (text("Comes back", "换货退回"), "-" + AmountText.text(returned.worth, currency: cart.currency)))
        }
        if !cart.coupons.isEmpty {
            rows.append((text("Coupons", "优惠券"), cart.coupons.joined(separator: ", ")))
        }
        for offer in appliedOffers.prefix(max(0, 5 - rows.count)) {
            rows.append((offer.name, "-" + AmountText.text(offer.amount, currency: cart.currency)))
        }
        if let last = lastSale, rows.count < 5 {
            let change = last.change.amount > 0 ? text(" · change ", " · 找零 ") + last.change.text : ""
            rows.append((text("Last sale", "上一单"), last.total.text + change))
        }
        if unpriced > 1 { rows.append((text("Pricing", "计价中"), "\(unpriced)")) }
        let width = 14
        for (offset, row) in rows.prefix(5).enumerated() {
            let behind = frame.put(row.0, at: top + offset, 1, .dim, limit: max(width, limit - 24))
            frame.put(row.1, at: top + offset, max(behind + 2, width), limit: limit - max(behind + 2, width))
        }
    }

    /// What promotions and coupons take off, one row for each.
    private var appliedOffers: [(name: String, amount: Int64)] {
        var sums: [(name: String, amount: Int64)] = []
        for offer in (cart.quote?.lines ?? []).flatMap(\.offers) {
            if let place = sums.firstIndex(where: { $0.name == offer.name }) {
                sums[place].amount += offer.amount
            } else {
                sums.append((offer.name, offer.amount))
            }
        }
        return sums
    }

    // MARK: - Below

    private func drawField(_ frame: inout Frame) {
        let row = rows - 3
        frame.fill(rows - 5, 0..<columns, .border, with: "─")
        drawMessage(&frame, row: rows - 4)
        let prompt = text(" Scan ▸ ", " 扫描 ▸ ")
        let start = frame.put(prompt, at: row, 0, .bold)
        let view = field.view(columns: columns - start - 1)
        frame.put(view.text, at: row, start, .bold)
        if dialog == nil { frame.cursor = (row, start + view.cursor) }
    }

    private func drawMessage(_ frame: inout Frame, row: Int) {
        if isWaiting, waited > 0 {
            let words: String
            if case .some(.sell) = action?.request {
                words = text(
                    "waiting for the payment · \(waited) s · Esc gives it up", "正在等待付款 · \(waited) 秒 · Esc 取消"
                )
            } else {
                words = text("waiting for the till's service · \(waited) s", "正在等待收银服务 · \(waited) 秒")
            }
            frame.put(" ⋯ " + words, at: row, 0, .bold, limit: columns - 1)
        } else if let message {
            let style: FrameStyle = message.isError ? .error : .bold
            let (first, second) = Frame.broken(message.text, limit: columns - 4)
            // A long one takes the row of the rule as well.
            let top = second.isEmpty ? row : row - 1
            frame.fill(top, 0..<columns, .plain)
            frame.put((message.isError ? " ! " : " › ") + first, at: top, 0, style, limit: columns - 1)
            if !second.isEmpty { frame.put("   " + second, at: row, 0, style, limit: columns - 1) }
        }
    }

    /// Two rows whose keys stand below each other.
    private func drawKeys(_ frame: inout Frame) {
        let keys = footer
        let isShort = keys.map { Frame.width($0.key + $0.label) + 3 }.reduce(0, +) < columns
        let half = isShort ? keys.count : (keys.count + 1) / 2
        let widths = (0..<half).map { place in
            stride(from: place, to: keys.count, by: half).map {
                Frame.width(keys[$0].key + keys[$0].label) + 1
            }.max() ?? 0
        }
        let left = columns - 2 - widths.reduce(0, +)
        let gap = min(isShort ? 3 : 6, max(1, left / max(1, half - 1)))
        for (place, entry) in keys.enumerated() {
            let column = 1 + widths[..<(place % half)].reduce(0) { $0 + $1 + gap }
            let behind = frame.put(entry.key, at: rows - 2 + place / half, column, .key)
            frame.put(entry.label, at: rows - 2 + place / half, behind + 1)
        }
    }

    /// The keys that do something now.
    private var footer: [(key: String, label: String)] {
        guard let dialog else { return cartKeys }
        let close = ("Esc", text("close", "关闭"))
        let enter = { (label: String) in ("Enter", label) }
        let move = ("↑↓", text("choose", "选择"))
        switch dialog {
        case .menu:
            return [move, enter(text("do it", "执行")), (text("letter", "字母"), text("at once", "直接执行")), close]
        case .help, .obstacles: return [close]
        case .entry: return [enter(text("take it", "确定")), close]
        case .tender:
            let label =
                cart.money.inHand > 0
                ? text("hand back", "退回")
                : cart.taken > 0 ? text("no card", "取消刷卡") : text("no exchange", "取消换货")
            let back = ("Del", label)
            return [move, enter(text("take it", "收款")), ("F4", text("discount", "折扣"))]
                + (cart.taken > 0 || cart.returned != nil ? [back] : []) + [close]
        case .paid, .refunded: return [enter(text("next customer", "下一位顾客"))]
        case .carts:
            return [move, enter(text("open it", "打开")), ("Del", text("drop it", "删除")), close]
        case .orders: return [move, enter(text("open it", "打开")), close]
        case .unseen:
            return [
                move, enter(text("it was sold", "确认成交")), ("V", text("void it", "作废")),
                ("Esc", text("later", "稍后处理")),
            ]
        case .refusals: return [move, enter(text("decide", "处理")), ("Esc", text("later", "稍后处理"))]
        case .refusal(let refusal): return decisions(on: refusal) + [close]
        case .printer(let printer): return printer?.device == nil ? [close] : printerKeys + [close]
        case .shift(let shift): return shiftKeys(shift) + [close]
        case .departments: return [move, enter(text("go on", "继续")), close]
        case .search: return [move, enter(text("into the cart", "加入购物车")), close]
        case .refund:
            return [
                move, (text("Space", "空格"), text("mark", "选择")), ("A", text("all", "全选")),
                ("X", text("exchange", "换货")), enter(text("pay back", "退款")), close,
            ]
        case .leave:
            return [enter(text("leave, it is kept", "保留并退出")), ("Esc", text("go on selling", "继续收银"))]
        case .offer: return [enter(text("take it", "继续此单")), ("Esc", text("leave it", "暂不处理"))]
        case .handBack:
            return [enter(text("it is handed back", "已退还")), ("Esc", text("keep the cart", "保留此单"))]
        }
    }

    private func decisions(on refusal: CounterRefusal) -> [(key: String, label: String)] {
        let again = ("R", text("send it again", "重新发送"))
        return switch refusal.kind {
        case .rejected: [again, ("D", text("give it up", "放弃"))]
        case .heldBack: [again]
        case .conflicted: [("M", text("send it again", "重新发送")), ("S", text("leave it", "不再发送"))]
        }
    }

    private var printerKeys: [(key: String, label: String)] {
        let copy = ("C", text("copy of the last receipt", "补打上一单"))
        return [("R", text("print what waits", "继续打印")), ("T", text("test page", "测试页"))]
            + (lastSale == nil ? [] : [copy])
    }

    /// What the action does now, the same in the last rows and in the menu.
    func label(_ action: CounterAction) -> String {
        if action == .banner, let command = status?.command { return text.bannerKey(command) }
        return text.label(action, isCartEmpty: cart.hasNothing, isSignedIn: cashier != nil)
    }

    private var cartKeys: [(key: String, label: String)] {
        let functions = CounterAction.allCases.compactMap { action in
            action.functionKey.map { number in
                (
                    "F\(number)",
                    label(action)
                )
            }
        }
        return Array(functions.prefix(6)) + [("Tab", text("Menu", "菜单"))] + functions.suffix(6)
            + [("^Q", text("Leave", "退出"))]
    }
}
