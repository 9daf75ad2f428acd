import AgentAPI
import Base
import HubProtocol
import LinuxRuntime
import MachineRuntime
import OfflineCore

/// Who works at a till: a script with weights, and a memory of what the till promised.
@MainActor
final class Cashier {
    private let world: World
    private let till: TillNode
    private var draw: SplitMix64
    /// Cash that has to be in the drawer; nil while no shift is open.
    private var drawer: Int64?
    private var parked: [String] = []

    init(_ world: World, _ till: TillNode) {
        (self.world, self.till) = (world, till)
        draw = SplitMix64(seed: world.schedule.seed &* 31 &+ UInt64(till.number) &* 0x1234_5678_9ABC_DEF1)
    }

    private enum Act { case sell, sellTwice, park, resume, void, refund, cash, quote, look }

    private static let acts: [(Act, UInt64)] = [
        (.sell, 60), (.sellTwice, 6), (.park, 5), (.resume, 5), (.void, 5), (.refund, 7), (.cash, 3),
        (.quote, 4), (.look, 5),
    ]

    /// Works until `closing`, in milliseconds of the world: opens a shift, serves customers, closes it.
    func work(until closing: Int64) async {
        await openShift()
        while Trace.now < closing {
            await pause(5 + Int64(draw.below(UInt64(world.schedule.pause))))
            guard Trace.now < closing, !world.isOver else { break }
            await serve()
        }
        await closeShift()
    }

    private func pause(_ seconds: Int64) async {
        try? await till.time.sleep(until: till.time.now() + .seconds(seconds))
    }

    private func serve() async {
        var place = draw.below(Self.acts.reduce(0) { $0 + $1.1 })
        var chosen = Act.sell
        for (act, weight) in Self.acts {
            if place < weight {
                chosen = act
                break
            }
            place -= weight
        }
        switch chosen {
        case .sell: await sell(basket(), again: false)
        case .sellTwice: await sell(basket(), again: true)
        case .park: await park()
        case .resume: await resume()
        case .void: await void()
        case .refund: await refund()
        case .cash: await moveCash()
        case .quote: await quote()
        case .look: break
        }
        await world.checks.look(at: till)
    }

    private func key() -> String {
        ULID(milliseconds: UInt64(till.time.base.wallMilliseconds()), using: &draw).description
    }

    private typealias Basket = [(article: Book.Article, quantityMilli: Int64)]

    private func basket() -> Basket {
        (0...Int(draw.below(5))).map { _ in
            let article = Book.articles[Int(draw.below(UInt64(Book.articles.count)))]
            return (article, 1000 * (1 + Int64(draw.below(4))))
        }
    }

    private func call(_ basket: Basket, key: String?) -> SellCall {
        SellCall(
            key: key,
            lines: basket.map { .init(barcode: $0.article.barcode, quantityMilli: $0.quantityMilli) },
            isClockConfirmed: true)
    }

    private static func total(_ basket: Basket) -> Int64 {
        basket.reduce(0) { $0 + Book.amount($1.article.price, $1.quantityMilli) }
    }

    /// Sends a call until the till is there and responds: who has a key repeats it.
    private func insist<Call: AgentCall>(_ call: Call) async -> TillNode.Outcome<Call.Response>? {
        for _ in 0..<2_000 {
            let outcome = await till.call(call)
            guard case .unknown = outcome else { return outcome }
            await pause(10)
        }
        world.fail("a till comes back", "\(till.name) does not respond any more")
        return nil
    }

    // MARK: Sales

    private func sell(_ basket: Basket, again: Bool) async {
        let key = key()
        let call = call(basket, key: key)
        guard let outcome = await insist(call) else { return }
        guard case .done(let response) = outcome else {
            if case .refused(let code) = outcome { world.checks.refused("a sale", code, at: till) }
            return
        }
        note(response.sale, of: basket)
        guard again, case .done(let second)? = await insist(call) else { return }
        if second.sale.orderId != response.sale.orderId
            || second.sale.orderNumber != response.sale.orderNumber
        {
            world.fail(
                "one order for each key",
                "\(key) is \(response.sale.orderNumber) and \(second.sale.orderNumber)")
        }
    }

    private func note(_ sale: SaleRecord, of basket: Basket) {
        let total = Self.total(basket)
        if sale.total.amount != total {
            world.fail("sums to the cent", "\(sale.orderNumber) came to \(sale.total.amount), not \(total)")
        }
        world.sales += 1
        world.book.add(
            Book.Sold(
                till: till.number, key: sale.key, orderId: sale.orderId, number: sale.orderNumber,
                total: total))
        if let cash = drawer { drawer = cash + total }
        world.trace.note(till.name, "sold \(sale.orderNumber) \(total) \(sale.mode.rawValue)")
    }

    private func quote() async {
        let basket = basket()
        guard case .done(let quote)? = await insist(QuoteCall(call(basket, key: nil))) else { return }
        if quote.total.amount != Self.total(basket) {
            world.fail("sums to the cent", "a quote of \(quote.total.amount), not \(Self.total(basket))")
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
        await sell(lines, again: false)
    }

    // MARK: What comes back

    /// One of the last sales of this till.
    private func candidate() -> Book.Sold? {
        let own = world.book.sold.filter { $0.till == till.number && !$0.isVoid }.suffix(8)
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
        if let cash = drawer { drawer = cash - sale.total }
        world.trace.note(till.name, "void \(sale.number)")
    }

    private func refund() async {
        guard let sale = candidate(), sale.total > sale.refunded else { return }
        let key = key()
        let call = RefundOrderCall(
            of: .order(sale.orderId), lines: [], reason: "broken", key: key, person: AgentPerson(),
            files: AttachedFiles(paths: []))
        guard let outcome = await insist(call) else { return }
        switch outcome {
        case .refused(let code): world.trace.note(till.name, "refund refused \(code)")
        case .unknown: break
        case .done(let response):
            let amount = response.refund.total.amount
            if amount != sale.total - sale.refunded {
                world.fail(
                    "sums to the cent", "\(sale.number): \(amount) came back of \(sale.total - sale.refunded)"
                )
            }
            world.book.refund(sale.key, amount, by: key)
            if let cash = drawer { drawer = cash - amount }
            world.trace.note(till.name, "refund \(sale.number) \(amount)")
        }
    }

    // MARK: The drawer

    private func openShift() async {
        switch await insist(OpenShiftCall(float: 20_000, person: AgentPerson())) {
        case .done?: drawer = 20_000
        case .refused("shift_open")?: break
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
        guard let cash = drawer else { return }
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
