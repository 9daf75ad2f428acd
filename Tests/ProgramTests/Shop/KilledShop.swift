import Base
import FaultRelay
import Foundation
import HubProtocol
import Synchronization
import TestKit
import Testing

/// A shop whose till and hub are killed by a seeded random plan, and whose payment gateway misbehaves.
struct KilledShop {
    private let cards: CardShop
    private let faults: ReferenceGateway.Rule
    private var sold = SalesWithResponse()
    private var random: SplitMix64
    private let seed: UInt64
    private var victims: [KillPlan.Victim: Int] = [:]
    private var cuts = 0

    init(seed: UInt64, store: String? = nil) throws {
        // A sale that meets a dead hub waits a moment, not for the whole wait budget of a cashier.
        let settings = ShopSettings.hurried.with([
            "POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "100", "POS_CHECKOUT_CARD_TIMEOUT_SECONDS": "2",
        ])
        cards = try CardShop(on: store, .relay, timeout: 1, settings: settings)
        cards.shop.killHub()
        faults = Self.faults(seed: seed)
        cards.gateway.behave(faults)
        random = SplitMix64(seed: seed)
        self.seed = seed
    }

    private var shop: ShopUnderTest { cards.shop }

    /// One request in five meets a fault, and one in twenty lets the hub wait until it gives up: twice as
    /// many would take a quarter of the run.
    private static func faults(seed: UInt64) -> ReferenceGateway.Rule {
        let random = Mutex(SplitMix64(seed: seed))
        return { _ in
            let (choice, bytes) = random.withLock { ($0.below(60), Int($0.below(200))) }
            return switch choice {
            case 0: .decideAndStall
            case 1: .lose
            case 2: .late
            case 3..<6: .cut(afterBytes: bytes)
            case 6..<9: .twice
            case 9..<12: .decline
            case _: nil
            }
        }
    }

    /// Runs so many rounds, checks now and then whether all is well, and at the end compares what was sold
    /// against what was received.
    ///
    /// - Returns: what was done, for the log.
    mutating func run(rounds: Int) throws -> String {
        let start = ContinuousClock.now
        for round in 1...rounds {
            try play(KillPlan(from: &random))
            if round % 50 == 0 { try settle("after round \(round) of the seed \(seed)") }
        }
        let orders = try settle("at the end of the seed \(seed)")
        let seconds = Int((ContinuousClock.now - start).seconds)
        let (till, hub, both) = (victims[.till] ?? 0, victims[.hub] ?? 0, victims[.both] ?? 0)
        return
            "seed \(seed): \(rounds) kills (till \(till), hub \(hub), both \(both)), responses cut in \(cuts) "
            + "rounds, \(orders) sold, \(orders) received, chain intact, "
            + "\(cards.gateway.book.accounts.count) cards as the gateway has them, \(seconds) s"
    }

    private mutating func play(_ plan: KillPlan) throws {
        try startPrograms(tillFirst: plan.tillIsBackFirst)
        if plan.isByCard { try cards.waitForCards() }
        let sales = try shop.openSales()
        try sold.sendAgain(sales)
        if plan.pilesUp {
            _ = try shop.query("POST", "/v1/manual", body: ["on": true])
            try sold.send(plan.sales, to: sales)
            while !sold.open.isEmpty, sold.note(from: sales, within: 10) {}
        }
        if let bytes = plan.cutAfterBytes {
            cuts += 1
            shop.relay?.setMode(.cutResponseAfter(bytes: bytes))
        }
        if plan.pilesUp {
            _ = try shop.query("POST", "/v1/manual", body: ["on": false])
        } else {
            var draws = random
            try sold.send(plan.sales, to: sales) { plan.isByCard && draws.below(2) == 0 }
            random = draws
        }
        let end = ContinuousClock.now + .milliseconds(plan.milliseconds)
        while ContinuousClock.now < end { sold.note(from: sales, within: 0.002) }
        kill(plan.victim)
        shop.relay?.setMode(.open)
        sales.program.closeInput()
        while sold.note(from: sales, within: 10) {}
        let code = sales.program.exitCode(within: 20)
        #expect(code == (sold.open.isEmpty ? 0 : 75), "the seed \(seed)")
    }

    private mutating func kill(_ victim: KillPlan.Victim) {
        victims[victim, default: 0] += 1
        if victim.hitsHub { shop.killHub() }
        if victim.hitsTill { shop.killAgent() }
    }

    private func startPrograms(tillFirst: Bool) throws {
        if tillFirst, shop.agent == nil { try shop.startAgent() }
        if shop.hub == nil { try shop.startHub() }
        if shop.agent == nil { try shop.startAgent() }
    }

    /// Lets everything drain.
    @discardableResult
    private mutating func settle(_ when: Comment) throws -> Int {
        try startPrograms(tillFirst: false)
        let sales = try shop.openSales()
        cards.gateway.behave(nil)
        // By card, again by card where that has no outcome yet, else in cash.
        for _ in 0..<3 where !sold.isComplete { try sold.sendAgain(sales) }
        #expect(sold.isComplete, when)
        #expect(sales.close() == 0)
        try cards.settle(when)
        cards.gateway.behave(faults)
        return try sold.check(shop, when)
    }
}
