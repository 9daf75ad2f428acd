internal import AgentAPI

/// What waits for a person: card sales that nobody saw, mutations that the hub refused, parked carts to
/// drop, paper.
extension CounterScreen {
    // MARK: - Opening

    /// What needs a decision first; with nothing to decide it says so.
    mutating func decide() {
        if status?.unseenCardSales ?? 0 > 0 {
            act(.unseenSales(seen: nil))
        } else {
            dialog = .refusals(nil, selected: 0)
            act(.refusals)
        }
    }

    mutating func showTills() {
        dialog = .tills(nil, selected: 0)
        act(.tills)
    }

    mutating func showPrinter() {
        dialog = .printer(nil)
        act(.printer)
    }

    /// Reads the card sales that nobody saw when their number has grown: the agent or this screen was gone
    /// while a card paid.
    mutating func notice(_ status: CounterStatus, before: CounterStatus?) {
        guard status.unseenCardSales > before?.unseenCardSales ?? 0 else { return }
        lookingForUnseen = send(.unseenSales(seen: nil))
    }

    /// Over a full cart or an open dialog they would take the keys of the sale at hand: they are named there.
    mutating func show(unseen sales: [UnseenSalesCall.Sale]) {
        guard !sales.isEmpty else { return }
        if dialog == nil, cart.isEmpty, unpriced == 0 {
            dialog = .unseen(sales, selected: 0)
            effects.append(.bell)
        } else {
            complain(text.unseenWait(sales.count))
        }
    }

    // MARK: - Keys

    mutating func takeAtUnseen(_ key: Key, _ sales: [UnseenSalesCall.Sale], _ selected: Int) {
        switch key {
        case .typed("v"), .typed("V"), .delete:
            dialog = .entry(.voidReason(sales[selected]), LineEditor())
        default:
            let moved = { CounterDialog.unseen(sales, selected: $0) }
            guard let place = choose(key, selected, of: sales.count, moved) else { return }
            act(.unseenSales(seen: sales[place].orderId))
        }
    }

    mutating func takeAtCarts(_ key: Key, _ carts: [CartRecord]?, _ selected: Int) {
        guard let carts else { return }
        // Behind those that wait are those of other windows.
        let count = carts.count + elsewhere.count
        if key == .delete {
            guard let cart = carts[safe: selected], !cart.isElsewhere else { return }
            dialog = .entry(.dropReason(cart), LineEditor())
        } else if let place = choose(key, selected, of: count, { .carts(carts, selected: $0) }) {
            if let cart = carts[safe: place] {
                act(taking(cart))
            } else if let cart = elsewhere[safe: place - carts.count] {
                act(.takeCart(cartId: cart.cartId, person))
            }
        }
    }

    /// What takes a parked cart up, wherever it is.
    private func taking(_ cart: CartRecord) -> CounterRequest {
        cart.isElsewhere ? .fetchCart(cartId: cart.cartId) : .resume(cartId: cart.cartId)
    }

    mutating func takeAtRefusals(_ key: Key, _ refusals: [CounterRefusal]?, _ selected: Int) {
        guard let refusals,
            let place = choose(key, selected, of: refusals.count, { .refusals(refusals, selected: $0) })
        else { return }
        dialog = .refusal(refusals[place])
    }

    mutating func takeAtRefusal(_ key: Key, _ refusal: CounterRefusal) {
        guard case .typed(let letter) = key else { return }
        switch (Character(letter).lowercased(), refusal.kind) {
        case ("r", .rejected), ("r", .heldBack): resolve(refusal, .retry)
        case ("d", .rejected): dialog = .entry(.discardReason(refusal), LineEditor())
        case ("m", .conflicted): resolve(refusal, .resolve(keep: .mine, by: nil))
        case ("s", .conflicted): resolve(refusal, .resolve(keep: .server, by: nil))
        default: break
        }
    }

    mutating func resolve(_ refusal: CounterRefusal, _ decision: ResolveRefusalCall.Decision) {
        act(.resolve(ResolveRefusalCall(id: refusal.id, decision, by: person)))
    }

    mutating func takeAtPrinter(_ key: Key, _ printer: PrinterCall.Response?) {
        guard let printer, printer.device != nil, case .typed(let letter) = key else { return }
        switch Character(letter).lowercased() {
        case "r": act(.printAgain)
        case "t": act(.printTestPage)
        case "c": if let lastSale { act(.printCopy(id: lastSale.orderId)) }
        default: break
        }
    }

    // MARK: - Responses

    /// The list behind a decision; an empty one closes the dialog and says what has happened.
    mutating func receive(unseen sales: [UnseenSalesCall.Sale]) {
        dialog = sales.isEmpty ? nil : .unseen(sales, selected: 0)
        if sales.isEmpty { say(text.nothingToDo) }
    }

    mutating func receive(voided order: OrderResponse) {
        approver = nil
        dialog = nil
        let (sale, cards) = (order.order.sale, order.order.cardReturns)
        if lastSale?.orderId == sale.orderId { lastSale = nil }
        let isBack = cards.allSatisfy { $0.state == .returned }
        let cash = sale.cashTaken
        if cash.amount > 0 {
            say(text.voided(sale.orderNumber, inCash: cash, isBack ? [] : cards))
        } else {
            say(isBack ? text.voided(sale.orderNumber, sale.total) : text.voided(sale.orderNumber, cards))
        }
        lookingForUnseen = send(.unseenSales(seen: nil))
    }

    /// What the first row says of the printer: a paper that cannot be printed must be seen after the next
    /// scan, too.
    mutating func notePaper(of printer: PrinterCall.Response) {
        isPaperWaiting =
            printer.device != nil
            && printer.jobs.contains { job in
                switch job.state {
                case .interrupted, .failed: true
                case .waiting: printer.state.isStopped
                case .printing: false
                }
            }
    }

    /// The receipt's paper by the printer's state. While it prints the screen looks again each second.
    mutating func receive(paper printer: PrinterCall.Response) {
        guard case .paid(let sale, _) = dialog else { return }
        let job = printer.jobs.first { $0.orderId == sale.sale.orderId }
        let paper: Paper =
            switch (printer.device, job?.state) {
            case (nil, _): .none
            case (_, nil): .printed
            case (_, .waiting?), (_, .printing?):
                printer.state.isStopped ? .waiting(trouble(of: printer)) : .printing
            case (_, .interrupted?), (_, .failed?): .waiting(trouble(of: printer))
            }
        dialog = .paid(sale, paper)
        if case .waiting(let detail) = paper { complain(text.noPaper(detail)) }
    }

    /// What stops the printer; where it does not respond with what the system says. Nil: nothing.
    private func trouble(of printer: PrinterCall.Response) -> String? {
        switch printer.state {
        case .paperOut: text.printer(.paperOut)
        case .noResponse: text.printer(.noResponse) + (printer.detail.map { " (\($0))" } ?? "")
        case .ready, .paperLow, .untried, .none: nil
        }
    }

    /// Whether the paper of the sale on the screen is not settled yet.
    ///
    /// The first look is a second after the sale, so that its job lies in the spool by then.
    var isPrinting: Bool {
        switch dialog {
        case .paid(_, .unknown), .paid(_, .printing): true
        default: false
        }
    }
}

extension SaleRecord {
    /// What of its money is in the drawer.
    fileprivate var cashTaken: MoneyAmount {
        guard paid.contains(where: \.isCash) else { return MoneyAmount(0, total.currency) }
        let others = paid.filter { !$0.isCash }.reduce(0) { $0 + $1.amount.amount }
        return MoneyAmount(max(0, total.amount + cashRounding.amount - others), total.currency)
    }
}
