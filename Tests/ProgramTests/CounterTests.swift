import Foundation
import HubProtocol
import TestKit
import Testing

/// What a cashier sees: the queries of the checkout, the banner, and the status as it changes.
@Suite("At the counter", .onStage)
struct CounterTests {
    @Test("The checkout sells what was scanned, with quantity, discount, tender and receipt")
    func dialogue() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let tea = Article.assortment[0].barcode
        let typed = [tea, "x", "0000", tea + ":2", "d 100", "pay cash:5000", "q"]
        let end = try shop.pos("sell", input: typed)
        #expect(end.exitCode == 0)
        #expect(end.text.contains("ONLINE"))
        #expect(end.text.contains("0000"))
        let orders = try shop.orders()
        #expect(orders.map { $0["total"]?["amount"]?.integer } == [2400])
        #expect(orders.first?["change"]?["amount"]?.integer == 2600)
        let receipt = try shop.document("orders", "show", orders.first?["orderId"]?.string ?? "")["receipt"]
        #expect(receipt?.string?.contains("24.00") == true)
    }

    @Test("Switched off in the checkout, its banner and the receipt show offline")
    func offlineBanner() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let end = try shop.pos(
            "sell", input: ["offline stock-taking", Article.assortment[0].barcode, "pay", "q"])
        #expect(end.exitCode == 0)
        #expect(end.text.contains("OFFLINE"))
        #expect(end.text.contains("stock-taking"))
        let order = try #require(try shop.orders().first)
        #expect(order.mode == "offline")
        let shown = try shop.document("orders", "show", order["orderId"]?.string ?? "")
        #expect(shown["receipt"]?.string?.lowercased().contains("offline") == true)
    }

    @Test("The watched status shows a switch by hand as it happens, and ends with 75 when the agent dies")
    func watchedStatus() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let watch = try shop.startProgram("status", "--watch", "--json")
        try watch.line { $0.contains(#""mode":"online""#) }
        _ = try shop.document("offline", "on", "--reason", "watched")
        try watch.line(within: 5) { $0.contains(#""mode":"offline""#) && $0.contains("watched") }
        shop.killAgent()
        #expect(watch.exitCode(within: 10) == 75)
        #expect(watch.output.lines.allSatisfy { (try? JSONParser.parse($0.utf8))?.object != nil })
    }

    @Test("The status is in the till's language for people, and the same document for programs")
    func statusLanguage() throws {
        let shop = try ShopUnderTest(settings: .hurried.with(["POS_DISPLAY_LANGUAGE": "zh"]))
        try shop.startAgent()
        try shop.waitUntilReachable()
        let words = try shop.pos("status").text
        for label in ["网络", "服务", "线路", "同步", "待上传    0 笔待上传", "上次成功更新", "总部"] {
            #expect(words.contains(label), "\(label) in \(words)")
        }
        for label in ["network", "outbox ", "pending", "since ", "hub "] {
            #expect(!words.contains(label), "\(label) in \(words)")
        }
        #expect(try shop.document("status")["outbox"]?["pending"] == 0)
    }

    @Test("Without --json people get text, with it programs get one object and nothing else")
    func wordsAndDocuments() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let commands = [
            ["status"], ["orders", "list"], ["sync", "status"], ["qos", "status"], ["history"], ["doctor"],
        ]
        for command in commands {
            let words = try shop.pos(command)
            // What is not ready in a fresh shop ends the doctor with 1.
            #expect(words.exitCode == 0 || command == ["doctor"], "\(command): \(words.errors)")
            #expect(!words.text.contains("{"), "\(command)")
            #expect(!words.text.contains("\u{1B}"), "\(command)")
            #expect(try shop.pos(command + ["--json"]).document().object != nil, "\(command)")
        }
    }
}
