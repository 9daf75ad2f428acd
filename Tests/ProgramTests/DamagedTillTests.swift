import HubProtocol
import Base
import Foundation
import GRDB
import TestKit
import Testing

/// What a till reports, sells and saves when its database is damaged.
@Suite("A damaged till", .onStage, .serialized)
struct DamagedTillTests {
    /// A shop whose till made three sales that the hub has and `pending` that it lacks, and was killed.
    private func killedTill(pending: Int) throws -> ShopUnderTest {
        let shop = try ShopUnderTest()
        for _ in 0..<3 { _ = try shop.document("sell", "--line", Article.assortment[0].barcode) }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        _ = try shop.document("offline", "on")
        let sales = try shop.openSales()
        try sales.sellPieces(pending)
        sales.program.kill()
        return shop
    }

    private func database(_ shop: ShopUnderTest) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: shop.home + "/terminal.sqlite")))
    }

    private func write(_ bytes: [UInt8], to shop: ShopUnderTest) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: shop.home + "/terminal.sqlite"))
    }

    /// Overwrites with random bytes the head of the leaf page that holds the sale `number`.
    private func damagePage(of number: String, in shop: ShopUnderTest, seed: UInt64) throws {
        var bytes = try database(shop)
        let body = Array("\"orderNumber\":\"\(number)\"".utf8)
        let place = try #require(bytes.firstRange(of: body)).lowerBound
        var start = place / 2048 * 2048
        // A body that goes on elsewhere: its entry begins on some leaf before or behind.
        while bytes[start] != 13 { start += 2048 }
        var generator = SplitMix64(seed: seed)
        for index in start..<start + 64 { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
        try write(bytes, to: shop)
    }

    @Test("Damaged pages are seen in the status, exported around, and repaired without losing or doubling")
    func pages() throws {
        let shop = try killedTill(pending: 40)
        let numbers = try shop.orders().compactMap { $0["orderNumber"]?.string }
        #expect(numbers.count == 43)
        try damagePage(of: numbers[20], in: shop, seed: 7)
        try shop.startAgent()
        _ = try shop.pos("sync", "now")
        let status = try shop.document("status")
        #expect(status["mode"] == "offline")
        #expect(status["causes"]?.array?.first == "manual")
        #expect(status["store"]?["state"] == "damaged")
        #expect(status["banner"]?["troubles"]?.array?.first == "databaseDamaged")
        #expect(status["banner"]?["command"] == "pos repair")
        #expect(try shop.pos("sell", "--line", Article.assortment[0].barcode).exitCode == 5)
        let file = shop.folder.path("salvaged.jsonl")
        let exported = try shop.document("sync", "export", file)
        let salvaged = try #require(exported["entries"]?.integer)
        #expect(try #require(exported["salvage"]?["lostCount"]?.integer) + salvaged == 43)
        let owned = try shop.pos("repair", "--json")
        #expect(owned.exitCode == 3)
        #expect(owned.errorCode == "agent_runs")
        shop.killAgent()

        let before = try database(shop)
        let repaired = try shop.document("repair")
        #expect(repaired["repaired"] == true)
        #expect(repaired["entries"]?.integer == salvaged)
        #expect(repaired["epoch"] == 2)
        let kept = (repaired["quarantine"]?.array ?? []).compactMap(\.string)
        #expect(kept.contains { $0.hasSuffix("quarantine/terminal.sqlite.1") })
        #expect(
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: shop.home + "/quarantine/terminal.sqlite.1")))
                == before)
        let lost = repaired["lost"]?.array ?? []
        #expect(Int64(lost.count) + salvaged == 43)
        #expect(try shop.document("repair")["repaired"] == false)

        // The file at the hub and the till's own push are the same sales.
        let ingested = try shop.posHub("ingest", file)
        #expect(ingested["refused"]?.array?.isEmpty == true)
        _ = try shop.document("offline", "off")
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let number = try #require(sale["orderNumber"]?.string)
        #expect(!numbers.contains(number))
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let acknowledged = Int64(lost.count { $0["state"] == "acknowledged" })
        #expect(try shop.audit().orders == salvaged + acknowledged + 1)
        #expect(try shop.document("status")["store"]?["state"] == "ok")
    }

    @Test("A destroyed header: the agent ends with 3, the status still has the mode, and all is repaired")
    func header() throws {
        let shop = try killedTill(pending: 12)
        _ = try shop.orders()
        var bytes = try database(shop)
        for index in 0..<100 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try write(bytes, to: shop)
        let agent = try shop.pos("agent")
        #expect(agent.exitCode == 3)
        #expect(agent.errors.first?.contains("pos repair") == true)
        let status = try shop.document("status")
        #expect(status["mode"] == "offline")
        #expect(status["manual"]?["on"] == true)
        #expect(status["store"]?["state"] == "damaged")
        #expect(status["outbox"]?["pending"] == 12)
        let words = try shop.pos("status")
        #expect(words.exitCode == 0)
        #expect(words.text.contains("pos repair"))
        #expect(try shop.pos("sell", "--line", Article.assortment[0].barcode).exitCode == 3)
        #expect(try shop.document("doctor")["ready"] == false)
        #expect(try database(shop) == bytes)
        let repaired = try shop.document("repair")
        #expect(repaired["lostCount"] == 0)
        #expect(repaired["pending"] == 12)
        _ = try shop.document("offline", "off")
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let audit = try shop.audit()
        #expect(audit.orders == 15)
        #expect(audit.isComplete)
    }

    @Test("What a repair lost stays in status, banner and doctor until a person acknowledges it")
    func lostByRepair() throws {
        let shop = try killedTill(pending: 40)
        let number = try #require(try shop.orders()[20]["orderNumber"]?.string)
        var bytes = try database(shop)
        // One entry is not what was written, wherever it is, and the header is gone.
        let name = Array("\"orderNumber\":\"\(number)\"".utf8)
        for place in bytes.ranges(of: name) { bytes[place.upperBound - 2] ^= 1 }
        for index in 0..<100 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try write(bytes, to: shop)
        #expect(try shop.document("repair")["lostCount"] == 1)
        func findings() throws -> [String] {
            try (shop.document("doctor")["checks"]?.array ?? []).filter { $0["ok"] == false }
                .compactMap { $0["name"]?.string }
        }
        _ = try shop.document("offline", "off")
        try shop.startAgent()
        try shop.waitUntilDrained()
        let status = try shop.document("status")
        #expect(status["banner"]?["troubles"]?.array?.contains("journalIncomplete") == true)
        #expect(status["store"]?["state"] == "incomplete")
        #expect(status["store"]?["command"] == "pos repair --seen")
        #expect(try findings().contains("repair"))
        #expect(try shop.document("repair", "--seen")["acknowledged"]?.string?.isEmpty == false)
        let after = try shop.document("status")
        #expect(after["banner"]?["troubles"]?.array?.contains("journalIncomplete") == false)
        #expect(after["store"]?["state"] == "ok")
        #expect(after["store"]?["repair"]?["lostCount"] == status["store"]?["repair"]?["lostCount"])
        #expect(try !findings().contains("repair"))
        #expect(try shop.document("repair", "--seen")["acknowledged"]?.string == nil)
    }

    @Test("A log that was deleted after a kill is in the status, the banner, the doctor and at the hub")
    func deletedLog() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        _ = try shop.document("offline", "on")
        let sales = try shop.openSales()
        let last = try #require(try sales.sellPieces(9).last?["orderNumber"]?.string)
        sales.program.kill()
        try FileManager.default.removeItem(atPath: shop.home + "/terminal.sqlite-wal")
        let status = try shop.document("status")
        #expect(status["store"]?["state"] == "incomplete")
        #expect(status["store"]?["loss"]?["log"] == "missing")
        #expect(status["banner"]?["troubles"]?.array?.contains("journalIncomplete") == true)
        let checks = try shop.document("doctor")["checks"]?.array ?? []
        #expect(!checks.contains { $0["name"] == "repair" }, "nothing was repaired yet")
        #expect(checks.contains { $0["name"] == "journal" && $0["ok"] == false })
        _ = try shop.document("offline", "off")
        let number = try #require(
            try shop.document("sell", "--line", Article.assortment[0].barcode)["orderNumber"]?.string)
        #expect(number > last)
        _ = try shop.document("sync", "now")
        let telemetry = try shop.posHub("terminals", "list")["terminals"]?.array?.first?["conflicts"]
        #expect(telemetry?.canonicalText.contains("journal_loss") == true)
        #expect(try shop.alarmKinds().contains("terminal_journal_loss"))
    }

    @Test(
        "An entry that the disk changed is held back and listed, the others are sent, and a person can send it"
    )
    func changedEntry() throws {
        let shop = try killedTill(pending: 5)
        let numbers = try shop.orders().compactMap { $0["orderNumber"]?.string }.reversed()
        let changed = try #require(numbers.dropFirst(4).first)
        var bytes = try database(shop)
        let place = try #require(bytes.firstRange(of: Array("\"\(changed)\"".utf8))).upperBound - 2
        bytes[place] = bytes[place] == UInt8(ascii: "9") ? UInt8(ascii: "8") : bytes[place] + 1
        try write(bytes, to: shop)
        _ = try shop.document("offline", "off")
        try shop.startAgent()
        try shop.waitUntil("the others arrived", within: 20) { $0["outbox"]?["pending"] == 1 }
        #expect(try shop.audit().orders == 7)
        #expect(try shop.document("status")["store"]?["heldBack"] == 1)
        #expect(
            try shop.document("status")["banner"]?["troubles"]?.array?.contains("entriesHeldBack") == true)
        let held = try #require(try shop.document("sync", "rejected")["heldBack"]?.array?.first)
        let id = try #require(held["id"]?.string)
        let checks = try shop.document("doctor")["checks"]?.array ?? []
        #expect(checks.contains { $0["name"] == "held back" && $0["ok"] == false })
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        try shop.waitUntil("the telemetry of that push raised the alarm", within: 20) { _ in
            try shop.alarmKinds().contains("terminal_entries_held_back")
        }
        _ = try shop.document("sync", "retry", id)
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 9)
        #expect(try shop.document("status")["store"]?["heldBack"] == 0)
    }
}

extension ShopUnderTest {
    /// What the hub raised so far; no command lists it yet.
    fileprivate func alarmKinds() throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: folder.path("hub.sqlite"), configuration: configuration)
        return try database.read { try String.fetchAll($0, sql: "SELECT kind FROM alarms") }
    }
}
