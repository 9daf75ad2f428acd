import Foundation
import HubProtocol
import TestKit
import Testing

/// The end of a bad day: the hub is away, a till burns, and another one finds a way out.
@Suite(
    "A till that burns", .onStage,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct BurntTillTests {
    /// A till of the shop at its own cable.
    private struct Till {
        let place: SwitchedShop.Place
        let till: SeeingTill
        let id: String

        init(_ shop: SwitchedShop, of store: String = "S1") throws {
            (place, till) = try shop.till(of: store)
            id = try #require(try till.document("status")["terminalId"]?.string)
        }

        func sell(_ articles: [Int]) throws -> Int64 { try till.sell(articles) }
    }

    /// What the hub has of a till.
    private struct Sold: Equatable {
        let orders: Int64?
        let total: Int64?
    }

    /// By the ids of the tills.
    private func sold(in shop: ShopUnderTest) throws -> [String: Sold] {
        var found: [String: Sold] = [:]
        for terminal in try shop.terminalAudits() {
            let audit = HubAudit(terminal)
            found[terminal["terminalId"]?.string ?? ""] = Sold(orders: audit.orders, total: audit.total)
        }
        return found
    }

    private func kept(_ picture: JSONValue, of id: String) -> Int64 {
        picture.neighbour(id)?["weKeep"]?.integer ?? 0
    }

    @Test(
        "What tills sold without the hub arrives once by the one with a stick, whatever a hostile one does",
        arguments: HubStoreKind.all)
    func burnt(_ kind: HubStoreKind) throws {
        let switched = try SwitchedShop(kind)
        let shop = switched.shop
        try switched.open(stores: ["S1", "S2"])
        let tills = try (0..<3).map { _ in try Till(switched) }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        let foreign = try Till(switched, of: "S2")
        let hostilePlace = try switched.place()
        var hostile = HostileNeighbour(
            try PlayedTill(shop, at: switched.atHub), among: tills.map(\.id), seed: 41,
            from: hostilePlace.namespace)
        let liar = try NeighbourListener(
            hostilePlace.address + ":7710", in: hostilePlace.namespace, hostile.liar())
        try switched.report(hostile.till, at: hostilePlace.address)
        for _ in 0..<2 { for till in tills + [foreign] { _ = try till.till.document("sync", "now") } }
        for till in tills {
            try till.till.sees("all other tills", within: 40) { picture in
                picture.neighbours("reachable") == 3
            }
        }
        let shift = try one.till.document("shift", "open", "--float", "20000")
        let shiftId = try #require(shift["shiftId"]?.string)
        _ = try one.till.document("sync", "now")

        // The hub is away for all, and all sell.
        try switched.setHub(there: false)
        var first = try one.sell([0, 1, 4])
        let copy = shop.folder.path("copy")
        one.till.kill()
        try? FileManager.default.removeItem(atPath: one.till.home + "/agent.sock")
        try FileManager.default.copyItem(atPath: one.till.home, toPath: copy)
        try one.till.start()
        first += try one.sell([5, 6])
        _ = try one.till.document("shift", "close", "--counted", "\(20_000 + first)")
        let second = try two.sell([0, 0, 9])
        let third = try three.sell([1, 1])
        let elsewhere = try foreign.sell([2])
        let pending = try #require(try one.till.document("status")["outbox"]?["pending"]?.integer)
        #expect(pending >= 6)
        for _ in 0..<HostileNeighbour.kindCount {
            for till in tills + [foreign] { hostile.attack(till.place.address + ":7710") }
        }
        for keeper in [two, three] {
            try keeper.till.sees("the first till's entries", within: 60) { kept($0, of: one.id) >= pending }
        }
        try one.till.sees("the copies of its entries") { picture in
            [two.id, three.id].allSatisfy {
                picture.neighbour($0)?["keepsForUs"]?.integer ?? 0 >= pending
            }
        }
        #expect(try one.till.document("status")["outbox"]?["copied"]?.integer == pending)

        // The first till burns. The third one gets a stick.
        one.till.kill()
        try FileManager.default.removeItem(atPath: one.till.home)
        try switched.plugStick(into: three.place)
        var want = [
            one.id: Sold(orders: 5, total: first), two.id: Sold(orders: 3, total: second),
            three.id: Sold(orders: 2, total: third),
        ]
        try shop.eventually("everything of the store has arrived", within: 90) {
            let sold = try sold(in: shop)
            return tills.allSatisfy { sold[$0.id] == want[$0.id] }
        }
        try shop.eventually("the shift's statement", within: 40) {
            try shop.posHub("shifts", "show", shiftId)["state"] == "confirmed"
        }
        try three.till.sees("that nothing is kept any more", within: 40) {
            kept($0, of: one.id) == 0 && kept($0, of: two.id) == 0
        }
        for till in [two, three] { try till.till.sees("no harm") { $0.isUnharmed } }

        // The hub comes back for all, and an older copy of the first till's disk turns up.
        try switched.setHub(there: true)
        want[foreign.id] = Sold(orders: 1, total: elsewhere)
        try FileManager.default.moveItem(atPath: copy, toPath: one.till.home)
        try one.till.start()
        for till in [two, one, foreign] {
            try till.till.sees("its own outbox empty", within: 60) { _ in
                try till.till.document("status")["outbox"]?["pending"]?.integer == 0
            }
        }
        let arrived = try sold(in: shop)
        #expect((tills + [foreign]).allSatisfy { arrived[$0.id] == want[$0.id] }, "\(arrived)")
        // A till of another store has seen nobody, and keeps nothing.
        let picture = try foreign.till.document("neighbours")
        #expect(picture["neighbours"]?.array == [] && picture.isUnharmed)
        #expect(!FileManager.default.fileExists(atPath: foreign.till.home + "/kept"))
        // What the copy sells from then on is new.
        let more = try one.sell([0])
        try shop.eventually("the copy's own sale", within: 60) {
            try sold(in: shop)[one.id] == Sold(orders: 6, total: first + more)
        }
        liar.stop()
    }

    @Test(
        "A sale that burnt with its till before anybody had a copy is named, and its shift says what is known",
        arguments: HubStoreKind.all)
    func lost(_ kind: HubStoreKind) throws {
        let switched = try SwitchedShop(kind)
        let shop = switched.shop
        try switched.open()
        let tills = try (0..<3).map { _ in try Till(switched) }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        for _ in 0..<2 { for till in tills { _ = try till.till.document("sync", "now") } }
        for till in tills {
            try till.till.sees("all other tills", within: 40) { $0.neighbours("reachable") == 2 }
        }
        let shift = try one.till.document("shift", "open", "--float", "20000")
        let shiftId = try #require(shift["shiftId"]?.string)
        _ = try one.till.document("sync", "now")
        try switched.setHub(there: false)
        _ = try one.sell([0, 1])
        var (sales, isLost) = (Int64(2), false)
        for _ in 0..<5 where !isLost {
            if !one.till.isRunning { try one.till.start() }
            var pending = try #require(try one.till.document("status")["outbox"]?["pending"]?.integer)
            for keeper in [two, three] {
                try keeper.till.sees("the entries", within: 60) { kept($0, of: one.id) >= pending }
            }
            // The next sale is seen by the others within a second, and copied after five.
            _ = try one.sell([4])
            (sales, pending) = (sales + 1, pending + 1)
            try three.till.sees("the end of its journal") {
                $0.neighbour(one.id)?["pending"]?.integer == pending
            }
            one.till.kill()
            // What was on its way arrives.
            Thread.sleep(forTimeInterval: 0.5)
            isLost = try [two, three].allSatisfy {
                kept(try $0.till.document("neighbours"), of: one.id) == pending - 1
            }
        }
        try #require(isLost, "each last sale was copied before the till could be killed")
        try FileManager.default.removeItem(atPath: one.till.home)
        try switched.plugStick(into: three.place)
        func audit() throws -> JSONValue {
            let terminals = try shop.terminalAudits()
            return try #require(terminals.first { $0["terminalId"]?.string == one.id })
        }
        try shop.eventually("what the others keep, and what they have seen", within: 90) {
            let audit = try audit()
            return audit["gap"] == 1 && audit["orders"]?.integer == sales - 1
        }
        let found = try shop.posHub("shifts", "show", shiftId)
        #expect(found["state"] == "open" && found["lastHeard"]?.string != nil, "\(found)")
        #expect(found["missing"]?.array?.map(\.integer) == [try audit()["sold"]?.integer], "\(found)")
        #expect(found["soFar"]?["sales"]?["count"]?.integer == sales - 1, "\(found)")
    }
}
