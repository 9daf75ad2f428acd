import AgentAPI
import Base
import HubProtocol
import LinuxRuntime
import MachineRuntime
import OfflineCore

/// Who works at a till: a script with weights, and a memory of what the till promised.
@MainActor
final class Cashier {
    let world: World
    let till: TillNode
    var draw: SplitMix64
    /// For what has to do with cards alone.
    var cardDraw: SplitMix64
    /// Cash that has to be in the drawer; nil while no shift is open.
    private var drawer: Int64?
    private var parked: [String] = []
    /// Who the till said is signed in, and until when by ``SimulatedTime/passedMilliseconds``; nil: nobody.
    var signedIn: String?
    var signedInUntil: Int64 = 0

    init(_ world: World, _ till: TillNode) {
        (self.world, self.till) = (world, till)
        draw = SplitMix64(seed: world.schedule.seed &* 31 &+ UInt64(till.number) &* 0x1234_5678_9ABC_DEF1)
        cardDraw = SplitMix64(seed: world.schedule.seed &* 37 &+ UInt64(till.number))
    }

    private enum Act {
        case sell, sellTwice, sellToMember, park, resume, void, refund, refundGone, cash, quote, look, sync,
            nextShift
    }

    private static let acts: [(Act, UInt64)] = [
        (.sell, 60), (.sellTwice, 6), (.park, 5), (.resume, 5), (.void, 5), (.refund, 9), (.refundGone, 2),
        (.cash, 4), (.quote, 4), (.look, 3), (.sync, 2), (.nextShift, 2),
    ]
    /// The same where there are members.
    private static let actsWithMembers = acts + [(.sellToMember, 30)]

    /// Works until `closing`, in milliseconds of the world: opens a shift, serves customers, closes it.
    func work(until closing: Int64) async {
        await signIn()
        await openShift()
        while Trace.now < closing {
            await pause(5 + Int64(draw.below(UInt64(world.schedule.pause))))
            guard Trace.now < closing, !world.isOver else { break }
            await serve()
        }
        await closeShift()
        await signOut()
    }

    func pause(_ seconds: Int64) async {
        try? await till.time.sleep(until: till.time.now() + .seconds(seconds))
    }

    private func serve() async {
        let acts = world.schedule.members == nil ? Self.acts : Self.actsWithMembers
        var place = draw.below(acts.reduce(0) { $0 + $1.1 })
        var chosen = Act.sell
        for (act, weight) in acts {
            if place < weight {
                chosen = act
                break
            }
            place -= weight
        }
        switch chosen {
        case .sell where paysByCard(): await sellByCard(basket())
        case .sell: await sell(basket(), again: false)
        case .sellTwice: await sell(basket(), again: true)
        case .sellToMember: await sellToMember()
        case .park: await park()
        case .resume: await resume()
        case .void: await void()
        case .refund: await refund()
        case .refundGone: await refundGone()
        case .cash: await moveCash()
        case .quote: await quote()
        case .look: break
        // Nobody waits for it; what it sends keeps the waits that the hub has set.
        case .sync: Task { [till] in _ = await till.call(SyncNowCall(), isLong: true) }
        case .nextShift:
            guard !till.isRolledBack else { break }
            await closeShift()
            await signIn()
            await openShift()
        }
        await world.checks.look(at: till)
    }

    func key() -> String {
        ULID(milliseconds: UInt64(till.time.base.wallMilliseconds()), using: &draw).description
    }

    typealias Basket = [(article: Book.Article, quantityMilli: Int64)]

    func basket() -> Basket {
        (0...Int(draw.below(5))).map { _ in
            let article = Book.articles[Int(draw.below(UInt64(Book.articles.count)))]
            return (
                article, article.isWeighed ? 1 + Int64(draw.below(3_000)) : 1000 * (1 + Int64(draw.below(4)))
            )
        }
    }

    /// - Parameter tender: what pays all of it; nil: cash.
    func call(_ basket: Basket, key: String?, paidBy tender: String? = nil) -> SellCall {
        var call = SellCall(
            key: key,
            lines: basket.map { .init(barcode: $0.article.barcode, quantityMilli: $0.quantityMilli) },
            isClockConfirmed: true)
        if let tender { call.payments = [.init(method: tender)] }
        return call
    }

    /// What lines come to, each by a price that its article has had: a till has those of its last pull.
    func total(_ lines: [SoldLine], of basket: Basket, _ what: String) -> Int64 {
        guard lines.map(\.barcode) == basket.map(\.article.barcode),
            lines.map(\.quantityMilli) == basket.map(\.quantityMilli)
        else {
            world.fail("sums to the cent", "\(what) has other lines than its basket")
            return 0
        }
        for line in lines where !world.book.hasHad(line.unitPrice, line.barcode) {
            world.fail("sums to the cent", "\(what) sells \(line.sku) for \(line.unitPrice)")
        }
        return lines.reduce(0) { $0 + Book.amount($1.unitPrice, $1.quantityMilli) }
    }

    /// Sends a call until the till is there and responds: who has a key repeats it.
    func insist<Call: AgentCall>(_ call: Call) async -> TillNode.Outcome<Call.Response>? {
        for _ in 0..<2_000 {
            let outcome = await till.call(call)
            switch outcome {
            case .unknown: break
            // Nobody goes on with a till that cannot record anything, and nothing may have happened.
            case .refused(let code) where !till.hasDisk: world.countDisk(at: till, code)
            case .refused(let code) where await signsInAgain(after: code): continue
            case .done, .refused: return outcome
            }
            await pause(10)
        }
        world.fail("a till comes back", "\(till.name) does not respond any more")
        return nil
    }

    // MARK: Sales

    /// - Parameter cart: the parked cart that is sold; nil: none.
    func sell(_ basket: Basket, again: Bool, cart: String? = nil) async {
        let key = cart ?? key()
        let call = call(basket, key: key)
        let (view, changes) = (till.view, till.view?.changes)
        guard let outcome = await insist(call) else { return }
        guard case .done(let response) = outcome else {
            if case .refused(let code) = outcome { world.checks.refused("a sale", code, at: till) }
            return
        }
        note(response.sale, of: basket, call)
        if let status = view?.before, view === till.view, view?.changes == changes,
            status.mode.rawValue != response.sale.mode.rawValue
        {
            world.fail(
                "status and sale agree",
                "\(till.name) is \(status.mode): \(response.sale.orderNumber) \(response.sale.mode)")
        }
        guard again, let repeated = await insist(call) else { return }
        guard case .done(let second) = repeated else {
            return world.fail("one order for each key", "\(key) again is no sale: \(repeated)")
        }
        if second.sale.orderId != response.sale.orderId
            || second.sale.orderNumber != response.sale.orderNumber
        {
            world.fail(
                "one order for each key",
                "\(key) is \(response.sale.orderNumber) and \(second.sale.orderNumber)")
        }
    }

    func note(_ sale: SaleRecord, of basket: Basket, _ call: SellCall) {
        let total = expectedTotal(sale, of: basket, call)
        if sale.total.amount != total {
            world.fail("sums to the cent", "\(sale.orderNumber) came to \(sale.total.amount), not \(total)")
        }
        world.sales += 1
        PowerCutImages.current?.sells("till-\(till.number)")
        world.book.add(
            Book.Sold(
                till: till.number, key: sale.key, at: Trace.now, orderId: sale.orderId,
                number: sale.orderNumber, person: signedIn, total: total,
                card: sale.paid.first { $0.kind == "card" }?.approvalCode,
                lines: sale.lines.map {
                    .init(barcode: $0.barcode, quantityMilli: $0.quantityMilli, total: $0.total)
                }))
        noteMember(sale, call)
        if let cash = drawer, !sale.paid.contains(where: { $0.kind == "card" }) { drawer = cash + total }
        world.trace.note(till.name, "sold \(sale.orderNumber) \(total) \(sale.mode.rawValue)")
    }

    private func quote() async {
        let basket = basket()
        guard case .done(let quote)? = await insist(QuoteCall(call(basket, key: nil))) else { return }
        let total = total(quote.lines, of: basket, "a quote")
        if quote.total.amount != total {
            world.fail("sums to the cent", "a quote of \(quote.total.amount), not \(total)")
        }
    }

    private func park() async {
        if case .done(let cart) = await till.call(ParkCartCall(name: nil, basket: call(basket(), key: nil))) {
            parked.append(cart.cartId)
        }
    }

    private func resume() async {
        guard !parked.isEmpty else { return }
        let id = parked.removeFirst()
        guard case .done(let cart)? = await insist(CartCall(id: id, .resume)) else { return }
        let lines: Basket = cart.lines.compactMap { line in
            Book.articles.first { $0.barcode == line.barcode }.map { ($0, line.quantityMilli) }
        }
        await sell(lines, again: false, cart: id)
    }

    // MARK: What comes back

    /// One of the last sales of this till.
    private func candidate() -> Book.Sold? {
        let own = world.book.sold.filter { $0.till == till.number && !$0.isVoid && !$0.isLostAtTill }
            .suffix(8)
        return own.isEmpty ? nil : own[own.startIndex + Int(draw.below(UInt64(own.count)))]
    }

    private func void() async {
        guard let sale = candidate(), sale.refunds.isEmpty else { return }
        let call = VoidOrderCall(id: sale.orderId, reason: "wrong", person: AgentPerson())
        guard let outcome = await insist(call) else { return }
        if case .refused(let code) = outcome { world.trace.note(till.name, "void refused \(code)") }
        // A void that was done before a kill is refused when it is repeated: the order says what holds.
        guard case .done(let shown)? = await insist(ShowOrderCall(id: sale.orderId)) else { return }
        guard shown.order.voidedAt != nil, world.book[sale.key]?.isVoid == false else { return }
        world.book.void(sale.key)
        world.members.void(sale.key)
        if let cash = drawer, sale.card == nil { drawer = cash - sale.total }
        world.trace.note(till.name, "void \(sale.number)")
    }

    private func refund() async {
        // What comes back of a sale with points moves some of them too, which the book does not work out.
        guard let sale = candidate(), sale.total > sale.refunded, !world.members.has(sale.key) else { return }
        let key = key()
        // All that is left, or a part of one article.
        var parts = sale.lines.map(\.leftMilli)
        var lines: [RefundOrderCall.Line] = []
        if draw.below(2) == 0, let place = parts.indices.filter({ parts[$0] > 0 }).first,
            sale.lines.filter({ $0.barcode == sale.lines[place].barcode }).count == 1
        {
            let isWeighed = parts[place] % 1000 != 0
            let part = isWeighed ? 1 + Int64(draw.below(UInt64(parts[place]))) : 1000
            lines = [.init(article: sale.lines[place].barcode, quantityMilli: part)]
            parts = parts.indices.map { $0 == place ? part : 0 }
        }
        let due = zip(sale.lines, parts).reduce(0) { $0 + $1.0.worth(of: $1.1) }
        let call = refund(of: sale, lines, key)
        guard let outcome = await insist(call) else { return }
        switch outcome {
        case .refused(let code): world.trace.note(till.name, "refund refused \(code)")
        case .unknown: break
        case .done(let response):
            let amount = response.refund.total.amount
            if amount != due {
                world.fail("sums to the cent", "\(sale.number): \(amount) came back, not \(due)")
            }
            world.book.refund(sale.key, parts, amount, by: key)
            if draw.below(3) == 0 { await repeatRefund(call, response.refund) }
            if let cash = drawer, sale.card == nil { drawer = cash - amount }
            world.trace.note(till.name, "refund \(sale.number) \(amount)")
        }
    }

    private func refund(of sale: Book.Sold, _ lines: [RefundOrderCall.Line], _ key: String) -> RefundOrderCall
    {
        RefundOrderCall(
            of: .order(sale.orderId), lines: lines, reason: "broken", key: key, person: AgentPerson(),
            files: AttachedFiles(paths: []))
    }

    /// The same key again is the same refund.
    private func repeatRefund(_ call: RefundOrderCall, _ first: RefundRecord) async {
        guard let outcome = await insist(call) else { return }
        guard case .done(let again) = outcome, again.refund.refundId == first.refundId else {
            return world.fail("one refund for each key", "\(first.refundId) again is not the same")
        }
    }

    /// Nothing comes back of a sale of which nothing is left.
    private func refundGone() async {
        let gone = world.book.sold.last { sale in
            sale.till == till.number && !sale.isVoid && !sale.isLostAtTill
                && sale.lines.allSatisfy { $0.leftMilli == 0 }
        }
        guard let gone, case .done(let response)? = await insist(refund(of: gone, [], key())) else { return }
        world.fail(
            "a refund is never above its sale", "\(gone.number): \(response.refund.total.amount) more")
    }

    // MARK: The drawer

    private func openShift() async {
        switch await insist(OpenShiftCall(float: 20_000, person: AgentPerson())) {
        case .done?: drawer = 20_000
        // Opened by an attempt before, whose response was lost.
        case .refused("shift_open_already")?:
            if drawer == nil, !till.isRolledBack { drawer = 20_000 }
        case .refused(let code)?: world.checks.refused("a shift", code, at: till)
        case .unknown?, nil: break
        }
    }

    private func moveCash() async {
        guard let cash = drawer else { return }
        let kind: CashMove.Kind = draw.below(2) == 0 ? .in : .out
        let amount = min(Int64(100 + draw.below(5_000)), kind == .out ? max(1, cash) : .max)
        var call = MoveCashCall(kind, amount: amount, reason: "change", key: key(), person: AgentPerson())
        call.isConfirmed = true
        guard case .done? = await insist(call) else { return }
        drawer = kind == .in ? cash + amount : cash - amount
    }

    private func closeShift() async {
        guard let cash = drawer, !till.isRolledBack else { return }
        var call = CloseShiftCall(counted: cash, person: AgentPerson())
        call.isConfirmed = true
        switch await insist(call) {
        case .done(let shift)?:
            if let expected = shift.expectedCash, expected != cash {
                world.fail(
                    "sums to the cent", "\(till.name) closes with \(expected) expected and \(cash) counted")
            }
            drawer = nil
        case .refused("no_shift")?: drawer = nil
        case .refused(let code)?: world.checks.refused("a closing", code, at: till)
        case .unknown?, nil: break
        }
    }
}
