import Foundation
import HubProtocol
import TestKit
import Testing

/// Carts of windows and agents that are killed, by the built programs at a pseudo terminal.
@Suite("Carts that cannot be lost", .onStage)
struct LeftCartTests {
    private static let tea = Article.assortment[0].barcode
    private static let pay = "\u{1B}[21~"
    private static let park = "\u{1B}[19~"
    private static let delete = "\u{1B}[3~"

    private func counter(_ shop: ShopUnderTest) throws -> TerminalUnderTest {
        try TerminalUnderTest("pos", ["sell", "--home", shop.home], environment: shop.settings)
    }

    /// Scans five teas and takes 50.00 of their 62.50.
    private func takeFifty(_ till: TerminalUnderTest) {
        #expect(till.shows("Scan the first article"))
        till.type("2*" + Self.tea + "\r" + Self.tea + "\r2*" + Self.tea + "\r")
        // The total is in big digits, its tax in small ones.
        #expect(till.shows { $0.contains("3 lines") && $0.contains("of it tax 7.19") }, "\(till.text)")
        till.type(Self.pay)
        #expect(till.shows("Amount, or choose below"))
        till.type("50\r")
        #expect(till.shows { $0.contains("taken: Cash") && $0.contains("12.50 CNY") }, "\(till.text)")
    }

    private func current(_ shop: ShopUnderTest) throws -> [JSONValue] {
        try shop.document("cart", "current")["carts"]?.array ?? []
    }

    /// Waits until the only cart has `state`.
    private func waits(_ shop: ShopUnderTest, for state: String) throws -> JSONValue {
        let end = Date().addingTimeInterval(20)
        while Date() < end {
            if let cart = try current(shop).first, cart["state"]?.string == state { return cart }
            usleep(50_000)
        }
        return try #require(try current(shop).first)
    }

    @Test(
        "A window that is killed leaves its cart with what was taken; the next one goes on with it, and the drawer agrees",
        arguments: [SIGHUP, SIGKILL])
    func killedWindow(_ signal: Int32) throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        _ = try shop.document("shift", "open", "--float", "10000")
        let first = try counter(shop)
        takeFifty(first)
        let open = try #require(try current(shop).first)
        #expect(open["state"] == "open" && open["frontEnd"]?.string?.contains(";pos sell") == true)
        kill(first.processIdentifier, signal)
        let left = try waits(shop, for: "left")
        #expect(left["state"] == "left" && left["lines"] == 3)
        #expect(left["taken"]?.array?.map { $0["amount"] } == [5000])
        let closing = try shop.pos("shift", "close", "--counted", "10000", "--json")
        #expect(closing.errorCode == "cart_has_money")
        let dropping = try shop.pos(
            "cart", "drop", left["cartId"]?.string ?? "", "--reason", "gone", "--json")
        #expect(dropping.exitCode == 1 && dropping.errorCode == "cart_has_money")

        let second = try counter(shop)
        #expect(second.shows("3 lines, 50.00 CNY taken: go on?"), "\(second.text)")
        second.type("\r")
        #expect(
            second.shows { $0.contains("Taken 50.00") && $0.contains("of it tax 7.19") }, "\(second.text)")
        second.type(Self.pay)
        #expect(second.shows("Amount, or choose below"))
        second.type("20\r")
        #expect(second.shows { $0.contains("Change") && $0.contains("Total 62.50") }, "\(second.text)")
        second.type("\r\u{11}")
        #expect(second.exitCode() == 0)
        #expect(try current(shop).isEmpty)
        #expect(try shop.orders().map { $0["change"]?["amount"] } == [750])
        let closed = try shop.document("shift", "close", "--counted", "16250")
        #expect(closed["cash"]?["difference"] == 0)
    }

    @Test(
        "An agent that is killed comes back to the window's cart, and the window's next sale has none of it")
    func killedAgent() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let till = try counter(shop)
        takeFifty(till)
        shop.killAgent()
        #expect(try current(shop).first?["state"] == "left")
        try shop.startAgent()
        // It is back within its ten seconds, so nobody else is offered its cart.
        till.type("\u{1B}")
        #expect(till.shows { !$0.contains("Amount, or choose below") && $0.contains("Taken 50.00") })
        till.type(Self.tea + "\r")
        #expect(till.shows { $0.contains("▶  4") && $0.contains("Taken 50.00") }, "\(till.text)")
        let cart = try waits(shop, for: "open")
        #expect(cart["state"] == "open" && cart["taken"]?.array?.map { $0["amount"] } == [5000])
        for _ in 0..<4 {
            till.type(Self.delete)
            usleep(300_000)
        }
        #expect(till.shows("Hand back 50.00 CNY, cash"), "\(till.text)")
        till.type("\r")
        #expect(till.shows("Scan the first article"), "\(till.text)")
        #expect(try current(shop).isEmpty)
        till.type(Self.tea + "\r")
        #expect(till.shows { $0.contains("12.50") && !$0.contains("Taken") })
        till.type(Self.pay)
        #expect(
            till.shows { $0.contains("Amount, or choose below") && !$0.contains("taken") }, "\(till.text)")
        till.type("\r")
        #expect(till.shows("Paid"))
        #expect(try shop.orders().map { $0["change"]?["amount"] } == [0])
    }

    @Test(
        "Of two windows one has the cart; the other hears who, and that it was sold, before any money moves")
    func twoWindows() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let id = try #require(try shop.document("cart", "park", "--line", Self.tea)["cartId"]?.string)
        let (first, second) = (try counter(shop), try counter(shop))
        #expect(first.shows("Scan the first article") && second.shows("Scan the first article"))
        second.type(Self.park)
        #expect(second.shows("without a name"))
        first.type(Self.park)
        #expect(first.shows("without a name"))
        first.type("\r")
        #expect(
            first.shows { $0.contains("1 line") && $0.contains("12.50") && !$0.contains("without a name") })
        second.type("\r")
        #expect(second.shows("The cart is on the screen of pos sell"), "\(second.text)")
        let resumed = try shop.pos("cart", "resume", id, "--json")
        #expect(resumed.exitCode == 1 && resumed.errorCode == "cart_in_use")
        #expect(try shop.pos("sell", "--cart", id, "--json").errorCode == "cart_in_use")
        first.type(Self.pay)
        #expect(first.shows("Amount, or choose below"))
        first.type("\r")
        #expect(first.shows("Paid"))
        second.type("\r")
        #expect(second.shows("The cart was sold already: "), "\(second.text)")
        let again = try shop.pos("cart", "resume", id, "--json")
        #expect(again.errorCode == "already_sold" && again.text.contains("soldAt"))
        let repeated = try shop.document("sell", "--cart", id)
        #expect(repeated["repeated"] == true && repeated["soldAt"]?.string != nil)
        #expect(try shop.orders().count == 1)
    }

    @Test(
        "A cart whose window was killed with the agent is offered at once, since that window cannot come back"
    )
    func killedBoth() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let till = try counter(shop)
        takeFifty(till)
        shop.killAgent()
        kill(till.processIdentifier, SIGKILL)
        #expect(till.exitCode() != nil)
        try shop.startAgent()
        #expect(try current(shop).first?["state"] == "left")
        let next = try counter(shop)
        #expect(next.shows("3 lines, 50.00 CNY taken: go on?"), "\(next.text)")
        next.type("\r")
        #expect(next.shows { $0.contains("Taken 50.00") }, "\(next.text)")
        // The agent alone is killed: this window is waited for.
        shop.killAgent()
        try shop.startAgent()
        #expect(try current(shop).first?["state"] == "open")
    }

    @Test("A checkout without an agent leaves its cart too, and it is offered at once")
    func withoutAgent() throws {
        let shop = try ShopUnderTest()
        let till = try counter(shop)
        takeFifty(till)
        kill(till.processIdentifier, SIGKILL)
        #expect(till.exitCode() != nil)
        #expect(try current(shop).first?["state"] == "left")
        let next = try counter(shop)
        #expect(next.shows("3 lines, 50.00 CNY taken: go on?"), "\(next.text)")
        next.type("\u{1B}")
        #expect(next.shows("Scan the first article"))
        next.type("\u{11}")
        #expect(next.exitCode() == 0)
        let id = try #require(try current(shop).first?["cartId"]?.string)
        _ = try shop.document("cart", "drop", id, "--reason", "the customer left", "--handed-back")
        #expect(try current(shop).isEmpty)
    }
}
