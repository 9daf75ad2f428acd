import HubProtocol
import TestKit
import Testing

/// What a new user does on the first day, from enrolment to the audit.
@Suite("The first day", .onStage)
struct FirstDayTests {
    @Test("Enrolment pulls the complete catalogue and returns the terminal's identity")
    func enrolment() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        let till = try shop.initialiseTill()
        #expect(till["products"]?.integer == Int64(Article.assortment.count))
        #expect(till["storeId"]?.string == "S1")
        #expect(till["terminalNumber"]?.integer == 1)
        #expect(till["terminalId"]?.string?.isEmpty == false)
    }

    @Test("An enrolment code works once")
    func enrolmentCodeWorksOnce() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        let code = try shop.enrolmentCode()
        _ = try shop.document("init", "--hub", shop.hubURL, "--enrol", code)
        let second = try ProgramUnderTest.run(
            "pos", ["init", "--hub", shop.hubURL, "--enrol", code, "--home", shop.folder.path("other")],
            environment: shop.settings)
        #expect(second.exitCode == 4)
        // Under the warning that the process list showed the code.
        #expect(second.errors.count == 2)
        #expect(second.errors.last?.contains("code") == true, "\(second.errors)")
    }

    @Test("A sale from the command line is acknowledged, and the hub's audit has the same sum")
    func oneShotSale() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let tea = Article.assortment[0]
        let coin = Article.assortment[2]
        let sale = try shop.document(
            "sell", "--line", "\(tea.barcode):2", "--line", coin.barcode, "--pay", "cash:5000")
        #expect(sale["mode"]?.string == "online")
        #expect(sale["sync"]?.string == "acknowledged")
        #expect(sale["total"] == ["amount": 2501, "currency": "CNY"])
        #expect(sale["change"] == ["amount": 2499, "currency": "CNY"])
        let audit = try shop.audit()
        #expect(audit.orders == 1)
        #expect(audit.total == 2501)
        #expect(audit.isComplete)
    }

    @Test("The same key again returns the first sale, never a second")
    func sameKey() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let key = SaleRequests.key()
        let line = Article.assortment[1].barcode
        let first = try shop.document("sell", "--line", line, "--key", key)
        let again = try shop.document("sell", "--line", line, "--key", key)
        let other = try shop.document("sell", "--line", line + ":7", "--key", key)
        #expect(again["orderId"] == first["orderId"])
        #expect(other["orderId"] == first["orderId"])
        #expect(other["total"] == first["total"])
        #expect(try shop.orders().count == 1)
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 1)
    }

    @Test("An order is found by its id and its number, with its receipt")
    func ordersShown() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let id = try #require(sale["orderId"]?.string)
        let number = try #require(sale["orderNumber"]?.string)
        let byId = try shop.document("orders", "show", id)
        #expect(try shop.document("orders", "show", number)["orderId"]?.string == id)
        #expect(byId["receipt"] == sale["receipt"])
        #expect(byId["state"]?.string == "completed")
        let unknown = try shop.pos("orders", "show", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--json")
        #expect(unknown.exitCode == 1)
        #expect(unknown.errorCode == "unknown_order")
    }

    @Test("A voided order stays listed as void, is sent to the hub, and is voided once")
    func voids() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let id = try #require(sale["orderId"]?.string)
        let voided = try shop.document("orders", "void", id, "--reason", "wrong tea")
        #expect(voided["state"]?.string == "voided")
        let again = try shop.pos("orders", "void", id, "--json")
        #expect(again.exitCode == 1)
        #expect(again.errorCode == "voided_already")
        #expect(try shop.orders().map { $0["state"]?.string } == ["voided"])
        try shop.waitUntilDrained()
        let audit = try shop.audit()
        #expect(audit.received == 2)
        #expect(audit.isComplete)
    }

    @Test("The outbox shows up to which entry the hub has everything")
    func syncStatus() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        for _ in 0..<3 { _ = try shop.document("sell", "--line", Article.assortment[0].barcode) }
        try shop.waitUntilDrained()
        let sync = try shop.document("sync", "status")
        #expect(sync["pending"]?.integer == 0)
        #expect(sync["acknowledgedThrough"]?.integer == 3)
        #expect(sync["items"]?.array == [])
    }
}
