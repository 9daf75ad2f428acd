import Glibc
import HubProtocol
import TestKit
import Testing

/// One agent owns a data folder, and a command works with it, without it, and when it dies.
@Suite("The agent and its commands", .onStage)
struct AgentOwnershipTests {
    @Test("Without an agent the same commands work")
    func noAgent() throws {
        let shop = try ShopUnderTest()
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["mode"]?.string == "online")
        let now = try shop.document("sync", "now")
        #expect(now["pending"]?.integer == 0)
        #expect(try shop.document("status")["outbox"]?["acknowledgedThrough"]?.integer == 1)
        #expect(try shop.orders().count == 1)
        let id = try #require(sale["orderId"]?.string)
        #expect(try shop.document("orders", "void", id)["state"]?.string == "voided")
        #expect(try shop.document("offline", "on", "--reason", "alone")["on"]?.bool == true)
        #expect(try shop.document("status").causes.contains("manual"))
        #expect(try shop.document("doctor")["checks"]?.array?.isEmpty == false)
        #expect(try shop.document("history")["periods"]?.array != nil)
    }

    @Test("A second agent is refused, and the refusal names the process that owns the data folder")
    func secondAgent() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let holder = try #require(shop.agent?.processIdentifier)
        let second = try shop.pos("agent")
        #expect(second.exitCode == 3)
        #expect(second.errors.count == 1)
        #expect(second.errors.first?.contains("\(holder)") == true)
        #expect(try shop.status()["terminalId"]?.string != nil)
    }

    @Test("An agent waits for a command that is its own agent, and starts when that ends")
    func agentBehindCommand() throws {
        let shop = try ShopUnderTest()
        let sales = try shop.openSales()
        #expect(try sales.sell(SaleRequests.piece())["orderId"] != nil)
        let agent = try shop.startProgram("agent")
        #expect(agent.output.line(at: 0, within: 0.5) == nil)
        #expect(sales.close() == 0)
        try agent.line(within: 10) { $0 == "ready" }
        agent.kill()
    }

    @Test("A command whose agent is killed under it ends with 75 and does not take over the data folder")
    func agentKilledUnderCommand() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let sales = try shop.openSales()
        #expect(try sales.sell(SaleRequests.piece())["orderId"] != nil)
        shop.agent?.signal(SIGSTOP)
        let key = SaleRequests.key()
        try sales.send(SaleRequests.piece(1, key: key))
        usleep(300_000)
        shop.killAgent()
        #expect(sales.program.exitCode(within: 20) == 75)
        #expect(sales.program.errors.lines.count == 1)
        try shop.startAgent()
        let again = try shop.openSales()
        #expect(try again.sell(SaleRequests.piece(1, key: key))["key"]?.string == key)
        #expect(again.close() == 0)
        #expect(try shop.orders().count == 2)
    }

    @Test("On SIGTERM the agent ends with 0 and leaves no socket")
    func terminated() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        shop.agent?.terminate()
        #expect(shop.agent?.exitCode(within: 15) == 0)
        #expect(access(shop.home + "/agent.sock", F_OK) != 0)
    }

    @Test(
        "Descriptors that run out for a moment end nothing: the agent responds again, and sells",
        .enabled(if: access("/usr/bin/prlimit", X_OK) == 0, "needs /usr/bin/prlimit"),
        arguments: [(64, 120), (1_024, 1_300)])
    func descriptors(limit: Int, count: Int) throws {
        try OpenFiles.raiseLimit(toAtLeast: 4_096)
        let shop = try ShopUnderTest()
        shop.tillWrapper = ["/usr/bin/prlimit", "--nofile=\(limit):\(limit)"]
        try shop.startAgent()
        shop.tillWrapper = []
        let barcode = Article.assortment[0].barcode
        var clients: [LoopbackClient] = []
        for number in 0..<count {
            let client = LoopbackClient(.unix(path: shop.home + "/agent.sock"), timeout: 1)
            try? client.send(Array("GET ".utf8))
            clients.append(client)
            // Under work, since that is when libdispatch opens files of its own.
            if number % 400 == 399 { #expect(try shop.document("sell", "--line", barcode)["orderId"] != nil) }
        }
        clients = []
        for _ in 0..<3 {
            #expect(try shop.document("sell", "--line", barcode)["orderId"] != nil)
        }
        #expect(shop.agent?.exitCode(within: 0.1) == nil)
    }

    @Test("Commands that read change nothing: the files of the data folder stay byte for byte")
    func looking() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        _ = try shop.document("sync", "now")
        let before = try shop.homeContents()
        for command in [["status"], ["orders", "list"], ["doctor"], ["sync", "status"], ["history"]] {
            #expect(try shop.pos(command + ["--json"]).exitCode == 0)
        }
        #expect(try shop.homeContents() == before)
    }
}
