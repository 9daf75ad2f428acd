import Foundation
import HubProtocol
import TestKit
import Testing

/// A cashier's PIN, by the hub's word and by the till's copy.
@Suite("Cashiers", .onStage)
struct CashierSaleTests {
    private static let tea = Article.shelf[0].barcode

    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest(.front)
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "c2,Wu,98765432,manager")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    private func code(_ shop: ShopUnderTest, _ arguments: String...) throws -> String? {
        let end = try shop.pos(["sell", "--line", Self.tea, "--json"] + arguments)
        #expect(end.exitCode == (end.errorCode == nil ? 0 : 1))
        return end.errorCode
    }

    private func sessions(_ shop: ShopUnderTest) -> Int {
        shop.front?.requests.count { $0.path == Routes.sessions } ?? 0
    }

    @Test("Sell with their PIN, which the hub is asked for once, and nobody sells without")
    func online() throws {
        let shop = try shop()
        #expect(try code(shop) == "cashier_required")
        #expect(try code(shop, "--cashier", "c1") == "cashier_required")
        #expect(try code(shop, "--cashier", "c2", "--pin", "1234") == "wrong_pin")
        #expect(sessions(shop) == 1)
        for _ in 0..<3 { #expect(try code(shop, "--cashier", "c1", "--pin", "1234") == nil) }
        #expect(sessions(shop) == 2)
        #expect(
            shop.front?.exchanges.filter { $0.request.path == Routes.sessions }.map(\.status) == [422, 201])
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 3)
    }

    @Test("Are locked out after five wrong PINs, at the hub's word as at the till's")
    func locked() throws {
        let shop = try shop()
        for _ in 0..<5 { #expect(try code(shop, "--cashier", "c1", "--pin", "0000") == "wrong_pin") }
        #expect(try code(shop, "--cashier", "c1", "--pin", "1234") == "pin_locked")
        #expect(try code(shop, "--cashier", "c2", "--pin", "98765432") == nil)
        // Another life of the agent counts anew; the hub still knows.
        shop.killAgent()
        try shop.startAgent()
        try shop.waitUntilReachable()
        #expect(try code(shop, "--cashier", "c1", "--pin", "1234") == "pin_locked")
        #expect(try shop.orders().count == 1)
    }

    @Test("Sell without the hub by the till's copy, and no PIN lies on the disk")
    func withoutHub() throws {
        let shop = try shop()
        #expect(try shop.doctorsWord(on: "PINs")?.contains("2 cashiers") == true)
        shop.killAgent()
        shop.killHub()
        try shop.startAgent()
        #expect(try code(shop, "--cashier", "c2", "--pin", "98765432") == nil)
        #expect(try code(shop, "--cashier", "c2", "--pin", "1234") == "wrong_pin")
        #expect(try code(shop, "--cashier", "c3", "--pin", "1234") == "wrong_pin")
        _ = try shop.document("offline", "on")
        let asked = sessions(shop)
        let sales = try shop.openSales()
        let request: JSONValue = [
            "lines": [["barcode": .string(Self.tea)]], "cashierId": "c1", "pin": "1234",
        ]
        #expect(try sales.sell(request)["receipt"]?.string?.contains("Cashier c1") == true)
        #expect(try sales.sell(["lines": request["lines"] ?? .null])["error"]?["code"] == "cashier_required")
        #expect(sales.close() == 0)
        #expect(sessions(shop) == asked)
        for (name, bytes) in try shop.homeContents() {
            #expect(bytes.range(of: Data("98765432".utf8)) == nil, "\(name)")
        }
    }

    @Test("Whose PIN was changed at the hub sell with the new one only, once the feed has brought it")
    func changed() throws {
        let shop = try shop()
        #expect(try code(shop, "--cashier", "c1", "--pin", "1234") == nil)
        try shop.importRows(.cashiers, "c1,Li,5555,cashier")
        _ = try shop.document("sync", "now")
        #expect(try code(shop, "--cashier", "c1", "--pin", "1234") == "wrong_pin")
        #expect(try code(shop, "--cashier", "c1", "--pin", "5555") == nil)
        shop.killHub()
        #expect(try code(shop, "--cashier", "c1", "--pin", "5555") == nil)
    }
}
