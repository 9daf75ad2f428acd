import Foundation
import HubProtocol
import TestKit
import Testing

/// The shapes of the documents that other programs read.
@Suite("The documents of the commands", .onStage)
struct DocumentContractTests {
    private func keys(_ value: JSONValue?) -> Set<String> { Set((value?.object ?? [:]).keys) }

    @Test("The response to a sale has the documented members, and these beside them")
    func saleKeys() throws {
        let shop = try ShopUnderTest()
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode, "--pay", "cash:2000")
        let documented: Set = [
            "orderId", "orderNumber", "mode", "total", "paid", "change", "lines", "receipt", "sync",
            "durableMs", "elapsedMs",
        ]
        let added: Set = ["key", "tax", "cashRounding", "shortCode", "receiptCode"]
        #expect(keys(sale) == documented.union(added))
        #expect(keys(sale["total"]) == ["amount", "currency"])
        #expect(keys(sale["change"]) == ["amount", "currency"])
        #expect(sale["paid"]?.array?.count == 1)
        #expect(sale["paid"]?.array?.first?["method"]?.string == "cash")
        #expect(sale["paid"]?.array?.first?["amount"]?.integer == 2000)
        let line = sale["lines"]?.array?.first
        #expect(line?["barcode"]?.string == Article.assortment[0].barcode)
        #expect(line?["total"]?.integer == 1250)
        #expect((sale["durableMs"]?.number ?? -1) > 0)
        #expect((sale["elapsedMs"]?.number ?? -1) >= (sale["durableMs"]?.number ?? 0))
    }

    @Test("The order number is store, terminal, business day and a counter without gaps")
    func orderNumbers() throws {
        let shop = try ShopUnderTest()
        let sales = try shop.openSales()
        let numbers = try sales.sellPieces(3).compactMap { $0["orderNumber"]?.string }
        #expect(sales.close() == 0)
        let counters = numbers.compactMap { $0.split(separator: "-").last.flatMap { Int($0) } }
        #expect(counters == [1, 2, 3])
        for number in numbers { #expect(number.hasPrefix("S1-1-"), "\(number)") }
    }

    @Test("The status has exactly the documented members")
    func statusKeys() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let status = try shop.document("status")
        let documented: Set = [
            "mode", "since", "causes", "manual", "network", "services", "connectivity", "capabilities",
            "outbox", "hub", "terminalId", "storeId", "version",
        ]
        let added: Set = [
            "quality", "policy", "banner", "schema", "catalogue", "orderNumbers", "store", "signInRequired",
            "unseenCardSales", "cardDebts", "clock", "cardReturns", "tenders", "points", "till",
        ]
        #expect(keys(status) == documented.union(added))
        #expect(keys(status["quality"]) == ["samples", "failures", "p50Ms", "p95Ms", "degraded"])
        #expect(keys(status["cardReturns"]) == ["waiting", "waitingForCard", "requested", "refused"])
        #expect(keys(status["schema"]) == ["state", "deprecatedAt", "sunsetAt"])
        #expect(keys(status["banner"]) == ["troubles", "text", "action", "advice", "command", "language"])
        #expect(
            keys(status["policy"]) == [
                "mutations", "catalogue", "wholeCatalogue", "attachments", "telemetry", "smallBatches",
            ])
        #expect(keys(status["policy"]?["mutations"]) == ["allowed", "heldBy"])
        #expect(keys(status["manual"]) == ["on", "since", "by", "reason"])
        #expect(keys(status["network"]) == ["state", "since", "evidence", "t1Ms", "deadlineInMs"])
        #expect(
            keys(status["connectivity"]) == [
                "state", "transport", "isMetered", "isConstrained", "latencyMs", "lastInternetOkAt",
                "lastBackendOkAt", "captivePortalSuspected", "reason", "rateLimitEndsAt",
                "coreCallsFail",
            ])
        #expect(
            keys(status["outbox"]) == [
                "pending", "oldestAgeMs", "rejected", "conflicted", "acknowledgedThrough",
                "retryAfterEndsAt", "largePacketsLost",
            ])
        for service in status["services"]?.array ?? [] {
            #expect(keys(service) == ["service", "core", "state", "since", "source", "generation"])
        }
        #expect(keys(status["capabilities"]?["checkout"]) == ["route", "limits"])
        #expect(keys(status["capabilities"]?["payment.card"]) == ["route", "limits", "obstacle"])
        #expect(
            keys(status["capabilities"]?["payment.card"]?["obstacle"])
                == ["reason", "stopsAll", "command", "text"])
        #expect(status["network"]?["t1Ms"]?.integer == 3000)
        #expect(status["connectivity"]?["state"]?.string == "online")
        #expect(status["hub"]?.string == shop.hubURL)
    }

    @Test("Without an agent the status has the same members")
    func statusWithoutAgent() throws {
        let shop = try ShopUnderTest()
        let alone = keys(try shop.document("status"))
        try shop.startAgent()
        #expect(keys(try shop.document("status")) == alone)
    }

    @Test("The outbox lists what waits with its documented members")
    func outboxItems() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("offline", "on")
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let sync = try shop.document("sync", "status")
        #expect(
            keys(sync).isSuperset(of: [
                "pending", "oldestAgeMs", "rejected", "conflicted", "acknowledgedThrough", "items",
            ]))
        let item = sync["items"]?.array?.first
        #expect(
            keys(item) == ["id", "sequence", "type", "attempts", "nextAttemptAt", "state", "problem"])
        #expect(item?["type"]?.string == "order.completed")
        #expect(item?["state"]?.string == "pending")
        #expect(item?["sequence"]?.integer == 1)
    }

    @Test("Over standard input the responses come in the order of the requests, with their keys")
    func streamOrder() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let queried = (0..<20).map { _ in SaleRequests.key() }
        let requests = queried.enumerated().map {
            SaleRequests.piece($0.offset, key: $0.element).canonicalText
        }
        let end = try shop.pos("sell", "--stdin", "--json", input: requests)
        #expect(end.exitCode == 0)
        let responses = try end.output.map { try JSONParser.parse($0.utf8) }
        #expect(responses.compactMap { $0["key"]?.string } == queried)
        #expect(responses.allSatisfy { $0["orderId"] != nil })
    }

    @Test("The history of a period by hand has its start, end, cause and sales")
    func history() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        _ = try shop.document("offline", "on")
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        _ = try shop.document("offline", "off")
        let periods = try shop.document("history")["periods"]?.array ?? []
        let manual = periods.filter { $0.causes.contains("manual") }
        #expect(manual.count == 1)
        #expect(keys(manual.first).isSuperset(of: ["start", "end", "causes", "evidence", "sales"]))
        #expect(manual.first?["sales"]?.integer == 1)
        #expect(manual.first?["end"]?.string != nil)
    }

    @Test("Every command has help, and the version is one line")
    func help() throws {
        let commands = [
            [], ["init"], ["agent"], ["sell"], ["status"], ["offline"], ["orders"], ["orders", "list"],
            ["orders", "show"], ["orders", "void"], ["sync", "status"], ["sync", "now"], ["qos", "status"],
            ["history"], ["doctor"], ["demo"],
        ]
        for command in commands {
            let end = try ProgramUnderTest.run("pos", command + ["--help"])
            #expect(end.exitCode == 0, "\(command)")
            #expect(end.text.contains("USAGE"), "\(command)")
        }
        let version = try ProgramUnderTest.run("pos", ["--version"])
        #expect(version.exitCode == 0)
        #expect(version.output.count == 1)
    }
}
