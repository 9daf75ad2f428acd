import Foundation
import HubProtocol
import TestKit
import Testing

/// Quotes, parked carts and search through the built programs.
@Suite("Carts that wait", .onStage)
struct ParkedCartTests {
    @Test("A parked cart survives kill -9 of the agent, and is sold once however often it is resumed")
    func parkedAndSold() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let (tea, pot) = (Article.assortment[0], Article.assortment[1])
        let parked = try shop.document(
            "cart", "park", "--name", "red hat", "--line", tea.barcode + ":2", "--line", pot.barcode)
        let id = try #require(parked["cartId"]?.string)
        let quoted = try shop.document("quote", "--line", tea.barcode + ":2", "--line", pot.barcode)
        #expect(parked["total"] == quoted["total"])
        shop.killAgent()
        try shop.startAgent()
        let listed = try shop.document("cart", "list")["carts"]?.array ?? []
        #expect(listed.map { $0["cartId"]?.string } == [id] && listed.first?["name"] == "red hat")
        let resumed = try shop.document("cart", "resume", id)
        #expect(resumed["resumedAt"]?.string != nil)
        #expect(try shop.document("cart", "list")["carts"]?.array?.count == 1)
        let first = try shop.document("sell", "--cart", id)
        #expect(first["total"] == quoted["total"])
        #expect(try shop.document("cart", "list")["carts"] == [])
        // A front end that had resumed it before sends it once more.
        let second = try shop.document(
            "sell", "--line", tea.barcode + ":2", "--line", pot.barcode, "--key", id)
        #expect(second["orderId"] == first["orderId"])
        #expect(try shop.orders().count == 1)
    }

    @Test("Carts work without the hub; a dropped one is gone, and each refusal names its cause")
    func offline() throws {
        let shop = try ShopUnderTest()
        shop.hub?.kill()
        try shop.startAgent()
        let tea = Article.assortment[0].barcode
        let parked = try shop.document("cart", "park", "--line", tea)
        let id = try #require(parked["cartId"]?.string)
        let unknown = try shop.pos("cart", "park", "--line", "0000", "--json")
        #expect(unknown.exitCode == 1 && unknown.text.contains("unknown_barcode"))
        #expect(try shop.pos("cart", "drop", id).exitCode == 2)
        #expect(try shop.pos("cart", "drop", id, "--reason", " ").exitCode == 2)
        #expect(try shop.document("cart", "list")["carts"]?.array?.count == 1)
        let dropped = try shop.pos("cart", "drop", id, "--reason", "the customer left")
        #expect(dropped.exitCode == 0)
        for words in [["show", id], ["resume", id], ["drop", id, "--reason", "again"]] {
            let end = try shop.pos(["cart"] + words + ["--json"])
            #expect(end.exitCode == 1 && end.text.contains("unknown_cart"))
        }
        #expect(try shop.pos("sell", "--cart", id).exitCode == 1)
        #expect(try shop.orders().isEmpty)
    }

    @Test("A search finds articles by any part of name and barcode, and nothing is no error")
    func search() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let wanted = Article.assortment[0]
        let part = String(wanted.name.dropFirst().prefix(3)).uppercased()
        let found = try shop.document("products", "search", part)["products"]?.array ?? []
        #expect(found.contains { $0["barcode"]?.string == wanted.barcode })
        let exact = try shop.document("products", "search", wanted.barcode)["products"]?.array
        #expect(exact?.first?["sku"]?.string == wanted.sku)
        #expect(try shop.document("products", "search", "no such thing") == ["products": []])
        #expect(try shop.pos("products", "search", "").exitCode == 2)
        #expect(try shop.pos("products", "search", "a", "--limit", "501").exitCode == 2)
    }
}
