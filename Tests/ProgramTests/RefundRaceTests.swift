import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// One receipt at two tills, and a hub or till that is killed meanwhile: it is paid back once.
@Suite("Refunds in a race", .onStage)
struct RefundRaceTests {
    private static let tea = Article.assortment[0]

    @Test(
        "Two tills refund the same sale at the same moment: one gives the money back, the other has why not",
        arguments: HubStoreKind.all)
    func twoTills(_ kind: HubStoreKind) throws {
        let store = kind == .postgresql ? try PostgresServer.shared.get().freshSchema() : nil
        let shop = try ShopUnderTest(store: store)
        let other = try OtherTill(shop)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let agent = try ProgramUnderTest("pos", ["agent", "--home", other.home], environment: shop.settings)
        try agent.line { $0 == "ready" }
        defer { agent.kill() }
        let rounds = 4
        for round in 0..<rounds {
            let sale = try shop.document("sell", "--line", Self.tea.barcode + ":2")
            let number = try #require(sale["orderNumber"]?.string)
            let code = try #require(sale["receiptCode"]?.string)
            try shop.waitUntilDrained()
            let commands = [
                ["orders", "refund", number, "--json", "--home", shop.home],
                ["orders", "refund", "--receipt-code", code, "--json", "--home", other.home],
            ]
            let runs = try (round.isMultiple(of: 2) ? commands : commands.reversed()).map {
                try ProgramUnderTest("pos", $0, environment: shop.settings)
            }
            #expect(runs.compactMap { $0.exitCode() }.sorted() == [0, 1])
        }
        try other.sync()
        try shop.waitUntilDrained()
        let audits = try shop.terminalAudits()
        #expect(audits.map { $0["gap"] } == [0, 0])
        let back = audits.compactMap { $0["refunds"]?["amount"]?.integer }.reduce(0, +)
        #expect(back == Int64(rounds) * 2 * Self.tea.price)
    }

    @Test("A till that is killed at any moment of a refund makes it once, by the same key")
    func killedTill() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        var random = SplitMix64(seed: 32)
        let rounds = 6
        for _ in 0..<rounds {
            let sale = try shop.document("sell", "--line", Self.tea.barcode + ":2")
            let number = try #require(sale["orderNumber"]?.string)
            try shop.waitUntilDrained()
            let arguments = [
                "orders", "refund", number, "--key", TillOverHTTP.ulid(), "--json", "--home", shop.home,
            ]
            let run = try ProgramUnderTest("pos", arguments, environment: shop.settings)
            _ = run.exitCode(within: Double(random.below(90)) / 1_000)
            shop.killAgent()
            _ = run.exitCode()
            try shop.startAgent()
            let again = try ProgramUnderTest.run("pos", arguments, environment: shop.settings)
            #expect(again.exitCode == 0, "\(again.errors)")
            #expect(try shop.document("orders", "show", number)["refunds"]?.array?.count == 1)
        }
        try shop.waitUntilDrained()
        let audit = try #require(try shop.terminalAudits().first)
        #expect(audit["gap"] == 0)
        #expect(audit["refunds"]?["amount"]?.integer == Int64(rounds) * 2 * Self.tea.price)
    }

    @Test(
        "What a hub granted holds when it is killed, and what is given back is free",
        arguments: HubStoreKind.all)
    func killedHub(_ kind: HubStoreKind) throws {
        let folder = try TemporaryFolder()
        let hub = try HubUnderTest(in: folder, store: try kind.place(in: folder))
        var (till, other) = (try hub.enrol(), try hub.enrol())
        let sale = till.minted(
            "order.completed", "O1",
            [
                "orderId": "O1", "orderNumber": "S1-1-20261121-0001", "currency": "CNY", "taxIncluded": true,
                "lines": [
                    [
                        "sku": "tea", "quantityMilli": 1000, "unitPrice": 1250, "discount": 0, "total": 1250,
                        "taxBasisPoints": 0,
                    ]
                ],
                "payments": [["method": "cash", "amount": 1250]], "total": 1250, "tax": 0, "change": 0,
            ])
        func decision(_ till: TillOverHTTP, _ id: String) throws -> JSONValue? {
            let inquiry = RefundInquiry(
                refundId: id, kind: .refund, sale: .number("S1-1-20261121-0001"),
                lines: [.init(sku: "tea", quantityMilli: 1000)], amount: 1250)
            return try hub.client().request(
                "POST", Routes.refundDecisions, headers: till.headers, body: inquiry.json.canonicalText
            ).json()["decision"]
        }
        #expect(try decision(till, "R1") == "unknown")
        #expect(try till.push([sale], on: hub.client()).status == 200)
        #expect(try decision(till, "R1") == "granted")
        try hub.killAndRestart()
        #expect(try decision(other, "R2") == "refused")
        #expect(try decision(till, "R1") == "granted")
        let released = try hub.client().request(
            "DELETE", Routes.refundDecisions + "/R1", headers: till.headers)
        #expect(released.status == 204)
        try hub.killAndRestart()
        #expect(try decision(other, "R2") == "granted")
        let made = other.minted(
            "refund.completed", "R2",
            ["orderId": "O1", "total": 1250, "lines": [["sku": "tea", "quantityMilli": 1000]]])
        #expect(try other.push(made, on: hub.client()).status == 201)
        #expect(try decision(till, "R1") == "refused")
        #expect(try decision(other, "R2") == "granted")
        let malformed = try hub.client().request(
            "POST", Routes.refundDecisions, headers: till.headers, body: "{\"refundId\":\"R\"}")
        #expect(malformed.status == 400)
    }
}
