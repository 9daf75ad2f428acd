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
            frame.put(text.windowTooSmall, at: 0, 0, .bold)
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
            right = text.nobodySignedIn
        } else {
            right = ""
        }
        let paper = isPaperWaiting ? text.printerWaits + "  " : ""
        frame.put(paper + right + " ", at: 0, endingAt: columns, .title)
    }

    /// The store, the till's number in it, how many other tills are there, and whether a shift is open.
    private var place: String {
        guard let status else { return "POS" }
        guard let till = status.till else { return "POS   " + text.store(status.storeId) }
        let number = till.number.map { " · " + text.till($0) } ?? ""
        let shift = till.shiftId == nil ? " · " + text.noShiftIsOpen : ""
        // Where all are there nobody has to know of them.
        let others = status.neighbours.map { $0.isComplete ? "" : " · " + text.tillsThere($0) } ?? ""
        return till.storeName + number + others + shift
    }

    private func drawBanner(_ frame: inout Frame) {
        guard let status else {
            frame.put(" … " + text.connectingToTheTillsService, at: 1, 0, .dim)
            return
        }
        guard !isAgentGone else {
            let look = Self.look(BannerAdvice.serviceStopped.level)
            frame.fill(1, 0..<columns, look.style)
            frame.put(look.mark + text.agentStopped, at: 1, 0, look.style, limit: columns - 1)
            return
        }
        let look = Self.look(status.level)
        for (offset, words) in banner.enumerated() {
            frame.fill(1 + offset, 0..<columns, look.style)
            frame.put((offset > 0 ? "   " : look.mark) + words, at: 1 + offset, 0, look.style)
        }
        frame.put(bannerKey, at: 1, endingAt: columns, .key)
    }

    /// The mark is for terminals without colours, and for people who do not see them.
    private static func look(_ level: BannerAdvice.Level) -> (style: FrameStyle, mark: String) {
        switch level {
        case .calm: (.calm, " ● ")
        case .alert: (.alert, " ▲ ")
        case .stopped: (.stopped, " ■ ")
        }
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
        frame.put(text.sku, at: head, grid.sku, .heading)
        frame.put(text.article, at: head, grid.name, .heading)
        frame.put(text.qty, at: head, endingAt: grid.quantity, .heading)
        frame.put(text.price, at: head, endingAt: grid.price, .heading)
        frame.put(text.discountColumn, at: head, endingAt: grid.discount, .heading)
        frame.put(text.amount, at: head, endingAt: grid.amount, .heading)
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
                    ? text.signInFirstBig
                    : text.scanTheFirstArticle, .bold
            ),
            ("", .plain),
            (
                needsSignIn ? text.signInHint : text.scanHint,
                .dim
            ),
            (text.quantityHint, .dim),
            (text.menuHint, .dim),
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
        func money(_ amount: Int64) -> String { AmountText.text(amount, currency: cart.currency) }
        let tax = text.tax(ofIt: money(cart.quote?.tax.amount ?? 0))
        let cash = text.inCash(money(cart.cashTotal))
        let isRounded = cart.quote.map { $0.cashRounding.amount != 0 } ?? false
        let figures = Frame.width(tax) + (isRounded ? 2 + Frame.width(cash) : 0) + 1
        let split = columns - max(30, BigDigits.width(amount) + 6, figures)
        drawOffers(&frame, from: top + 1, limit: split - 2)
        frame.put(text.bigTotal(in: cart.currency), at: top + 1, split, .bold)
        let count = cart.lines.count
        if cart.money.inHand == 0 {
            frame.put(
                text.language.cartTexts.lines(count), at: top + 1,
                endingAt: columns - 1, .dim)
        } else {
            let taken = text.takenSoFar(money(cart.money.inHand))
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
            let doubt = known?.isKnown == false ? text.notFound : ""
            let points =
                tenders.points?.balance.map {
                    " · "
                        + (isBalanceOld
                            ? text.hadPoints($0) : text.hasPoints($0))
                } ?? ""
            rows.append((text.member, (known?.memberId ?? member) + name + doubt + points))
        }
        if let points = cart.quote?.points, points.spent > 0 {
            rows.append(
                (
                    text.points,
                    "\(points.spent) · -" + AmountText.text(points.value, currency: cart.currency)
                ))
        }
        if let returned = cart.returned {
            rows.append(
                (text.exchangeBack, "-" + AmountText.text(returned.worth, currency: cart.currency)))
        }
        if !cart.coupons.isEmpty {
            rows.append((text.coupons, cart.coupons.joined(separator: ", ")))
        }
        for offer in appliedOffers.prefix(max(0, 5 - rows.count)) {
            rows.append((offer.name, "-" + AmountText.text(offer.amount, currency: cart.currency)))
        }
        if let last = lastSale, rows.count < 5 {
            let change = last.change.amount > 0 ? " · " + text.changeOf(last.change.text) : ""
            rows.append((text.lastSale, last.total.text + change))
        }
        if unpriced > 1 { rows.append((text.pricing, "\(unpriced)")) }
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
        let prompt = text.scanPrompt
        let start = frame.put(prompt, at: row, 0, .bold)
        let view = field.view(columns: columns - start - 1)
        frame.put(view.text, at: row, start, .bold)
        if dialog == nil { frame.cursor = (row, start + view.cursor) }
    }

    private func drawMessage(_ frame: inout Frame, row: Int) {
        if isWaiting, waited > 0 || status?.cardStep != nil {
            let words: String
            if case .some(.sell) = action?.request {
                let step = status?.cardStep.map(text.words(of:)) ?? text.waitingForPayment
                words = step + " · " + text.escapeGivesUp(seconds: waited)
            } else {
                words = text.waitingForService(seconds: waited)
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
        let close = ("Esc", text.close)
        let enter = { (label: String) in ("Enter", label) }
        let move = ("↑↓", text.choose)
        switch dialog {
        case .menu:
            return [move, enter(text.perform), (text.letter, text.atOnce), close]
        case .help, .obstacles: return [close]
        case .entry: return [enter(text.takeEntry), close]
        case .tender:
            let label =
                cart.money.inHand > 0
                ? text.handBack
                : cart.taken > 0 ? text.noCard : text.noExchange
            let back = ("Del", label)
            return [move, enter(text.takeTender), ("F4", text.discountKey)]
                + (cart.taken > 0 || cart.returned != nil ? [back] : []) + [close]
        case .paid, .refunded: return [enter(text.nextCustomer)]
        case .carts:
            return [move, enter(text.openIt), ("Del", text.dropIt), close]
        case .orders: return [move, enter(text.openIt), close]
        case .unseen:
            return [
                move, enter(text.itWasSold), ("V", text.voidIt),
                ("Esc", text.later),
            ]
        case .refusals: return [move, enter(text.decide), ("Esc", text.later)]
        case .refusal(let refusal): return decisions(on: refusal) + [close]
        case .tills: return [move, close]
        case .printer(let printer): return printer?.device == nil ? [close] : printerKeys + [close]
        case .shift(let shift): return shiftKeys(shift) + [close]
        case .departments: return [move, enter(text.goOn), close]
        case .search: return [move, enter(text.intoTheCart), close]
        case .refund:
            return [
                move, (text.space, text.mark), ("A", text.all),
                ("X", text.exchange), enter(text.payBack), close,
            ]
        case .leave:
            return [enter(text.leaveKept), ("Esc", text.goOnSelling)]
        case .offer: return [enter(text.takeCart), ("Esc", text.leaveCart)]
        case .handBack:
            return [enter(text.itIsHandedBack), ("Esc", text.keepTheCart)]
        }
    }

    private func decisions(on refusal: CounterRefusal) -> [(key: String, label: String)] {
        let again = ("R", text.sendItAgain)
        return switch refusal.kind {
        case .rejected: [again, ("D", text.giveItUp)]
        case .heldBack: [again]
        case .conflicted: [("M", text.sendItAgain), ("S", text.leaveRefusal)]
        }
    }

    private var printerKeys: [(key: String, label: String)] {
        let copy = ("C", text.copyOfTheLastReceipt)
        return [("R", text.printWhatWaits), ("T", text.testPage)]
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
        return Array(functions.prefix(6)) + [("Tab", text.menu)] + functions.suffix(6)
            + [("^Q", text.leave)]
    }
}
