import Foundation
import HubProtocol
import TestKit
import Testing

/// Neighbours that are there and do not do what tills do, and disks and clocks that are not as they were.
@Suite("Strange neighbours", .onStage)
struct StrangeNeighbourTests {
    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.posHub("store-config", "set", "--store-id", "S1", "neighbours.enabled=on")
        return shop
    }

    private func id(_ till: SeeingTill) throws -> String {
        try #require(try till.document("status")["terminalId"]?.string)
    }

    private func sync(_ tills: SeeingTill...) throws {
        for _ in 0..<2 { for till in tills { _ = try till.document("sync", "now") } }
    }

    @Test(
        "Sixteen that say nothing, one that is late and one that is full cost a sale and its copies nothing")
    func silent() throws {
        let shop = try shop()
        let silent = try (0..<16).map { _ in try SilentListener() }
        defer { silent.forEach { $0.stop() } }
        let places = try SeeingTill.freePlaces(2)
        // In the circle of numbers the late one and the full one come next behind the first till.
        let one = try SeeingTill(shop, "one", listening: places[0])
        one.kill()
        let (late, full) = (try PlayedTill(shop), try PlayedTill(shop))
        let ok = "HTTP/1.1 200 OK"
        func listener(_ till: PlayedTill, _ answer: @escaping @Sendable () -> String) throws
            -> NeighbourListener
        {
            try NeighbourListener(
                "127.0.0.1:0",
                till.responds { request in
                    guard request.path != NeighbourHello.path else {
                        return NeighbourWire.Message.bytes(ok, till.hello().json.canonicalBytes)
                    }
                    return NeighbourWire.Message.bytes(
                        ok, PieceReceipt(answer: answer()).json.canonicalBytes)
                })
        }
        let lateListener = try listener(late) {
            Thread.sleep(forTimeInterval: 11)
            return "kept"
        }
        let fullListener = try listener(full) { "full" }
        let two = try SeeingTill(shop, "two", listening: places[1])
        let three = try SeeingTill(shop, "three")
        let threeAt = try three.address()
        let nobody = silent.map { "127.0.0.1:\($0.port)" }
        let others = [lateListener, fullListener].map { "127.0.0.1:\($0.port)" } + [places[1], threeAt]
        try one.start(
            with: ["POS_NEIGHBOURS_ADDRESSES": (nobody + others).joined(separator: ",")])
        try sync(one, two, three)
        let (second, third) = (try id(two), try id(three))
        try one.sees("the four that respond", within: 30) { $0.neighbours("reachable") == 4 }
        shop.killHub()
        let sales = try (0..<3).map { try one.document("sell", "--line", Article.assortment[$0].barcode) }
        // The first one may wait for the hub, whose end it does not know of.
        let longest = sales.map(\.elapsedMilliseconds).dropFirst().max()
        #expect(longest ?? .infinity < 1_000)
        let pending = try #require(try one.document("status").pending)
        // The full one is passed over, so that one more has them; the late one holds up nobody.
        try one.sees("copies at those that keep", within: 60) { picture in
            [second, third].contains { picture.neighbour($0)?["keepsForUs"]?.integer == pending }
        }
        #expect(try one.document("status")["outbox"]?["copied"]?.integer == pending)
        #expect(try one.document("neighbours").neighbours("reachable") == 4)
        for listener in [lateListener, fullListener] { listener.stop() }
    }

    @Test(
        "A keeper that loses its disk gets everything again, one whose clock is a day off keeps like any, and one may die",
        .enabled(if: ShiftedClock.compiler != nil, "no C compiler is here"))
    func disksAndClocks() throws {
        let shop = try shop()
        let clock = try ShiftedClock(in: shop.folder)
        let places = try SeeingTill.freePlaces(3)
        let tills = try places.enumerated().map { index, place in
            try SeeingTill(shop, "till\(index + 1)", greeting: places, listening: place)
        }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        let ids = try tills.map(id)
        try sync(one, two, three)
        try one.sees("both others", within: 40) { $0.neighbours("reachable") == 2 }
        shop.killHub()
        three.kill()
        try three.start(with: clock.settings(shiftedBy: 86_400))
        _ = try one.sell([0, 1])
        let pending = try #require(try one.document("status").pending)
        func keeps(_ till: SeeingTill) throws {
            try till.sees("the first till's entries", within: 60) {
                $0.neighbour(ids[0])?["weKeep"]?.integer == pending
            }
        }
        for keeper in [two, three] { try keeps(keeper) }
        let picture = try one.sees("both keepers") { picture in
            ids.dropFirst().allSatisfy { picture.neighbour($0)?["keepsForUs"]?.integer == pending }
        }
        #expect((picture.neighbour(ids[2])?["clockOffMs"]?.integer ?? 0) > 86_000_000)
        let checks = try one.document("doctor")["checks"]?.array ?? []
        #expect(checks.contains { $0["name"] == "other tills' clocks" && $0["ok"]?.bool == false })

        // The second one comes back without what it kept.
        two.kill()
        try FileManager.default.removeItem(atPath: two.home + "/kept")
        try two.start()
        try keeps(two)
        // The first one burns, and then a keeper: one copy is enough.
        one.kill()
        three.kill()
        for home in [one.home, three.home] { try FileManager.default.removeItem(atPath: home) }
        try shop.startHub()
        // It wanted to be relayed when it was heard last, and the second one has heard that.
        try shop.eventually("the first till's sales", within: 60) {
            let audits = try shop.terminalAudits()
            let audit = audits.first { $0["terminalId"]?.string == ids[0] }.map(HubAudit.init)
            return audit?.orders == 2 && audit?.isComplete == true
        }
    }

    @Test(
        "Six that start at once are connected within seconds, and one that is revoked is not heard any more")
    func manyAtOnce() throws {
        let shop = try shop()
        let places = try SeeingTill.freePlaces(6)
        let tills = try places.enumerated().map { index, place in
            try SeeingTill(shop, "till\(index + 1)", greeting: places, listening: place)
        }
        let revoked = try PlayedTill(shop)
        for till in tills {
            _ = try till.document("sync", "now")
            till.kill()
        }
        let start = ContinuousClock.now
        for till in tills { try till.start() }
        for till in tills { try till.sees("five others", within: 30) { $0.neighbours("reachable") == 5 } }
        // From the first start on; each start of a debug build takes a good part of a second.
        #expect((ContinuousClock.now - start).seconds < 15)

        let wire = try NeighbourWire(to: places[0], as: revoked.identity)
        let hello = revoked.hello().json.canonicalBytes
        #expect(try wire.exchange(NeighbourHello.path, hello).status == 200)
        try shop.posHub("terminals", "revoke", revoked.id)
        _ = try tills[0].document("sync", "now")
        // The till ends it by itself.
        #expect(throws: NeighbourWire.Failure.self) { try wire.next() }
        #expect(throws: NeighbourWire.Failure.self) {
            try NeighbourWire(to: places[0], as: revoked.identity).exchange(NeighbourHello.path, hello)
        }
        #expect(try tills[0].document("neighbours").neighbour(revoked.id) == nil)
    }

    @Test("A till is replaced while its sales lie at another one: the new one has its place, and all arrive")
    func replaced() throws {
        let shop = try shop()
        let places = try SeeingTill.freePlaces(2)
        let one = try SeeingTill(shop, "one", greeting: places, listening: places[0])
        let two = try SeeingTill(shop, "two", greeting: places, listening: places[1])
        try sync(one, two)
        let dead = try id(one)
        try two.sees("the first till") { $0.neighbour(dead)?["state"] == "reachable" }
        shop.killHub()
        let sold = try one.sell([0, 1])
        try two.sees("its sales", within: 60) { $0.neighbour(dead)?["weKeep"]?.integer == 2 }
        one.kill()
        try FileManager.default.removeItem(atPath: one.home)
        try shop.startHub()
        let new = try SeeingTill(shop, "new", greeting: places, listening: places[0])
        let successor = try id(new)
        let since = try new.sell([2])
        func audit(_ id: String) throws -> HubAudit? {
            try shop.terminalAudits().first { $0["terminalId"]?.string == id }.map(HubAudit.init)
        }
        try shop.eventually("the sales of both") {
            try audit(dead)?.total == sold && audit(successor)?.total == since
        }
        try shop.posHub("terminals", "revoke", dead)
        try sync(new, two)
        try two.sees("the new till alone", within: 40) {
            $0.neighbour(dead) == nil && $0.neighbour(successor)?["state"] == "reachable"
        }
        // What the new one sells without the hub lies at the same keeper, under its own name.
        shop.killHub()
        let later = try new.sell([0])
        try two.sees("its sale", within: 60) { $0.neighbour(successor)?["weKeep"]?.integer == 1 }
        try shop.startHub()
        try shop.eventually("all sales, once") { try audit(successor)?.total == since + later }
        for (id, orders) in [(dead, 2), (successor, 2)] {
            let audit = try audit(id)
            #expect(
                audit?.orders == Int64(orders) && audit?.isComplete == true, "\(String(describing: audit))")
        }
    }

    @Test("What a till sold before it ran from an old disk waits at the hub for a person, and loses nothing")
    func oldDisk() throws {
        let shop = try shop()
        let places = try SeeingTill.freePlaces(2)
        let one = try SeeingTill(shop, "one", greeting: places, listening: places[0])
        let two = try SeeingTill(shop, "two", greeting: places, listening: places[1])
        try sync(one, two)
        let id = try id(two)
        try one.sees("the second till") { $0.neighbour(id)?["state"] == "reachable" }
        shop.killHub()
        two.kill()
        let copy = shop.folder.path("copy")
        try? FileManager.default.removeItem(atPath: two.home + "/agent.sock")
        try FileManager.default.copyItem(atPath: two.home, toPath: copy)
        try two.start()
        let before = try two.sell([0, 0, 0])
        func keeps(_ count: Int64) throws {
            try one.sees("\(count) entries of the second till", within: 60) {
                $0.neighbour(id)?["weKeep"]?.integer == count
            }
        }
        try keeps(3)
        two.kill()
        try FileManager.default.removeItem(atPath: two.home)
        try FileManager.default.moveItem(atPath: copy, toPath: two.home)
        try two.start()
        // The same numbers for other sales: they are copied, too, and the first ones stay.
        let since = try two.sell([1, 1, 1, 1])
        try keeps(7)
        // The second till is at the hub first.
        one.kill()
        try shop.startHub()
        func audit() throws -> HubAudit? {
            try shop.terminalAudits().first { $0["terminalId"]?.string == id }.map(HubAudit.init)
        }
        try shop.eventually("what it sold since", within: 60) {
            _ = try two.document("sync", "now")
            return try audit()?.total == since
        }
        try one.start()
        try shop.eventually("what waits for a person", within: 60) {
            let relayed = try shop.posHub("terminals", "show", id)["relayed"]?.array ?? []
            return relayed.contains { $0["held"]?.string == "conflict" }
        }
        let accepted = try shop.posHub("terminals", "accept-relayed", id, "--reason", "an old disk")
        #expect(accepted["applied"]?.integer == 3, "\(accepted)")
        #expect(try audit()?.total == before + since && audit()?.orders == 7)
    }

    @Test("Of two tills with one disk one learns it without the hub, and every sale of both is there once")
    func clone() throws {
        let shop = try shop()
        let places = try SeeingTill.freePlaces(3)
        let one = try SeeingTill(shop, "one", greeting: places, listening: places[0])
        let two = try SeeingTill(shop, "two", greeting: places, listening: places[1])
        try sync(one, two)
        let cloned = try id(two)
        try one.sees("the second till") { $0.neighbour(cloned)?["state"] == "reachable" }
        shop.killHub()
        two.kill()
        try? FileManager.default.removeItem(atPath: two.home + "/agent.sock")
        let clone = SeeingTill(of: two, "clone", greeting: places, listening: places[2])
        try FileManager.default.copyItem(atPath: two.home, toPath: clone.home)
        try two.start()
        try clone.start()
        _ = try two.sell([0, 0])
        _ = try clone.sell([1])
        let end = Date().addingTimeInterval(60)
        // Each of the two may be the one whose journal is shorter when the first till meets it.
        while try !two.document("neighbours").isBehind && !clone.document("neighbours").isBehind {
            try #require(Date() < end, "nobody learned of the other copy")
        }
        try shop.startHub()
        try shop.eventually("every sale once", within: 60) {
            for till in [two, clone] { _ = try till.document("sync", "now") }
            let audits = try shop.terminalAudits()
            let audit = audits.first { $0["terminalId"]?.string == cloned }.map(HubAudit.init)
            return audit?.orders == 3
                && audit?.total == 2 * Article.assortment[0].price + Article.assortment[1].price
        }
    }
}
