import Foundation
import GRDB
import HubProtocol
import TestKit
import Testing

/// What the hub reports of a full disk and of its own damaged files.
@Suite("A damaged hub", .onStage, .serialized)
struct DamagedHubTests {
    private func wait(_ what: String, within seconds: Double, _ isTrue: () throws -> Bool) throws {
        let clock = ContinuousClock()
        let start = clock.now
        while try !isTrue() {
            guard clock.now - start < .seconds(seconds) else { throw ShopError.notReached(what, last: "") }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    @Test(
        "On a full disk no push is accepted, /readyz and the order service report it, and with room all recovers",
        .enabled(if: SmallDisk.isAvailable, SmallDisk.need))
    func fullDisk() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        let disk = try SmallDisk(at: shop.folder.path("disk"))
        defer { disk.unmount() }
        shop.store = "sqlite:" + disk.path + "/hub.sqlite"
        try shop.startHub()
        defer { shop.killHub() }
        try shop.importCatalogue(Article.assortment)
        try shop.initialiseTill()
        let client = LoopbackClient(.tcp(port: shop.hubPort))
        #expect(try client.request("GET", "/readyz").status == 200)
        try disk.fill()
        try shop.startAgent()
        defer { shop.killAgent() }
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        try wait("readyz 503", within: 30) { try client.request("GET", "/readyz").status == 503 }
        try wait("order faulty", within: 60) {
            let services = try shop.posHub("qos", "status")["services"]?.array ?? []
            return services.contains { $0["service"] == "order" && $0["state"] == "faulty" }
        }
        try disk.empty()
        try wait("readyz 200", within: 40) { try client.request("GET", "/readyz").status == 200 }
        try shop.waitUntilDrained(within: 90)
        #expect(try shop.audit().orders == 1)
    }

    @Test(
        "Damaged pages stop the start with 3, the check names them with 4, and a damaged QoS file stops nothing"
    )
    func damagedPages() throws {
        let shop = try ShopUnderTest()
        for _ in 0..<3 { _ = try shop.document("sell", "--line", Article.assortment[0].barcode) }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try shop.posHub("check")["intact"] == true)
        shop.killHub()
        #expect(try shop.posHub("check")["intact"] == true)

        let path = shop.folder.path("hub.sqlite")
        let qos = path + "-qos"
        try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: qos))
        try? FileManager.default.removeItem(atPath: qos + "-wal")
        try shop.startHub()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(FileManager.default.fileExists(atPath: qos + ".damaged-1"))
        shop.killHub()
        _ = try shop.audit()

        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let document = try #require(bytes.firstRange(of: Array("order.completed".utf8))).lowerBound
        let page = document / 4096 * 4096
        for index in page..<page + 64 { bytes[index] = UInt8(truncatingIfNeeded: index &* 37) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let check = try ProgramUnderTest.run("pos-hub", ["check", "--json"] + shop.storeArguments)
        #expect(check.exitCode == 4)
        #expect(try check.document()["intact"] == false)
        let serve = try ProgramUnderTest.run(
            "pos-hub", ["serve", "--listen", "127.0.0.1:0"] + shop.storeArguments)
        #expect(serve.exitCode == 3)
        #expect(serve.errors.last?.contains("is damaged") == true)
        // The damage is the store's and not the copy's, which is gone.
        let copy = shop.folder.path("copy.sqlite")
        let backup = try ProgramUnderTest.run("pos-hub", ["backup", copy] + shop.storeArguments)
        #expect(backup.exitCode == 3)
        #expect(backup.errors.last?.contains("the store \(path) is damaged") == true, "\(backup.errors)")
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test("A stored sum that is not the journal's ends the audit with 4")
    func sums() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let path = shop.folder.path("hub.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE orders SET total = 1") }
        let audit = try ProgramUnderTest.run("pos-hub", ["audit", "--json"] + shop.storeArguments)
        #expect(audit.exitCode == 4)
        #expect(try audit.document()["terminals"]?.array?.first?["sums"] == "differ")
    }
}
