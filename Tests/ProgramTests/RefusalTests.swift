import HubProtocol
import TestKit
import Testing

/// What the hub refuses, and what a person makes of it.
@Suite("Refused mutations", .onStage, .serialized)
struct RefusalTests {
    private static let json = ["Content-Type": Problem.contentType]

    /// Refuses every push of `ids` in place of the hub; everything else reaches it.
    private func refuse(_ ids: Set<String>, as outcome: String = "rejected", at shop: ShopUnderTest) {
        shop.front?.reply { request in
            guard request.isPush, let id = request.mutationIds.first, request.mutationIds.count == 1,
                ids.isEmpty || ids.contains(id)
            else { return .pass }
            let status: Int64 = outcome == "conflict" ? 409 : 422
            let problem: JSONValue = [
                "type": "urn:pos:problem:x", "title": "No", "status": .integer(status),
                "code": .string(outcome == "conflict" ? "conflict" : "invalid_mutation"),
                "detail": "The sku X is not sold here.", "id": .string(id), "outcome": .string(outcome),
                "policy": "escalate", "serverState": ["version": 7],
            ]
            return .response(status: Int(status), headers: Self.json, body: problem.canonicalText)
        }
    }

    /// A shop with one refused sale.
    private func refusedSale(
        as outcome: String = "rejected"
    ) throws -> (shop: ShopUnderTest, sale: JSONValue, id: String) {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        refuse([], as: outcome, at: shop)
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"] == "pending")
        let list = try shop.document("sync", "rejected")
        let id = try #require(list["items"]?.array?.first?["id"]?.string)
        refuse([id], as: outcome, at: shop)
        return (shop, sale, id)
    }

    @Test("A rejected sale is listed with the hub's reason, and its money stays in sight")
    func listed() throws {
        let (shop, sale, id) = try refusedSale()
        let list = try shop.document("sync", "rejected")
        let item = try #require(list["items"]?.array?.first)
        #expect(list["items"]?.array?.count == 1)
        #expect(item["state"] == "rejected")
        #expect(item["problem"]?["detail"] == "The sku X is not sold here.")
        #expect(item["orderNumber"] == sale["orderNumber"])
        #expect(list["amounts"]?.array == [["amount": 1250, "currency": "CNY"]])
        let orders = try shop.document("orders", "list")
        #expect(orders["orders"]?.array?.first?["sync"] == "rejected")
        #expect(
            orders["sums"]?.array
                == [["currency": "CNY", "sync": "rejected", "orders": 1, "amount": 1250, "refunded": 0]])
        let people = try shop.pos("sync", "rejected")
        #expect(people.text.contains(id))
        #expect(people.text.contains("The sku X is not sold here."))
        #expect(try shop.status()["outbox"]?["rejected"] == 1)
    }

    @Test(
        "A refused sale is in the banner with its command, which works at the checkout that shows the banner")
    func banner() throws {
        let (shop, _, id) = try refusedSale()
        let banner = try shop.status()["banner"]
        #expect(banner?["troubles"]?.array == ["refused"])
        #expect(banner?["action"] == "resolve" && banner?["command"] == "pos sync rejected")
        #expect(
            banner?["text"]?["en"]?.string?.contains("1 refused by the hub: see `pos sync rejected`") == true)
        #expect(banner?["text"]?["zh"]?.string?.contains("`pos sync rejected`") == true)
        let typed = ["pos sync rejected", "pos sync discard \(id) --reason 'sold by mistake'", "q"]
        let text = try shop.pos("sell", input: typed).text
        #expect(text.contains("The sku X is not sold here."))
        #expect(text.contains("\(id) is given up"))
        #expect(try shop.status()["banner"]?["action"] == "none")
        #expect(try shop.status()["outbox"]?["rejected"] == 0)
    }

    @Test("Retried under a new id that supersedes it, the sale arrives once, also when the hub requires both")
    func retried() throws {
        let (shop, sale, id) = try refusedSale()
        let response = try shop.document("sync", "retry", id)
        #expect(response["supersedes"] == .string(id))
        #expect(response["id"] != .string(id))
        try shop.waitUntilDrained()
        // The real hub never received the refused one: it requests it, and refuses it in favour of its edit.
        shop.front?.reply { _ in .pass }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        try shop.waitUntilDrained()
        let orders = try shop.orders()
        #expect(orders.count == 1)
        #expect(orders.first?["sync"] == "acknowledged")
        #expect(orders.first?["orderNumber"] == sale["orderNumber"])
        #expect(try shop.document("sync", "rejected")["items"]?.array == [])
        let audit = try shop.audit()
        #expect(audit.orders == 1)
        #expect(audit.total == 1250)
        #expect(audit.missing == [])
        #expect(audit.chain == "intact")
        #expect(audit.json["refused"]?["orders"] == 0)
    }

    @Test("An edit keeps entity and order number, may change the rest, and refuses what is no sale any more")
    func edited() throws {
        let (shop, sale, id) = try refusedSale()
        let number = try shop.pos("sync", "edit", id, "--set", "orderNumber=X", "--json")
        #expect(number.exitCode == 1)
        #expect(number.errorCode == "malformed_edit")
        #expect(try shop.pos("sync", "edit", id, "--set", "lines=[]").exitCode == 1)
        #expect(try shop.pos("sync", "edit", id).exitCode == 2)
        #expect(try shop.pos("sync", "edit", id, "--set", "lines.9.sku=A").exitCode == 2)
        _ = try shop.document(
            "sync", "edit", id, "--set", "lines.0.name=Corrected", "--set", "memberId=\"m1\"")
        try shop.waitUntilDrained()
        let order = try #require(try shop.orders().first)
        #expect(order["sync"] == "acknowledged")
        #expect(order["lines"]?.array?.first?["name"] == "Corrected")
        #expect(order["orderNumber"] == sale["orderNumber"])
        #expect(try shop.audit().total == 1250)
        let again = try shop.pos("sync", "retry", id, "--json")
        #expect(again.exitCode == 1)
        #expect(again.errorCode == "not_refused")
        #expect(try shop.pos("sync", "retry", "01ARZ3NDEKTSV4RRFFQ69G5FAV").exitCode == 1)
    }

    @Test(
        "A discard is journaled with its reason, the sale stays at the till, and what hangs on it is refused")
    func discarded() throws {
        let (shop, _, id) = try refusedSale()
        #expect(try shop.pos("sync", "discard", id).exitCode == 2)
        let response = try shop.document("sync", "discard", id, "--reason", "rung up twice", "--by", "Ann")
        #expect(response["discards"] == .string(id))
        try shop.waitUntilDrained()
        let pushed = try #require(shop.front?.requests.last { $0.body.contains("mutation.discarded") })
        let payload = try JSONParser.parse(pushed.body.utf8)["payload"]
        #expect(payload == ["discards": .string(id), "reason": "rung up twice", "by": "Ann"])
        let order = try #require(try shop.orders().first)
        #expect(order["sync"] == "discarded")
        #expect(try shop.document("sync", "rejected")["items"]?.array == [])
        #expect(try shop.status()["outbox"]?["rejected"] == 0)
        #expect(try shop.audit().orders == 0)
    }

    @Test("A conflict shows the server's state; mine goes again on top of it, or the server's stays")
    func conflict() throws {
        let (shop, _, id) = try refusedSale(as: "conflict")
        let item = try #require(try shop.document("sync", "rejected")["items"]?.array?.first)
        #expect(item["state"] == "conflicted")
        #expect(item["policy"] == "escalate")
        #expect(item["serverState"] == ["version": 7])
        #expect(try shop.status()["outbox"]?["conflicted"] == 1)
        let mine = try shop.document("sync", "resolve", id, "--keep", "mine")
        #expect(mine["supersedes"] == .string(id))
        try shop.waitUntilDrained()
        #expect(try shop.orders().first?["sync"] == "acknowledged")
        let (other, _, second) = try refusedSale(as: "conflict")
        let server = try other.document("sync", "resolve", second, "--keep", "server")
        #expect(server["discards"] == .string(second))
        #expect(try other.orders().first?["sync"] == "discarded")
    }

    @Test("All of it works without an agent")
    func withoutAgent() throws {
        let (shop, _, id) = try refusedSale()
        shop.killAgent()
        #expect(try shop.document("sync", "rejected")["items"]?.array?.count == 1)
        _ = try shop.document("sync", "retry", id)
        shop.front?.reply { _ in .pass }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try shop.audit().total == 1250)
    }
}
