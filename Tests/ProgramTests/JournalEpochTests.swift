import Foundation
import HubProtocol
import TestKit
import Testing

/// Restored and cloned tills, restored hubs, new enrolments: nothing is lost and no number is given twice.
@Suite("Lives of a journal", .onStage, .serialized)
struct JournalEpochTests {
    private func sell(_ shop: ShopUnderTest, _ count: Int) throws -> [JSONValue] {
        let sales = try shop.openSales()
        let responses = try sales.sellPieces(count)
        #expect(sales.close() == 0)
        return responses
    }

    private func drain(_ shop: ShopUnderTest) throws {
        #expect(try shop.document("sync", "now")["pending"] == 0)
    }

    private func copy(_ from: String, to: String) throws {
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    private func numbers(_ sales: [JSONValue]) -> Set<String> {
        Set(sales.compactMap { $0["orderNumber"]?.string })
    }

    @Test("A till restored from a copy of its data folder goes on in a new epoch, and repeats no number")
    func restoredTill() throws {
        let shop = try ShopUnderTest()
        var sold = try sell(shop, 2)
        try drain(shop)
        let backup = shop.folder.path("backup")
        try copy(shop.home, to: backup)
        sold += try sell(shop, 3)
        try drain(shop)
        try copy(backup, to: shop.home)
        sold += try sell(shop, 2)
        try drain(shop)
        sold += try sell(shop, 1)
        try drain(shop)
        #expect(numbers(sold).count == sold.count)
        let audit = try shop.audit()
        #expect(audit.orders == Int64(sold.count))
        #expect(audit.isComplete)
        #expect(try shop.document("doctor")["checks"]?.array?.isEmpty == false)
    }

    @Test("Of a cloned till one goes on; the other sells on, keeps its outbox, and drains when enrolled anew")
    func clonedTill() throws {
        let shop = try ShopUnderTest()
        var sold = try sell(shop, 2)
        try drain(shop)
        let original = shop.home
        let clone = shop.folder.path("clone")
        try copy(original, to: clone)
        sold += try sell(shop, 2)
        try drain(shop)
        func atClone(_ arguments: String...) throws -> FinishedProgram {
            try ProgramUnderTest.run(
                "pos", arguments + ["--json", "--home", clone], environment: shop.settings)
        }
        let line = ["sell", "--line", Article.assortment[0].barcode]
        sold.append(try atClone(line[0], line[1], line[2]).document())
        #expect(try atClone("sync", "now").document()["pending"] == 0)
        sold += try sell(shop, 1)
        let stopped = try shop.pos("sync", "now")
        #expect(stopped.exitCode == 75)
        #expect(stopped.errors.first?.contains("pos init") == true)
        #expect(try shop.document("status").pending == 1)
        try shop.initialiseTill()
        try drain(shop)
        #expect(numbers(sold).count == sold.count)
        let terminals = try shop.terminalAudits()
        #expect(terminals.count == 2)
        #expect(terminals.reduce(0) { $0 + ($1["orders"]?.integer ?? 0) } == Int64(sold.count))
        #expect(terminals.allSatisfy { $0["missing"] == [] && $0["chain"] == "intact" })
    }

    @Test("A hub restored from a backup gets back what it lost, at the next check-in and without a new sale")
    func restoredHub() throws {
        let shop = try ShopUnderTest()
        var sold = try sell(shop, 2)
        try drain(shop)
        shop.killHub()
        let store = shop.folder.path("hub.sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store + suffix) {
            try copy(store + suffix, to: store + suffix + ".backup")
        }
        try shop.startHub()
        sold += try sell(shop, 5)
        try drain(shop)
        #expect(try shop.audit().orders == 7)
        shop.killHub()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store + suffix)
            if FileManager.default.fileExists(atPath: store + suffix + ".backup") {
                try copy(store + suffix + ".backup", to: store + suffix)
            }
        }
        try shop.startHub()
        #expect(try shop.audit().orders == 2)
        try drain(shop)
        var audit = try shop.audit()
        #expect(audit.orders == 7)
        #expect(audit.isComplete)
        sold += try sell(shop, 1)
        try drain(shop)
        audit = try shop.audit()
        #expect(audit.orders == Int64(sold.count))
        #expect(audit.isComplete)
    }

    @Test("A till enrolled anew with sales pending drains them under its new identity")
    func enrolledAnew() throws {
        let shop = try ShopUnderTest()
        var sold = try sell(shop, 2)
        try drain(shop)
        let old = try #require(try shop.document("status")["terminalId"]?.string)
        _ = try shop.document("offline", "on")
        sold += try sell(shop, 3)
        try shop.posHub("terminals", "revoke", old)
        _ = try shop.document("offline", "off")
        let refused = try shop.pos("sync", "now")
        #expect(refused.exitCode == 75)
        #expect(try shop.document("status").pending == 3)
        try shop.initialiseTill()
        try drain(shop)
        sold += try sell(shop, 1)
        try drain(shop)
        #expect(numbers(sold).count == sold.count)
        let terminals = try shop.terminalAudits()
        #expect(terminals.map { $0["orders"]?.integer } == [2, 4])
        #expect(terminals.allSatisfy { $0["missing"] == [] && $0["chain"] == "intact" })
    }

    @Test("A token that expired while the till was away is renewed by the device's key, and all is pushed")
    func expiredToken() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        let file = shop.folder.path("hub.json")
        try #"{"tokens":{"lifetimeSeconds":1}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        shop.serveArguments = ["--config", file]
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.initialiseTill()
        _ = try shop.document("offline", "on")
        let sold = try sell(shop, 3)
        Thread.sleep(forTimeInterval: 1.5)
        _ = try shop.document("offline", "off")
        try drain(shop)
        #expect(try shop.audit().orders == Int64(sold.count))
    }
}
