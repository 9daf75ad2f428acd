import Foundation
import HubProtocol
import TestKit
import Testing

/// The shop's network breaks in each way in turn, on one switch with real cables.
@Suite(
    "The network between tills breaks", .onStage,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct BrokenNetworkTests {
    /// A till at its cable, and what it has sold.
    private final class Till {
        let place: SwitchedShop.Place
        let till: SeeingTill
        let id: String
        var sold: Int64 = 0
        var total: Int64 = 0

        init(_ switched: SwitchedShop) throws {
            (place, till) = try switched.till()
            id = try #require(try till.document("status")["terminalId"]?.string)
        }

        /// Sells one piece; nothing that happens to the network may hold it up.
        func sell() throws {
            let sale = try till.document("sell", "--line", Article.assortment[0].barcode)
            let milliseconds = sale.elapsedMilliseconds
            #expect(milliseconds < 1_000)
            sold += 1
            total += Article.assortment[0].price
        }

        func pending() throws -> Int64 { try till.document("status").pending ?? 0 }

        func keeps(_ other: Till, _ count: Int64, within seconds: Double = 60) throws {
            try till.sees("\(count) entries of till \(other.place.number)", within: seconds) {
                $0.neighbour(other.id)?["weKeep"]?.integer == count
            }
        }

        func sees(_ states: [String], of others: [Till], within seconds: Double = 60) throws {
            try till.sees("\(states) from till \(place.number)", within: seconds) { picture in
                others.map { picture.neighbour($0.id)?["state"]?.string ?? "" } == states
            }
        }
    }

    /// A sale waits for the hub no longer than a tenth of a second, also for one that has just gone.
    private static let impatient = ["POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "100"]

    @Test("Isolated, apart, one way lost, without power: every sale is made at once, and at the hub once")
    func each() throws {
        let switched = try SwitchedShop(settings: .hurried.with(Self.impatient))
        try switched.open()
        let tills = try (0..<4).map { _ in try Till(switched) }
        let (one, two, three, four) = (tills[0], tills[1], tills[2], tills[3])
        for _ in 0..<2 { for till in tills { _ = try till.till.document("sync", "now") } }
        for till in tills { try till.till.sees("three others") { $0.neighbours("reachable") == 3 } }

        // An access point that isolates its clients: the hub is there, the others are not.
        try switched.setIsolated(true)
        let tried = try one.till.document("neighbours", "try", two.place.address)
        #expect(tried["failedAt"]?.string == "connect", "\(tried)")
        try one.sell()
        #expect(try one.pending() == 0)
        try switched.setIsolated(false)
        let again = try one.till.document("neighbours", "try", two.place.address)
        #expect(again["failedAt"] == nil, "\(again)")

        // The hub is away from here on. Two halves, which help each other inside.
        try switched.setHub(there: false)
        try switched.setApart([three.place, four.place])
        for till in tills { try till.sell() }
        try two.keeps(one, try one.pending())
        try four.keeps(three, try three.pending())
        try one.sees(["reachable", "silent", "silent"], of: [two, three, four])
        #expect(try three.till.document("neighbours").neighbour(one.id)?["weKeep"]?.integer == 0)
        try switched.setApart([])
        for till in tills { try till.till.sees("all again", within: 60) { $0.neighbours("reachable") == 3 } }
        // The two that come next in the circle have it, wherever it was copied before.
        try three.keeps(one, try one.pending())

        // What the first one sends to the second is lost; the others go on with both.
        try switched.setLost(from: one.place, to: two.place, true)
        try one.sell()
        try two.sell()
        let (first, second) = (try one.pending(), try two.pending())
        try three.keeps(one, first)
        try three.keeps(two, second)
        try four.keeps(two, second)
        #expect(try two.till.document("neighbours").neighbour(one.id)?["weKeep"]?.integer ?? 0 < first)
        try switched.setLost(from: one.place, to: two.place, false)
        try two.keeps(one, first)

        // Nobody has a carrier, and everybody sells; with the power everything is as before.
        try switched.setPower(false)
        for till in tills { try till.sell() }
        try one.till.sees("no place to listen at", within: 40) { $0["listening"]?.array == [] }
        try switched.setPower(true)
        for till in tills { try till.till.sees("all again", within: 90) { $0.neighbours("reachable") == 3 } }

        // One of them gets a stick, and hands in what it keeps; of the next in the circle it keeps nothing.
        try switched.plugStick(into: four.place)
        try arrived([two, three, four], in: switched.shop)
        try switched.setHub(there: true)
        try arrived(tills, in: switched.shop)
    }

    @Test("No copy goes over an interface that costs by volume, and a relay and its own copies still come")
    func metered() throws {
        let switched = try SwitchedShop(settings: .hurried.with(Self.impatient))
        try switched.open()
        let (place, metered) = try switched.till(with: ["POS_NETWORK_METERED_INTERFACES": "lan0"])
        let id = try #require(try metered.document("status")["terminalId"]?.string)
        let two = try Till(switched)
        for _ in 0..<2 { for till in [metered, two.till] { _ = try till.document("sync", "now") } }
        for till in [metered, two.till] { try till.sees("the other one") { $0.neighbours("reachable") == 1 } }
        try switched.setHub(there: false)
        _ = try metered.sell([0])
        try two.sell()
        // The other way round nothing costs: it keeps what the second one brings.
        try metered.sees("the second till's sale", within: 60) {
            $0.neighbour(two.id)?["weKeep"]?.integer == 1
        }
        #expect(try two.till.document("neighbours").neighbour(id)?["weKeep"]?.integer == 0)
        #expect(try metered.document("status")["outbox"]?["copied"]?.integer == 0)
        withExtendedLifetime(place) {}
    }

    /// Waits until the hub has each sale of the tills once.
    private func arrived(_ tills: [Till], in shop: ShopUnderTest) throws {
        try shop.eventually("everything has arrived", within: 90) {
            let audits = try shop.terminalAudits()
            return tills.allSatisfy { till in
                let audit = audits.first { $0["terminalId"]?.string == till.id }.map(HubAudit.init)
                return audit?.orders == till.sold && audit?.total == till.total && audit?.isComplete == true
            }
        }
    }
}
