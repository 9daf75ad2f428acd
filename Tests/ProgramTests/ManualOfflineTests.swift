import Foundation
import HubProtocol
import TestKit
import Testing

/// The manual switch: durable before it is announced, and never lost to a kill or a corrupt file.
@Suite("The manual switch", .onStage)
struct ManualOfflineTests {
    @Test("Killed while switching, the till comes back with the state that it had confirmed")
    func killedWhileSwitching() throws {
        let shop = try ShopUnderTest()
        for round in 0..<8 {
            try shop.startAgent()
            let isOn = round.isMultiple(of: 2)
            let body: JSONValue = ["on": .bool(isOn), "reason": "round"]
            #expect(try shop.query("POST", "/v1/manual", body: body)["on"]?.bool == isOn)
            shop.killAgent()
            #expect(try shop.document("status")["manual"]?["on"]?.bool == isOn, "round \(round)")
        }
    }

    @Test("A corrupt flag file keeps the till offline and is reported; switching off by hand clears it")
    func corruptFlag() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("offline", "on", "--reason", "whole")
        let whole = try Data(contentsOf: URL(fileURLWithPath: shop.flagFile))
        let cuts = [0, 1, whole.count / 3, whole.count / 2, whole.count - 2].map { whole.prefix($0) }
        let corrupt = cuts + [Data("not a flag".utf8), Data([0, 255, 7]), Data("{\"on\":\"maybe\"}".utf8)]
        for bytes in corrupt {
            try bytes.write(to: URL(fileURLWithPath: shop.flagFile))
            try shop.startAgent()
            let status = try shop.document("status")
            let name = "\(bytes.count) bytes: \(String(decoding: bytes, as: UTF8.self))"
            #expect(status.mode == "offline", "\(name)")
            #expect(status.causes.contains("manual"), "\(name)")
            #expect(status["manual"]?["reason"]?.string == "flag_corrupt", "\(name)")
            #expect(try shop.document("offline", "off")["on"]?.bool == false, "\(name)")
            shop.killAgent()
            #expect(try shop.document("status").causes.contains("manual") == false, "\(name)")
        }
        #expect(FileManager.default.fileExists(atPath: shop.home + "/quarantine"))
    }

    @Test(
        "Switched off by hand, sales stay at the till and `sync now` reports it; switched back all are sent")
    func salesWait() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("offline", "on", "--reason", "quiet")
        let before = shop.front?.requests.count { $0.isPush } ?? -1
        let sales = try shop.openSales()
        for response in try sales.sellPieces(5) {
            #expect(response["mode"]?.string == "offline")
            #expect(response["sync"]?.string == "pending")
        }
        #expect(sales.close() == 0)
        let now = try shop.pos("sync", "now", "--json")
        #expect(now.exitCode == 75)
        #expect(now.errors.count == 1)
        #expect(try shop.status().pending == 5)
        #expect(shop.front?.requests.count { $0.isPush } == before)
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 5)
    }
}
