import Agent
import AgentAPI
import Base
import Counter
import Foundation
import HubProtocol
import TestKit
import Testing

@testable import PosCLI

/// Windows of one till over a real agent with its database: random keys, windows that are killed, agents that
/// are started again.
@Suite("Carts of windows that come and go", .timeLimit(.minutes(5)))
struct CartsOfWindowsTests {
    @Test(
        "The cash in hand is always what the screens say, and nothing of one customer is seen with another",
        arguments: [2, 3, 4] as [UInt64])
    func property(_ seed: UInt64) async throws {
        var day = try await CartDay(seed: seed)
        do {
            for _ in 0..<200 {
                try await day.step()
                try await day.check()
            }
            try await day.close()
        } catch {
            await day.till.stop()
            throw error
        }
        await day.till.stop()
        #expect(
            day.sold > 0 && day.handedBack > 0 && day.kills > 0 && day.resumed > 0 && day.copied > 0
                && day.withCoupon > 0,
            "seed \(seed): \(day.figures)")
    }
}

/// A day at one till, with what the people there have in their hands.
private struct CartDay {
    let till: RestartableTill
    private var random: SeededRandom
    private var windows: [Window?] = [nil, nil]
    /// Cash of carts that are not sold, as the cashiers count it.
    private var inHand: Int64 = 0
    private var customers = 0
    private(set) var (sold, handedBack, kills, resumed) = (0, 0, 0, 0)
    /// Carts that a window took off another one's screen, and carts with a coupon that were looked at.
    private(set) var (copied, withCoupon) = (0, 0)

    var figures: String {
        "\(sold) sold, \(handedBack) handed back, \(kills) kills, \(resumed) resumed, \(customers) customers, "
            + "\(copied) copied, \(withCoupon) with a coupon"
    }

    private struct SeededRandom {
        var state: UInt64

        mutating func below(_ limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
    }

    private struct Window {
        var screen: CounterScreen
        let connection: FrontEndConnection
        let presence: Task<Void, Never>
        /// What was not sent yet: a kill loses it.
        var unsent: KeepCartCall?
    }

    init(seed: UInt64) async throws {
        random = SeededRandom(state: seed &* 977)
        till = try await RestartableTill()
        _ = try await till.send(SessionCall.signIn(cashierId: "ben", pin: "1234"))
    }

    // MARK: - Steps

    mutating func step() async throws {
        let place = Int(random.below(2))
        guard windows[place] != nil else { return try await openWindow(place) }
        switch random.below(40) {
        case 0, 1, 2: try await kill(place)
        case 3: try await restart()
        case 4: try await press(place, [.control("q"), .enter])
        default: try await press(place, keys(windows[place]?.screen))
        }
        if random.below(3) > 0 { try await send(place) }
        try await spreadNews()
    }

    /// What every window hears of the carts. One whose cart is another's now sends what it has, and is
    /// refused.
    private mutating func spreadNews() async throws {
        let carts = try await till.send(OpenCartsCall()).carts
        for place in windows.indices {
            guard let window = windows[place] else { continue }
            try await feed(place, .carts(carts))
            let mine = carts.first { $0.cartId == window.screen.cart.key }
            guard let mine, mine.frontEnd != window.connection.frontEnd else { continue }
            copied += 1
            try await send(place)
            #expect(windows[place]?.screen.cart.isEmpty == true, "two windows have one cart")
        }
    }

    /// What a cashier presses next. Each customer has a member and a quantity of their own.
    private mutating func keys(_ screen: CounterScreen?) -> [Key] {
        guard let screen else { return [] }
        switch screen.dialog {
        case .offer, .handBack: return [random.below(3) > 0 ? .enter : .escape]
        // The last one is another window's, where that has a cart.
        case .carts: return random.below(3) > 0 ? [.end, .enter] : [.escape]
        case .tender:
            switch random.below(6) {
            case 0: return [.escape]
            case 1: return [.delete]
            case 2, 3: return typed("\(1 + random.below(5))") + [.enter]
            default: return [.enter]
            }
        case .some: return [random.below(2) == 0 ? .enter : .escape]
        case nil: break
        }
        if screen.cart.isEmpty {
            if random.below(3) == 0 { return [.function(8)] }
            customers += 1
        }
        switch screen.cart.isEmpty ? 0 : random.below(screen.cart.taken > 0 ? 13 : 10) {
        case 0, 1: return typed("\(tag(of: screen))*A\(random.below(3))") + [.enter]
        case 2: return [.function(6)] + typed("m-\(tag(of: screen))") + [.enter]
        case 3: return [.function(7)] + typed("C\(tag(of: screen) % 10)") + [.enter]
        case 4, 5: return [.function(10)]
        case 6: return [.function(8), .enter]
        default: return [.delete]
        }
    }

    /// The number of the customer whose cart is on the screen.
    private func tag(of screen: CounterScreen) -> Int64 {
        (screen.cart.lines.first?.quantityMilli ?? Int64(customers) * 1000) / 1000
    }

    private func typed(_ text: String) -> [Key] { text.unicodeScalars.map(Key.typed) }

    private mutating func openWindow(_ place: Int) async throws {
        let connection = FrontEndConnection(till, program: "window \(place)")
        let presence = Task { await CartNews.follow(connection) { _ in } }
        var screen = CounterScreen(language: .english, mintKey: SaleKey.mint)
        screen.frontEnd = connection.frontEnd
        windows[place] = Window(screen: screen, connection: connection, presence: presence)
        try await feed(place, .carts(try await connection.send(OpenCartsCall()).carts))
    }

    private mutating func kill(_ place: Int) async throws {
        guard let window = windows[place] else { return }
        kills += 1
        windows[place] = nil
        window.presence.cancel()
        await window.presence.value
        try await awaitLeft(window.connection.frontEnd)
    }

    private func awaitLeft(_ frontEnd: String) async throws {
        for _ in 0..<100_000 {
            let carts = try await till.send(OpenCartsCall()).carts
            if !carts.contains(where: { $0.frontEnd == frontEnd && $0.state == .open }) { return }
            await Task.yield()
        }
        throw TerminalError(
            .tryAgain, code: "not_left", text: { _ in "the cart of \(frontEnd) is still open" })
    }

    private mutating func restart() async throws {
        try await till.restart()
        for place in windows.indices where windows[place] != nil {
            try await feed(place, .agentReturned)
            try await send(place)
        }
    }

    private mutating func press(_ place: Int, _ keys: [Key]) async throws {
        for key in keys { try await feed(place, .key(key)) }
    }

    // MARK: - The window's driver

    private mutating func feed(_ place: Int, _ event: CounterEvent) async throws {
        guard var window = windows[place] else { return }
        let before = window.screen
        let effects = window.screen.handle(event)
        windows[place] = window
        count(before, window.screen)
        for effect in effects {
            switch effect {
            case .bell: break
            case .keepCart(let call): windows[place]?.unsent = call
            case .leave: try await leave(place)
            case .request(let id, let request):
                if request.endsKeeping { windows[place]?.unsent = nil }
                let response = await request.response(of: window.connection)
                try await feed(place, .response(id: id, response))
            }
        }
    }

    private mutating func send(_ place: Int) async throws {
        guard let window = windows[place], let call = window.unsent else { return }
        windows[place]?.unsent = nil
        do throws(TerminalError) {
            _ = try await window.connection.send(call)
        } catch {
            try await feed(place, .cartRefused(error.failure))
        }
    }

    private mutating func leave(_ place: Int) async throws {
        try await send(place)
        guard let window = windows[place] else { return }
        _ = try await window.connection.send(KeepCartCall(nil, revision: 0))
        window.presence.cancel()
        await window.presence.value
        windows[place] = nil
    }

    /// The cashier does with the cash what the screen shows.
    private mutating func count(_ before: CounterScreen, _ after: CounterScreen) {
        if before.cart.key == after.cart.key {
            let change = after.cart.money.inHand - before.cart.money.inHand
            if change < 0 { handedBack += 1 }
            inHand += change
            return
        }
        let had = before.cart.money.inHand
        let isSold = if case .paid = after.dialog { true } else { false }
        if isSold { sold += 1 }
        let says = after.message?.text ?? ""
        if before.cart.isEmpty {
            resumed += 1
        } else if isSold {
            inHand -= had
        } else if says.contains("Hand back") {
            handedBack += 1
            inHand -= had
        }
    }

    // MARK: - What has to hold

    mutating func check() async throws {
        let carts = try await till.send(OpenCartsCall()).carts
        let kept = carts.reduce(0) { $0 + $1.money.inHand }
        #expect(kept == inHand, "on disk \(kept), in hand \(inHand)")
        for window in windows.compactMap(\.self) {
            let cart = window.screen.cart
            let owners = Set(cart.lines.compactMap { $0.quantityMilli.map { $0 / 1000 } })
            #expect(owners.count <= 1, "lines of \(owners)")
            if let member = cart.member, let owner = owners.first {
                #expect(member == "m-\(owner)", "\(member) with the lines of \(owner)")
            }
            if let owner = owners.first, !cart.coupons.isEmpty {
                withCoupon += 1
                #expect(Set(cart.coupons) == ["C\(owner % 10)"], "\(cart.coupons) with the lines of \(owner)")
            }
            if cart.isEmpty { #expect(cart.member == nil && cart.coupons.isEmpty && cart.taken == 0) }
            if window.screen.dialog == nil {
                let text = window.screen.frame().text
                let others = (1...customers + 1).filter { Int64($0) != owners.first }
                #expect(!others.contains { text.contains("m-\($0) ") }, "\(text)")
            }
            guard cart.taken > 0 else { continue }
            #expect(window.screen.frame().text.contains("Taken ") || window.screen.dialog != nil)
            #expect(carts.first { $0.cartId == cart.key }?.money == cart.money)
        }
        let states = carts.filter { $0.state == .open }.compactMap(\.frontEnd)
        #expect(Set(states).count == states.count, "one screen has two carts")
    }

    /// Every cart is dropped with its money handed back; then nobody has cash of anybody.
    mutating func close() async throws {
        for place in windows.indices where windows[place] != nil {
            try await press(place, [.escape, .escape])
            try await leave(place)
        }
        for cart in try await till.send(OpenCartsCall()).carts {
            if cart.money.inHand > 0 {
                let refusal = await till.refusal(of: CartCall(id: cart.cartId, .drop(reason: "closing")))
                #expect(refusal == "cart_has_money")
            }
            _ = try await till.send(
                CartCall(id: cart.cartId, .drop(reason: "closing", isHandedBack: true)))
            inHand -= cart.money.inHand
        }
        #expect(inHand == 0)
        let orders = try await till.send(OrderListCall(limit: 500)).orders
        #expect(orders.count == sold)
        for order in orders {
            let paid = order.sale.paid.reduce(0) { $0 + $1.amount.amount }
            #expect(
                paid - order.sale.change.amount == order.sale.total.amount + order.sale.cashRounding.amount)
        }
    }
}
