internal import AgentAPI
internal import Counter
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Pricing
internal import Agent

/// The interactive checkout: scan, quantity, discount, tender, receipt, with the banner in sight.
///
/// Each change is priced by the agent before it counts, so that a line that cannot be sold is refused where
/// it is entered, and the total is in every prompt. The basket is here: an agent that restarts loses nothing.
struct CheckoutDialogue {
    private let connection: FrontEndConnection
    private let keeper: CartKeeper
    /// Of the baskets that were sent to be kept.
    private var revision: Int64 = 0
    /// A cart that a window left, until the next line: an empty one takes it.
    private var offered: CartSummary?
    /// Who sells, where that is not the signed-in cashier.
    private var person: AgentPerson
    private var basket: Basket
    private let input: CheckoutInput
    private var events: AsyncStream<CheckoutInput.Event>.AsyncIterator
    private let watch = BannerWatch()
    private var text = Output.words
    /// What was sent to be sold while its response is out: the same again, once an agent that went is back,
    /// finds the sale or makes it.
    private var sent: [SellCall.Tender]?
    /// Lines that came while a response was waited for.
    private var typedAhead: [String] = []
    /// Leaving was requested with the basket as it is.
    private var isLeaving = false
    private var shownBanner = ""
    /// The end of the agent was said, and no status has come since.
    private var isAgentGone = false

    init(connection: any AgentConnection, person: AgentPerson) throws(TerminalError) {
        let named = FrontEndConnection(connection, program: "pos sell --plain")
        self.connection = named
        // Whoever took the basket over says so when it is paid.
        keeper = CartKeeper(named) { _ in }
        self.person = person
        basket = Basket(person: person)
        input = try CheckoutInput()
        events = input.stream().makeAsyncIterator()
    }

    mutating func run() async throws {
        do {
            try await serve()
        } catch {
            await keeper.leave()
            throw error
        }
        await keeper.leave()
    }

    private mutating func serve() async throws {
        defer { input.stop() }
        let status = try await connection.send(StatusCall())
        watch.show(status)
        text = StatusText.language(status).posTexts
        Output.line(text.firstLine)
        if status.running?.isSignInRequired == true, person.pin == nil {
            Output.line("! " + text.signInFirst)
        }
        try await showUnseenSales()
        try await offerLeftCart()
        var follower = follow()
        let presence = Task { [connection] in await CartNews.follow(connection) { _ in } }
        defer {
            presence.cancel()
            follower.cancel()
        }
        while true {
            showBanner()
            input.prompt(text.prompt(basket))
            guard let typed = await nextLine() else { return }
            let line = TypedText.cleaned(typed).trimmingCharacters(in: .whitespaces)
            do {
                if let cart = offered {
                    offered = nil
                    if line.isEmpty {
                        try await resume(cart.cartId)
                        continue
                    }
                }
                if try await obey(line) { return }
            } catch let error as TerminalError where error.code == "agent_gone" {
                guard try await reconnect() else { throw error }
                await keepBasket()
                follower.cancel()
                follower = follow()
                if try await again(line) { return }
            } catch let error as TerminalError {
                Output.line("! " + text.message(of: error))
            }
        }
    }

    /// What met an agent that went is done once it is back; one that goes once more is noticed with the next
    /// command.
    ///
    /// - Returns: whether the checkout ends.
    private mutating func again(_ line: String) async throws -> Bool {
        do {
            guard let sent else { return try await obey(line) }
            try await sell(by: sent)
        } catch let error as TerminalError {
            Output.line("! " + text.message(of: error))
        }
        return false
    }

    // MARK: - What comes in

    private func follow() -> Task<Void, Never> {
        Task { [connection, watch, input] in
            async let news: Void = input.followAgent(of: connection)
            await BannerFeed.follow(connection, watch) { _ in input.yield(.banner) }
            await news
        }
    }

    private mutating func showBanner() {
        let line = ShopWords.text(
            [watch.banner, watch.countdown].compactMap(\.self).joined(separator: " · "))
        guard watch.banner != shownBanner || watch.countdown != nil else { return }
        shownBanner = watch.banner
        Output.line(line, watch.shown.level)
    }

    /// The next line; nil when the checkout is to end.
    private mutating func nextLine() async -> String? {
        if !typedAhead.isEmpty { return shown(typedAhead.removeFirst()) }
        while let event = await events.next() {
            switch event {
            case .line(let line): return shown(line)
            case .end, .interrupt:
                if Output.isTerminal { Output.line("") }
                // What is piped in does not go on.
                if leaves(isOver: !input.isTyped) { return nil }
                if case .end = event { input.goOn() }
                input.prompt(text.prompt(basket))
            case .banner where Output.isTerminal && watch.banner != shownBanner:
                input.clearPrompt()
                showBanner()
                input.prompt(text.prompt(basket))
            case .agentGone, .agentBack:
                input.clearPrompt()
                if case .agentGone = event { sayGone() } else { sayBack() }
                input.prompt(text.prompt(basket))
            case .banner, .responded, .tick: break
            }
        }
        return nil
    }

    private mutating func sayGone() {
        guard !isAgentGone else { return }
        isAgentGone = true
        Output.line("! " + text.agentGone, BannerAdvice.serviceStopped.level)
    }

    private mutating func sayBack() {
        guard isAgentGone else { return }
        isAgentGone = false
        // What the agent before was about to say is not waited for.
        shownBanner = ""
        Output.line(text.agentBack)
    }

    private func shown(_ line: String) -> String {
        input.take(line)
        return line
    }

    /// A basket is left when that was requested twice, and its end is always said.
    private mutating func leaves(isOver: Bool = false) -> Bool {
        guard !basket.lines.isEmpty else { return true }
        if isOver || isLeaving {
            Output.note(text.basketKept(text.basket(basket)))
            return true
        }
        isLeaving = true
        Output.line(
            "! "
                + text.leaveAgain(text.basket(basket)))
        return false
    }

    /// Sends `request` and shows that it is waited for; Control-C gives a sale up.
    private mutating func send(_ request: AgentRequest, waitingFor what: String) async throws(TerminalError)
        -> AgentResponse
    {
        let (connection, input) = (connection, input)
        let work = Task {
            do throws(TerminalError) {
                input.yield(.responded(.success(try await connection.response(to: request))))
            } catch {
                input.yield(.responded(.failure(error)))
            }
        }
        let clock = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { input.yield(.tick) }
        }
        defer {
            work.cancel()
            clock.cancel()
        }
        var seconds = 0
        while let event = await events.next() {
            switch event {
            case .line(let line): typedAhead.append(line)
            case .responded(let result):
                if seconds > 0, Output.isTerminal { Output.line("") }
                return try result.get()
            case .interrupt:
                let call = GiveUpCall(key: basket.key)
                Task { try? await connection.send(call) }
                Output.rewrite(text.givingUp)
            case .tick:
                seconds += 1
                Output.rewrite(text.waiting(for: what, seconds: seconds))
            case .end:
                if input.isTyped { input.goOn() } else { hasEnded = true }
            case .banner, .agentGone, .agentBack: break
            }
        }
        throw TerminalError(.tryAgain, code: "interrupted") { $0.inputEnded }
    }

    /// What was piped in ended while a response was waited for.
    private var hasEnded = false {
        didSet { if hasEnded { typedAhead.append("q!") } }
    }

    /// Waits until the agent responds again; false when the cashier leaves before.
    private mutating func reconnect() async throws -> Bool {
        sayGone()
        let clock = Task { [input] in
            while (try? await Task.sleep(for: .milliseconds(500))) != nil { input.yield(.tick) }
        }
        defer { clock.cancel() }
        while let event = await events.next() {
            switch event {
            case .line(let line) where ["q", "quit"].contains(line.lowercased()): return !leaves(isOver: true)
            case .line(let line): typedAhead.append(line)
            case .end, .interrupt:
                _ = leaves(isOver: true)
                return false
            case .tick:
                guard let status = try? await connection.send(StatusCall())
                else {
                    continue
                }
                watch.show(status)
                sayBack()
                return true
            case .banner, .responded, .agentGone, .agentBack: break
            }
        }
        return false
    }

    // MARK: - Commands

    /// - Returns: whether the checkout ends.
    private mutating func obey(_ typed: String) async throws -> Bool {
        var words = typed.split(separator: " ", maxSplits: 1).map(String.init)
        guard let first = words.first else { return false }
        if first == "pos", words.count > 1 { return try await obeyOutside(words[1]) }
        let word = first.lowercased()
        words.removeFirst()
        if ["q", "quit", "exit", "cancel", "q!"].contains(word) { return leaves(isOver: word == "q!") }
        isLeaving = false
        try await act(word, words.first?.trimmingCharacters(in: .whitespaces), typed)
        return false
    }

    /// A command as the banner names it.
    private mutating func obeyOutside(_ command: String) async throws -> Bool {
        switch command {
        case "offline off": return try await obey("online")
        case "sync now": return try await obey("retry")
        case "sign-out": return try await obey("s")
        case let command where command.hasPrefix("sign-in "):
            return try await obey("s " + command.dropFirst(8))
        case let command where command.hasPrefix("offline on"): return try await obey("offline")
        default:
            try await AgentCommandLine.run(command, on: connection, as: basket.person, text)
            basket.person.approver = person.approver
            return false
        }
    }

    private mutating func act(_ word: String, _ rest: String?, _ typed: String) async throws {
        switch word {
        case "?", "help": Output.line(text.help)
        case "total", "list": Output.line(basket.lines.isEmpty ? nothing : text.list(basket))
        case "x": try await removeLine(rest)
        case "d": try await discount(rest)
        case "da": try await discountAll(rest)
        case "points": try await spendPoints(rest)
        case "tenders": try await showTenders()
        case "m":
            try await change { next in
                next.member = rest
                next.points = nil
            }
            if let member = basket.quote?.member {
                Output.line("  " + text.member(member))
            }
        case "c":
            try await change { if let rest { $0.coupons.append(rest) } else { _ = $0.coupons.popLast() } }
            if !basket.lines.isEmpty { Output.line("  " + text.total(basket)) }
        case "pay": try await pay(rest)
        case "carts": try await showCarts(rest)
        case "s", "a": try await identify(word, rest)
        case "offline": try await setManual(true, reason: rest)
        case "online": try await setManual(false, reason: nil)
        case "clock": basket.isClockConfirmed = true
        case "voucher": basket.isVoucherConfirmed = true
        case "retry": _ = try await connection.send(RetryCall())
        case "void", "seen": try await decide(word, rest)
        case "scan" where rest != nil: try await scan(rest ?? "")
        case _ where word.hasPrefix("*"): try await changeQuantity(String(word.dropFirst()))
        default: try await scan(typed)
        }
    }

    private var nothing: String { text.nothingScanned }

    /// Takes a change over once the agent has priced it.
    private mutating func change(_ body: (inout Basket) throws -> Void) async throws {
        var next = basket
        try body(&next)
        guard !next.lines.isEmpty else {
            next.quote = nil
            basket = next
            return
        }
        let before = basket.quote
        next.quote = try await connection.send(next.quoteCall)
        sayChangedPrices(of: next, since: before)
        next.money = basket.money.fitting(next.total)
        let notCharged = basket.money.parts.filter { !$0.isInHand }
        let isLess = next.money != basket.money
        basket = next
        if isLess { show(HandBack(inHand: [], notCharged: notCharged)) }
        await keepBasket()
    }

    // MARK: - The cart at the agent

    private func show(_ back: HandBack) {
        for line in back.lines(in: text.language, text.method) { Output.line("  " + line) }
    }

    private mutating func keepBasket() async {
        guard !basket.lines.isEmpty else { return }
        revision += 1
        await keeper.keep(KeepCartCall(basket.kept(taking: basket.tenders), revision: revision))
    }

    /// Keeps the basket with another list of what was taken, which counts once the agent has it.
    private mutating func take(_ tenders: [SellCall.Tender]) async throws(TerminalError) {
        await keeper.settle()
        revision += 1
        let call = KeepCartCall(basket.kept(taking: tenders), revision: revision)
        basket.money = try await connection.send(call).cart?.money ?? TakenMoney()
    }

    /// The last line goes, and with it everything of its customer.
    private mutating func empty() async throws(TerminalError) {
        await keeper.settle()
        do throws(TerminalError) {
            _ = try await connection.send(
                CartCall(id: basket.key, .drop(reason: "emptied at the checkout", isHandedBack: true)))
        } catch {
            // A basket that was never kept is empty already.
            guard error.code == "unknown_cart" else { throw error }
        }
        show(basket.money.handBack(at: .emptied))
        basket = basket.emptied(by: person)
    }

    private mutating func offerLeftCart() async throws {
        let carts = try await connection.send(OpenCartsCall()).carts
        guard let left = carts.first(where: { $0.state == .left }) else { return }
        offered = left
        Output.line("! " + text.left(left))
    }

    /// The carts that wait, those of other tills too; an empty basket takes one of them.
    private mutating func showCarts(_ id: String?) async throws {
        let list = try await connection.send(CartListCall())
        guard let id else { return Output.line(CartText.list(list, text)) }
        guard basket.lines.isEmpty else { return Output.line("! " + text.basketFirst) }
        let isElsewhere = list.carts.contains { $0.cartId == id && $0.isElsewhere }
        try await resume(id, isElsewhere ? .fetch : .resume)
    }

    private mutating func resume(_ id: String, _ action: CartCall.Action = .resume) async throws {
        let cart = try await connection.send(CartCall(id: id, action))
        guard cart.returns == nil else {
            // What it comes to with the goods that come back is on the counter's screen alone.
            _ = try? await connection.send(KeepCartCall(nil, revision: revision))
            return Output.line("! " + text.isExchange)
        }
        var next = Basket(person: person)
        next.isClockConfirmed = basket.isClockConfirmed
        next.resume(cart)
        do {
            next.quote = try await connection.send(next.quoteCall)
        } catch {
            // It stays for a moment at which it can be priced.
            _ = try? await connection.send(KeepCartCall(nil, revision: revision))
            throw error
        }
        basket = next
        Output.line(text.list(basket))
        if basket.taken > 0 { Output.line("  " + text.taken(basket)) }
    }

    private func sayChangedPrices(of next: Basket, since before: QuoteResponse?) {
        for (name, old, new) in next.changedPrices(since: before) {
            let (was, now) = (
                AmountText.text(old, currency: next.currency), AmountText.text(new, currency: next.currency)
            )
            Output.line(
                "! "
                    + text.priceChanged(of: name, from: was, to: now)
            )
        }
    }

    private mutating func scan(_ typed: String) async throws {
        var line = typed.halfWidth.replacing(": ", with: ":").replacing(" :", with: ":")
        if let star = line.firstIndex(of: "*"), SaleArguments.milli(line[..<star]) != nil {
            line = line[line.index(after: star)...].trimmingCharacters(in: .whitespaces) + ":" + line[..<star]
        }
        let scanned: EnteredLine
        do {
            scanned = try SaleArguments.line(line)
        } catch {
            throw TerminalError(.usage, code: "malformed_line") { $0.malformedLine("\(error)") }
        }
        let joins = watch.joinsEqualScans
        do {
            try await change { $0.scan(scanned, joining: joins) }
        } catch let error as TerminalError
            where error.code == "unknown_barcode" && watch.hasPINs && UnknownCode.mayBePIN(scanned.barcode)
        {
            input.hideLast()
            throw text.hidden(scanned.barcode, in: error)
        } catch let error as TerminalError
            where error.code == "unknown_barcode" && line.contains(where: { ":*,".contains($0) })
        {
            // A code of its own: the message is complete.
            throw TerminalError(.usage, code: "malformed_line") { $0.withQuantityHelp($0.message(of: error)) }
        }
        Output.line("  " + text.line(basket.quotedLines[try place(nil)], currency: basket.currency))
    }

    /// The line that `number` names; without it that of the last scan.
    private func place(_ number: String?) throws(TerminalError) -> Int {
        guard !basket.lines.isEmpty else {
            throw TerminalError(.usage, code: "empty_sale") { $0.nothingScanned }
        }
        guard let number else { return basket.scanned }
        guard let place = Int(number), basket.lines.indices.contains(place - 1) else {
            throw TerminalError(.usage, code: "no_such_line") { $0.noLine(number) }
        }
        return place - 1
    }

    private mutating func removeLine(_ number: String?) async throws {
        let place = try place(number)
        let words =
            basket.quotedLines.indices.contains(place)
            ? text.line(basket.quotedLines[place], currency: basket.currency) : basket.lines[place].barcode
        if basket.lines.count == 1 {
            try await empty()
        } else {
            try await change { $0.remove(at: place) }
        }
        Output.line("  " + text.takenOff(words))
    }

    private mutating func changeQuantity(_ quantity: String) async throws {
        let place = try place(nil)
        guard let milli = SaleArguments.milli(quantity) else {
            throw text.malformedQuantity(quantity)
        }
        try await change { $0.lines[place].quantityMilli = milli }
        Output.line("  " + text.line(basket.quotedLines[place], currency: basket.currency))
    }

    private mutating func discount(_ rest: String?) async throws {
        let words = (rest ?? "").split(separator: " ").map(String.init)
        let place = try place(words.count > 1 ? words[1] : nil)
        guard let first = words.first, let amount = basket.discount(first, ofLineAt: place) else {
            throw text.malformedDiscount
        }
        try await change { $0.lines[place].discountMinor = amount }
        Output.line("  " + text.line(basket.quotedLines[place], currency: basket.currency))
    }

    /// Off everything, spread over the lines.
    private mutating func discountAll(_ rest: String?) async throws {
        _ = try place(nil)
        guard let rest, let parts = basket.discounts(rest) else {
            throw text.malformedDiscountOfAll
        }
        try await change { next in
            for (place, minor) in parts.enumerated() {
                next.lines[place].discountMinor = minor == 0 ? nil : minor
            }
        }
        Output.line("  " + text.total(basket))
    }

    // MARK: - Money

    /// Points of the member that pay a part; alone it says how many there are.
    private mutating func spendPoints(_ rest: String?) async throws {
        if let rest {
            guard let points = Int64(rest), points >= 0 else { throw text.malformedPoints }
            try await change { $0.points = points == 0 ? nil : points }
            return Output.line("  " + text.total(basket))
        }
        let status = try await connection.send(StatusCall(member: basket.member))
        guard let points = status.running?.points else { return }
        Output.line("  " + TenderText(text).line(points))
    }

    /// How each tender of the store goes now.
    private func showTenders() async throws {
        let status = try await connection.send(StatusCall())
        for tender in status.running?.tenders ?? [] {
            Output.line("  " + TenderText(text).line(tender, currency: basket.quote?.total.currency))
        }
    }

    private mutating func pay(_ rest: String?) async throws {
        guard !basket.lines.isEmpty else {
            throw TerminalError(.usage, code: "empty_sale") { $0.nothingScanned }
        }
        if rest?.lowercased() == "back" {
            let back = basket.money.handBack(at: .emptied)
            try await take([])
            return show(back)
        }
        let shown = basket.total
        try await change { _ in }
        guard basket.total == shown else {
            Output.line(
                "! " + text.message(of: TerminalError(.refused, code: "price_changed", text: { _ in "" })))
            return Output.line("  " + text.total(basket))
        }
        var tenders = basket.tenders
        for word in (rest ?? "").split(separator: " ").map(String.init) {
            guard let tender = basket.payment(word) else { throw text.malformedPayment(word) }
            tenders.append(tender)
        }
        // Alone it pays the rest of what was begun.
        if rest == nil, !tenders.isEmpty { tenders.append(SellCall.Tender(method: "cash")) }
        if let change = basket.largeChange(of: tenders), basket.confirmedChange != change {
            basket.confirmedChange = change
            return Output.line("! " + text.largeChange(AmountText.money(change, basket.currency)))
        }
        try await sell(by: tenders)
    }

    private mutating func sell(by tenders: [SellCall.Tender]) async throws {
        let isCard = tenders.contains { $0.method == "card" }
        let what = isCard ? text.cardResult : text.saleResult
        let call = basket.sellCall(paying: tenders)
        let response: SaleResponse
        sent = tenders
        await keeper.settle()
        do throws(TerminalError) {
            response = try call.response(in: try await send(call.request, waitingFor: what))
            sent = nil
        } catch {
            if error.code != "agent_gone" { sent = nil }
            guard error.code == "payment_short" else {
                if error.code == "price_changed" { try await change { _ in } }
                await keepBasket()
                throw error
            }
            try await take(tenders)
            return Output.line("! " + text.taken(basket))
        }
        Output.line(response.receipt)
        basket = basket.emptied(by: person)
    }

    /// Card sales whose response nobody saw stay in sight until somebody decides.
    private func showUnseenSales() async throws {
        for sale in try await connection.send(UnseenSalesCall()).sales {
            Output.line("! " + text.unseen(sale))
        }
    }

    private mutating func decide(_ word: String, _ rest: String?) async throws {
        let words = (rest ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        guard let number = words.first else {
            throw TerminalError(.usage, code: "order_missing") { $0.orderMissing(after: word) }
        }
        guard word == "void" else {
            let response = try await connection.send(ShowOrderCall(id: number))
            _ = try await connection.send(UnseenSalesCall(seenOrderId: response.order.sale.orderId))
            return Output.line(response.receipt)
        }
        let reason = words.count > 1 ? words[1] : nil
        let newest =
            number == "last" ? try await connection.send(OrderListCall(limit: 1)).orders.first : nil
        let response = try await connection.send(
            VoidOrderCall(id: newest?.sale.orderNumber ?? number, reason: reason, person: basket.person))
        basket.person.approver = person.approver
        Output.line(OrderText.voided(response.order, text))
    }

    // MARK: - People and the switch

    /// Signs somebody in or out, or notes who approves what comes next.
    private mutating func identify(_ word: String, _ id: String?) async throws {
        guard let id else {
            guard word == "s" else {
                throw TerminalError(.usage, code: "approver_missing") { $0.approverMissing }
            }
            forgetPerson()
            let session = try await connection.send(SessionCall.signOut)
            return Output.line(SignInText.line(session, text))
        }
        guard let pin = await pin(of: id) else { return }
        guard word == "s" else {
            basket.person.approver = AgentPerson.Approver(id: id, pin: pin)
            return
        }
        let session = try await connection.send(SessionCall.signIn(cashierId: id, pin: pin))
        forgetPerson()
        Output.line(SignInText.line(session, text))
    }

    /// Who signs in or out here stands above whom the command line named.
    private mutating func forgetPerson() {
        (person.cashierId, person.pin) = (nil, nil)
        (basket.person.cashierId, basket.person.pin) = (nil, nil)
    }

    private mutating func pin(of id: String) async -> String? {
        let isHidden = input.prompt(text.pin(of: id), isHidden: true)
        let before =
            isHidden ? nil : PINEntry.hideInput(of: STDIN_FILENO, byKey: false, keepsSignals: true)
        defer {
            if let before {
                PINEntry.restore(before, of: STDIN_FILENO)
                Output.line("")
            }
        }
        if !typedAhead.isEmpty { return hidden(typedAhead.removeFirst()) }
        while let event = await events.next() {
            switch event {
            case .line(let line): return hidden(line)
            case .end, .interrupt:
                if isHidden { Output.line("") }
                if case .end = event { input.goOn() }
                return nil
            case .responded, .banner, .tick, .agentGone, .agentBack: break
            }
        }
        return nil
    }

    private func hidden(_ line: String) -> String? {
        input.take(line, isHidden: true)
        return line.isEmpty ? nil : line
    }

    private mutating func setManual(_ isOn: Bool, reason: String?) async throws {
        _ = try await connection.send(
            SetManualCall(isOn: isOn, reason: reason, by: person.cashierId, person: basket.person))
        basket.person.approver = person.approver
        watch.show(try await connection.send(StatusCall()))
    }
}
