import HubProtocol
import Base
import FaultRelay
import Foundation
import TestKit
import Testing

/// A shop whose till and hub are killed by a seeded random plan.
struct KilledShop {
    private let shop: ShopUnderTest
    private var sold = SalesWithResponse()
    private var random: SplitMix64
    private let seed: UInt64
    private var victims: [KillPlan.Victim: Int] = [:]
    private var cuts = 0

    init(seed: UInt64, store: String? = nil) throws {
        // A sale that meets a dead hub waits a moment, not for the whole wait budget of a cashier.
        let settings = ShopSettings.hurried.with(["POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "100"])
        shop = try ShopUnderTest(.relay, settings: settings, store: store)
        shop.killHub()
        random = SplitMix64(seed: seed)
        self.seed = seed
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
            + "rounds, \(orders) sold, \(orders) received, chain intact, \(seconds) s"
    }

    private mutating func play(_ plan: KillPlan) throws {
        try startPrograms(tillFirst: plan.tillIsBackFirst)
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
            try sold.send(plan.sales, to: sales)
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
        try sold.sendAgain(sales)
        #expect(sales.close() == 0)
        try shop.waitUntilDrained(within: 60)
        return try sold.check(shop, when)
    }
}
