internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    mutating func take(_ key: Key) {
        if holdsKeys { return hold(key) }
        if confirm(key) { return }
        guard let dialog else { return takeAtCart(key) }
        if case .alt = key { return takeAtDialog(key, dialog) }
        switch key {
        case .control("c"): close()
        case .function(10) where isPaid: takeAtCart(key)
        case .escape: close()
        default: takeAtDialog(key, dialog)
        }
    }

    /// Whether keys wait for a response, since it decides what they are for.
    private var holdsKeys: Bool {
        switch action?.request {
        case .sell, .park, .take, .handBack, .empty, .resume, .takeCart, .fetchCart, .copyCart, .order, .drop,
            .signIn, .refund,
            .void, .resolve,
            .orders, .parkedCarts, .tills,
            .unseenSales, .refusals, .printer, .printAgain, .printTestPage, .printCopy,
            .shift, .openShift, .moveCash, .closeShift, .addMember:
            true
        default: false
        }
    }

    /// Escape gives a payment up, and a wait that changes nothing; every other key is kept for the response.
    private mutating func hold(_ key: Key) {
        guard key == .escape || key == .control("c") else {
            if ahead.count < Self.mostAhead { ahead.append(key) }
            return
        }
        ahead = []
        switch action?.request {
        case .sell(let call):
            say(text.givingUp)
            _ = send(.giveUp(key: call.key ?? cart.key))
        case .signIn, .orders, .parkedCarts, .unseenSales(seen: nil), .refusals, .printer, .printTestPage,
            .shift, .tills:
            action = nil
            close()
        default: break
        }
    }

    /// Keys of some 200 barcodes; nobody scans more while one response is out.
    private static let mostAhead = 4_096

    /// Does what was typed while a response was out. Behind a refusal it would mean something else: it is
    /// dropped, and the refusal has rung the bell.
    mutating func takeAhead(isRefused: Bool) {
        let keys = ahead
        ahead = []
        guard !isRefused else { return }
        for key in keys { take(key) }
    }

    private var isPaid: Bool {
        if case .paid = dialog { true } else { false }
    }

    mutating func close() {
        message = nil
        if case .offer(let offered) = dialog {
            declined.insert(offered.cartId)
            say(text.offerDeclined)
        }
        dialog = nil
        interrupted = nil
        approver = nil
        paysNext = false
    }

    // MARK: - The cart

    mutating func takeAtCart(_ key: Key) {
        switch key {
        case .function(let number):
            CounterAction.allCases.first { $0.functionKey == number }.map { perform($0) }
        case .alt(let letter): CounterAction.allCases.first { $0.letter == letter }.map { perform($0) }
        case .typed("+") where field.text.isEmpty: perform(.pay)
        case .typed("?") where field.text.isEmpty: perform(.help)
        case .tab where field.text.isEmpty: dialog = .menu(selected: 0)
        case .up: select(selected - 1)
        case .down: select(selected + 1)
        case .pageUp: select(selected - 8)
        case .pageDown: select(selected + 8)
        case .delete where field.text.isEmpty: perform(.remove)
        case .control("c"), .control("q"): perform(.leave)
        case .control("l"): break
        case .escape:
            field.discard()
            message = nil
        case .paste(let pasted): paste(pasted)
        default: type(key)
        }
    }

    private mutating func select(_ place: Int) {
        selected = min(max(0, place), max(0, cart.lines.count - 1))
    }

    private mutating func type(_ key: Key) {
        switch field.take(key) {
        case .line(let line): scan(line)
        case .end: perform(.leave)
        case .changed, .nothing: break
        }
    }

    /// Every line of a paste is a scan of its own, in order. A last one without an end stays in the field.
    private mutating func paste(_ pasted: String) {
        for key in Key.paste(pasted).pressed { type(key) }
    }

    private mutating func scan(_ line: String) {
        let code = line.halfWidth.trimmed
        guard !code.isEmpty else { return }
        message = nil
        if CounterRefund.isReceiptCode(code) { return refund(receipt: String(code)) }
        if code.hasPrefix("*"), let milli = Entry.milli(code.dropFirst().trimmed) {
            guard !cart.isEmpty else { return complain(text.nothingScanned) }
            return change(.quantity(selected, milli: milli))
        }
        guard !Entry.hasMalformedQuantity(String(code)) else { return complain(text.malformedQuantity) }
        change(.scan(Entry.line(String(code)), joining: joinsEqualScans))
    }

    mutating func perform(_ action: CounterAction) {
        message = nil
        switch action {
        case .help: dialog = .help
        case .search:
            dialog = .search(LineEditor(), [], selected: 0)
        case .quantity: edit(.quantity)
        case .discount: edit(.discount)
        case .price: edit(.price)
        case .member: dialog = .entry(.member, LineEditor())
        case .coupon: dialog = .entry(.coupon, LineEditor())
        case .park: park()
        case .refund:
            dialog = .orders(nil, LineEditor(), selected: 0)
            act(.orders(limit: Self.mostFound))
        case .pay: pay()
        case .sign: if cashier == nil { dialog = .entry(.cashier, LineEditor()) } else { act(.signOut) }
        case .banner: performBanner()
        case .offline: dialog = .entry(.offlineReason, LineEditor())
        case .remove:
            if cart.isEmpty, cart.returned != nil { return dropReturned() }
            guard !cart.isEmpty else { return complain(text.nothingScanned) }
            change(.remove(selected))
        case .openItem: sellByDepartment()
        case .discountAll: edit(.discountAll)
        case .points: enterPoints()
        case .voidLast: voidLast()
        case .shift: showShift()
        case .decide: decide()
        case .printer: showPrinter()
        case .tills: showTills()
        case .leave: if cart.hasNothing, queue.isEmpty { leave() } else { dialog = .leave }
        }
    }

    /// A list on the screen has some 10 rows; more than 50 articles are found by one more letter.
    static let mostFound = 50

    private mutating func edit(_ field: CounterDialog.Field) {
        guard !cart.isEmpty else { return complain(text.nothingScanned) }
        dialog = .entry(field, LineEditor())
    }

    /// What was scanned last where the catalogue does not have it, else something without a code.
    private mutating func sellByDepartment() {
        dialog = .departments(nil, unknownScan ?? EnteredLine(barcode: ""), selected: 0)
        act(.departments)
    }

    private mutating func takeAtDepartments(
        _ key: Key, _ departments: [DepartmentRecord], _ line: EnteredLine, _ selected: Int
    ) {
        let move = { CounterDialog.departments(departments, line, selected: $0) }
        guard let place = choose(key, selected, of: departments.count, move) else { return }
        var sold = line
        let department = departments[place]
        (sold.department, sold.taxBasisPoints) = (department.department, department.taxBasisPoints)
        dialog = .entry(
            .openPrice(sold, name: department.department, currency: department.currency), LineEditor())
    }

    private mutating func park() {
        guard cart.hasNothing else {
            dialog = .entry(.parkName, LineEditor())
            return
        }
        dialog = .carts(nil, selected: 0)
        act(.parkedCarts)
    }

    private mutating func pay() {
        guard !cart.isEmpty else { return complain(text.nothingScanned) }
        guard unpriced == 0 else { return complain(text.stillPricing(unpriced)) }
        openTenders()
    }

    private mutating func enterPoints() {
        guard !cart.isEmpty else { return complain(text.nothingScanned) }
        guard cart.member != nil else { return complain(text.pointsNeedMember) }
        edit(.points)
        readTenders()
    }

    /// The banner names a command of a shell; here its key does the same.
    private mutating func performBanner() {
        let words = (status?.command ?? "").split(separator: " ").drop { $0 == "pos" }.joined(separator: " ")
        switch words {
        case "": if status?.obstacles.isEmpty == false { dialog = .obstacles } else { say(text.nothingToDo) }
        case "sync now":
            if status?.obstacles.isEmpty == false { dialog = .obstacles }
            act(.retry)
        case "sync rejected": decide()
        case "offline off": act(.setManual(SetManualCall(isOn: false, person: person)))
        case let command where command.hasPrefix("sign-in"): dialog = .entry(.cashier, LineEditor())
        case let command: complain(text.outside(command))
        }
    }

    // MARK: - Dialogs

    private mutating func takeAtDialog(_ key: Key, _ dialog: CounterDialog) {
        switch dialog {
        case .menu(let selected): takeAtMenu(key, selected)
        case .help, .obstacles: close()
        case .entry(let field, let editor): takeAtEntry(key, field, editor)
        case .tender(let editor, let selected): takeAtTender(key, editor, selected)
        case .paid, .refunded: takeBehindEnd(key)
        case .carts(let carts, let selected): takeAtCarts(key, carts, selected)
        case .search(let editor, let found, let selected): takeAtSearch(key, editor, found, selected)
        case .departments(let departments, let line, let selected):
            takeAtDepartments(key, departments ?? [], line, selected)
        case .orders(let orders, let editor, let selected): takeAtOrders(key, orders, editor, selected)
        case .unseen(let sales, let selected): takeAtUnseen(key, sales, selected)
        case .refusals(let refusals, let selected): takeAtRefusals(key, refusals, selected)
        case .refusal(let refusal): takeAtRefusal(key, refusal)
        case .printer(let printer): takeAtPrinter(key, printer)
        case .tills(let tills, let selected):
            let count = tills?.neighbours.count ?? 0
            _ = choose(key, selected, of: count) { .tills(tills, selected: $0) }
        case .shift(let shift): takeAtShift(key, shift)
        case .refund(let goods, let marked, let selected): takeAtRefund(key, goods, marked, selected)
        case .leave:
            switch key {
            case .typed("y"), .typed("Y"), .enter: leave()
            default: close()
            }
        case .offer(let cart): takeAtOffer(key, cart)
        case .handBack(let back): takeAtHandBack(key, back)
        }
    }

    /// Moves in a list of `count` rows.
    ///
    /// - Returns: the row that Enter chose.
    mutating func choose(
        _ key: Key, _ selected: Int, of count: Int, _ moved: (Int) -> CounterDialog
    ) -> Int? {
        func place(_ wanted: Int) -> Int { min(max(0, wanted), max(0, count - 1)) }
        switch key {
        case .up: dialog = moved(place(selected - 1))
        case .down: dialog = moved(place(selected + 1))
        case .pageUp: dialog = moved(place(selected - 8))
        case .pageDown: dialog = moved(place(selected + 8))
        case .home: dialog = moved(0)
        case .end: dialog = moved(place(count - 1))
        case .enter where count > 0: return selected
        default: break
        }
        return nil
    }

    private mutating func takeAtMenu(_ key: Key, _ selected: Int) {
        let actions = CounterAction.allCases
        let chosen: CounterAction? =
            switch key {
            case .typed(let letter), .alt(let letter): actions.first { $0.letter == letter }
            case .function(let number): actions.first { $0.functionKey == number }
            case .tab: actions[(selected + 1) % actions.count]
            default: nil
            }
        if case .tab = key {
            dialog = .menu(selected: (selected + 1) % actions.count)
        } else if let chosen {
            dialog = nil
            perform(chosen)
        } else if let place = choose(key, selected, of: actions.count, { .menu(selected: $0) }) {
            dialog = nil
            perform(actions[place])
        }
    }

    /// The next scan begins the next sale by itself.
    private mutating func takeBehindEnd(_ key: Key) {
        close()
        switch key {
        case .enter, .tab, .typed(" "): break
        default: takeAtCart(key)
        }
    }

    private mutating func takeAtSearch(
        _ key: Key, _ editor: LineEditor, _ found: [ProductCall.Response], _ selected: Int
    ) {
        switch key {
        case .up, .down, .pageUp, .pageDown, .enter:
            guard
                let place = choose(
                    key, selected, of: found.count, { .search(editor, found, selected: $0) })
            else { return }
            close()
            change(
                .scan(EnteredLine(barcode: found[place].barcode), joining: joinsEqualScans))
        default:
            var edited = editor
            for single in key.pressed where single != .enter { _ = edited.take(single) }
            guard edited.text != editor.text else {
                dialog = .search(edited, found, selected: selected)
                return
            }
            let text = String(edited.text).trimmed
            dialog = .search(edited, text.isEmpty ? [] : found, selected: 0)
            searching = text.isEmpty ? 0 : send(.search(text: String(text), limit: Self.mostFound))
        }
    }
}
