import HubProtocol
import TestKit
import Testing

/// Goods that come back, with the real till and the real hub.
@Suite("Refunds at the till", .onStage, .serialized)
struct TillRefundTests {
    private static let tea = Article.assortment[11]

    @Test("A part comes back offline, then the rest online; the hub has the sale, both, and the stock")
    func partAndRest() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sale = try shop.document("sell", "--line", Self.tea.barcode + ":2")
        let number = try #require(sale["orderNumber"]?.string)
        _ = try shop.document("offline", "on")
        let part = try shop.document("orders", "refund", number, "--line", Self.tea.barcode + ":1")
        #expect(part["mode"] == "offline")
        #expect(part["total"]?["amount"] == 680)
        #expect(part["receipt"]?.string?.contains("REFUND") == true)
        let void = try shop.pos("orders", "void", number, "--json")
        #expect((void.exitCode, void.errorCode) == (1, "refunded_already"))
        _ = try shop.document("offline", "off")
        let rest = try shop.document("orders", "refund", number, "--reason", "stale")
        #expect(rest["total"]?["amount"] == 680)
        let none = try shop.pos("orders", "refund", number, "--json")
        #expect((none.exitCode, none.errorCode) == (1, "nothing_left"))
        try shop.waitUntilDrained()
        let shown = try shop.document("orders", "show", number)
        #expect(shown["refunded"]?["amount"] == 1360)
        #expect(try shop.pos("orders", "list").text.contains("refunded 13.60 CNY"))
        #expect(shown["refunds"]?.array?.map { $0["sync"] } == ["acknowledged", "acknowledged"])
        let audit = try shop.audit()
        #expect(audit.received == 3)
        #expect(audit.isComplete)
    }

    @Test("The same key gives back once, also after the agent was killed")
    func onceByKey() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Self.tea.barcode + ":2")
        let number = try #require(sale["orderNumber"]?.string)
        let arguments = [
            "orders", "refund", number, "--line", Self.tea.sku + ":1", "--key", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "--json",
        ]
        let first = try shop.pos(arguments).document()
        shop.killAgent()
        try shop.startAgent()
        let again = try shop.pos(arguments).document()
        #expect(again["refundId"] == first["refundId"])
        #expect(try shop.document("orders", "show", number)["refunded"]?["amount"] == 680)
    }

    @Test("More than was sold, an article that was not, a strange order and a bad key change nothing")
    func refused() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Self.tea.barcode)
        let number = try #require(sale["orderNumber"]?.string)
        for (arguments, exit, code) in [
            ([number, "--line", Self.tea.barcode + ":2"], 1, "more_than_left"),
            ([number, "--line", "4711"], 1, "not_in_order"), (["nothing"], 1, "unknown_order"),
            ([number, "--key", "mine"], 2, "malformed_request"),
            ([number, "--reason", String(repeating: "x", count: 201)], 2, "malformed_request"),
        ] as [([String], Int32, String)] {
            let run = try shop.pos(["orders", "refund"] + arguments + ["--json"])
            #expect((run.exitCode, run.errorCode) == (exit, code), "\(arguments)")
        }
        #expect(try shop.document("orders", "show", number)["refunds"] == [])
    }
}
