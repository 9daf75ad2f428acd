import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Shifts of tills that were restored or cloned, and over the end of a business day, by the built programs.
@Suite("Shifts in another epoch and on another day", .onStage)
struct ShiftEpochTests {
    private static let article = Article.assortment[0].barcode

    private func copy(_ from: String, to: String) throws {
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    private func sell(_ shop: ShopUnderTest, with settings: ShopSettings = [:]) throws -> Int64 {
        let sale = try shop.document("sell", "--line", Self.article, with: settings)
        return try #require(sale["total"]?["amount"]?.integer)
    }

    /// Drains and pulls until the till shows the shift so.
    private func wait(
        _ shop: ShopUnderTest, _ id: String, _ state: String, with statements: Int = 1
    ) throws {
        try wait("the shift is \(state)") {
            _ = try shop.document("sync", "now")
            let shift = try shop.document("shift", "show", id)
            let count = shift["statements"]?.array?.count ?? ((shift["statement"] ?? .null) == .null ? 0 : 1)
            return shift["state"]?.string == state && count == statements
        }
    }

    /// Looks again and again, by commands alone: each takes some tenths of a second.
    private func wait(_ words: Comment, _ isThere: () throws -> Bool) throws {
        for _ in 0..<100 {
            if try isThere() { return }
        }
        Issue.record(words)
    }

    @Test(
        "A till that is restored after its Z has the shift open again; its second Z is compared with all",
        arguments: [false, true])
    func restored(losing: Bool) throws {
        let shop = try ShopUnderTest()
        let id = try #require(try shop.document("shift", "open", "--float", "500")["shiftId"]?.string)
        let price = try sell(shop)
        _ = try shop.document("sync", "now")
        let backup = shop.folder.path("backup")
        if losing { try copy(shop.home, to: backup) }
        _ = try sell(shop)
        if !losing {
            _ = try shop.document("sync", "now")
            try copy(shop.home, to: backup)
        }
        _ = try shop.document("shift", "close", "--counted", "0")
        try wait(shop, id, "confirmed")
        try copy(backup, to: shop.home)
        #expect(try shop.document("shift", "show", id)["state"] == "open")
        _ = try sell(shop)
        _ = try shop.document("sync", "now")
        let between = try shop.posHub("shifts", "show", id)
        #expect(between["state"] == "disputed")
        #expect(between["differences"]?.array?.map { $0["figure"] } == ["behind"])
        let z = try shop.document("shift", "close", "--counted", "0")
        #expect(z["state"] == "provisional")
        try wait(shop, id, losing ? "disputed" : "confirmed", with: 2)
        let shift = try shop.document("shift", "show", id)
        let kept = try shop.posHub("shifts", "show", id)
        #expect(kept["state"] == shift["state"] && kept["epoch"] == 2)
        #expect(kept["statements"] == shift["statements"])
        let found = (shift["differences"]?.array ?? []).first { $0["figure"] == "sales.total" }
        let expected: JSONValue? =
            losing
            ? ["figure": "sales.total", "terminal": .integer(2 * price), "hub": .integer(3 * price)] : nil
        #expect(found == expected)
        let file = shop.folder.path("shift.json")
        try Data(shift.canonicalBytes).write(to: URL(filePath: file))
        let verified = try shop.document("shift", "verify", file)
        #expect(verified["statements"]?.array?.count == 2)
        if losing {
            let report = try #require(shift["report"]?.string)
            #expect(report.contains("Number of sales") && !report.contains("sales.count"), "\(report)")
        }
    }

    @Test(
        "Two copies of a till close one shift: the hub shows the dispute, and so does the one that goes on"
    )
    func cloned() throws {
        let shop = try ShopUnderTest()
        let id = try #require(try shop.document("shift", "open", "--float", "0")["shiftId"]?.string)
        _ = try sell(shop)
        _ = try shop.document("sync", "now")
        let clone = shop.folder.path("clone")
        try copy(shop.home, to: clone)
        _ = try sell(shop)
        _ = try shop.document("shift", "close", "--counted", "0")
        try wait(shop, id, "confirmed")
        func atClone(_ arguments: String...) throws -> JSONValue {
            let end = try ProgramUnderTest.run(
                "pos", arguments + ["--json", "--home", clone], environment: shop.settings)
            guard end.exitCode == 0 else { throw ShopError.commandFailed(arguments, end) }
            return try end.document()
        }
        _ = try atClone("sell", "--line", Self.article, "--line", Self.article)
        _ = try atClone("shift", "close", "--counted", "0")
        try wait("the clone's shift is disputed") {
            _ = try atClone("sync", "now")
            return try atClone("shift", "show", id)["state"] == "disputed"
        }
        let kept = try shop.posHub("shifts", "show", id)
        #expect(kept["state"] == "disputed" && kept["statements"]?.array?.count == 2)
        let shown = try atClone("shift", "show", id)
        #expect(kept["differences"] == shown["differences"])
    }

    @Test(
        "A day that ends in an outage: the shift goes on over midnight, confirmed with both days' sales",
        .enabled(if: ShiftedClock.compiler != nil))
    func overnight() throws {
        let shop = try ShopUnderTest()
        let clock = try ShiftedClock(in: shop.folder)
        let tomorrow = clock.settings(later: 86_400)
        let id = try #require(try shop.document("shift", "open", "--float", "0")["shiftId"]?.string)
        shop.killHub()
        let first = try shop.document("sell", "--line", Self.article)
        let second = try shop.document("sell", "--line", Self.article, with: tomorrow)
        let days = [first, second].compactMap {
            $0["orderNumber"]?.string?.split(separator: "-").dropLast().last
        }
        #expect(days.count == 2 && days[0] < days[1])
        let z = try shop.document("shift", "close", "--counted", "0", with: tomorrow)
        #expect(z["sales"]?["count"] == 2)
        try shop.startHub()
        try wait(shop, id, "confirmed")
        let kept = try shop.posHub("shifts", "show", id)
        #expect(kept["sales"] == z["sales"] && kept["businessDay"] == z["businessDay"])
    }

    @Test(
        "Several cashiers sell in one shift, a void after the Z counts in the next one, both are confirmed"
    )
    func voidedLater() throws {
        let shop = try ShopUnderTest()
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "c2,Xu,4321,cashier")
        _ = try shop.document("sync", "now")
        let (one, two) = (["--cashier", "c1", "--pin", "1234"], ["--cashier", "c2", "--pin", "4321"])
        func till(_ arguments: [String]) throws -> JSONValue {
            let end = try shop.pos(arguments + ["--json"])
            guard end.exitCode == 0 else { throw ShopError.commandFailed(arguments, end) }
            return try end.document()
        }
        let first = try #require(try till(["shift", "open", "--float", "0"] + one)["shiftId"]?.string)
        let sale = try till(["sell", "--line", Self.article] + one)
        _ = try till(["sell", "--line", Self.article] + two)
        let z = try till(["shift", "close", "--counted", "0"] + two)
        #expect(z["sales"]?["count"] == 2 && z["openedBy"] == "c1" && z["closedBy"] == "c2")
        let second = try #require(try till(["shift", "open", "--float", "0"] + two)["shiftId"]?.string)
        let orderId = try #require(sale["orderId"]?.string)
        _ = try till(["orders", "void", orderId, "--reason", "wrong"] + two)
        let later = try till(["shift", "close", "--counted", "0"] + two)
        let price = try #require(sale["total"]?["amount"]?.integer)
        #expect(later["voids"] == ["count": 1, "total": .integer(price)] && later["sales"]?["count"] == 0)
        #expect(later["cash"]?["expected"] == .integer(-price))
        for id in [first, second] { try wait(shop, id, "confirmed") }
        #expect(try shop.posHub("shifts", "show", second)["voids"] == later["voids"])
    }
}
