import Glibc
import HubProtocol
import TestKit
import Testing

/// A till that is enrolled again while its agent works.
@Suite("Enrolling beside a running agent", .onStage)
struct EnrolBesideAgentTests {
    /// Waits until the agent responds on its socket again and has reached the hub.
    private func waitForAgent(of shop: ShopUnderTest) throws {
        let limit = ContinuousClock.now + .seconds(30)
        while (try? shop.status()) == nil, ContinuousClock.now < limit { usleep(50_000) }
        try shop.waitUntilReachable()
    }

    @Test("The agent lets the data folder go, and goes on as the terminal that the hub accepts")
    func revoked() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let process = try #require(shop.agent?.processIdentifier)
        let id = try #require(try shop.status()["terminalId"]?.string)
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        try shop.posHub("terminals", "revoke", id)
        let grant = try shop.initialiseTill()
        #expect(grant["terminalId"]?.string?.isEmpty == false)
        // The same process, once it has the folder again.
        try waitForAgent(of: shop)
        try shop.waitUntilDrained(within: 30)
        #expect(shop.agent?.processIdentifier == process)
        let sale = try shop.document("sell", "--line", Article.assortment[1].barcode)
        #expect(sale["sync"]?.string == "acknowledged")
        #expect(try shop.orders().count == 2)
        shop.agent?.terminate()
        #expect(shop.agent?.exitCode(within: 15) == 0)
    }

    @Test("A wrong code leaves the agent as it was")
    func wrongCode() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let before = try shop.status()["terminalId"]?.string
        let end = try shop.pos("init", "--hub", shop.hubURL, "--enrol", "WRONG-CODE", "--json")
        #expect(end.exitCode == 4)
        try waitForAgent(of: shop)
        #expect(try shop.status()["terminalId"]?.string == before)
        // A till that is set to Chinese says so in Chinese, whatever the locale of this shell is.
        shop.settings["POS_DISPLAY_LANGUAGE"] = "zh"
        let chinese = try shop.pos("init", "--hub", shop.hubURL, "--enrol", "WRONG-CODE")
        #expect(chinese.errors.joined().contains { !$0.isASCII }, "\(chinese.errors)")
        shop.settings["POS_DISPLAY_LANGUAGE"] = nil
        try waitForAgent(of: shop)
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "acknowledged")
    }

    @Test("A `pos sell` that found no agent keeps the data folder, and the command says so")
    func besideCommand() throws {
        let shop = try ShopUnderTest()
        let sales = try shop.openSales()
        #expect(try sales.sell(SaleRequests.piece())["orderId"] != nil)
        let end = try shop.pos("init", "--hub", shop.hubURL, "--enrol", try shop.enrolmentCode(), "--json")
        #expect(end.exitCode == 3)
        #expect(end.errorCode == "agent_runs")
        #expect(sales.close() == 0)
    }
}
