import Foundation
import HubProtocol
import TestKit
import Testing

/// A cashier at the full screen of `pos sell`, key by key, at a pseudo terminal.
@Suite("The counter's screen", .onStage)
struct CounterScreenTests {
    private static let tea = Article.assortment[0].barcode
    private static let pay = "\u{1B}[21~"
    private static let park = "\u{1B}[19~"

    private func counter(_ shop: ShopUnderTest) throws -> TerminalUnderTest {
        try TerminalUnderTest("pos", ["sell", "--home", shop.home], environment: shop.settings)
    }

    @Test("Sells, parks and resumes over a kill of the agent, and gives the terminal back as it was")
    func day() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let till = try counter(shop)
        #expect(till.shows("Scan the first article"))
        #expect(till.isOnOtherScreen)
        till.type(Self.tea + "\r2*" + Self.tea + "\r")
        #expect(till.shows { $0.contains("2 lines") && $0.contains("25.00") }, "\(till.text)")
        till.type(Self.park)
        #expect(till.shows("a name to find it by"))
        till.type("blue coat\r")
        #expect(till.shows("Parked \"blue coat\""), "\(till.text)")
        shop.killAgent()
        try shop.startAgent()
        till.type(Self.park)
        #expect(till.shows { $0.contains("blue coat") && $0.contains("37.50") }, "\(till.text)")
        till.type("\r")
        // The list of carts is gone and the cart is priced: only then F10 pays.
        #expect(till.shows { !$0.contains("blue coat") && $0.contains("of it tax") }, "\(till.text)")
        till.type(Self.pay)
        #expect(till.shows("Amount, or choose below"))
        till.type("40\r")
        #expect(till.shows { $0.contains("Change") && $0.contains("Total 37.50") }, "\(till.text)")
        #expect(try shop.orders().map { $0["total"]?["amount"] } == [3750])
        till.type("\r\u{11}")
        #expect(till.exitCode() == 0)
        #expect(till.shows { _ in !till.isOnOtherScreen })
    }

    @Test("A program that is killed by a signal leaves the terminal usable")
    func killed() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let till = try counter(shop)
        #expect(till.shows("Scan the first article"))
        kill(till.processIdentifier, SIGTERM)
        #expect(till.exitCode() != nil)
        #expect(till.shows(within: 5) { _ in !till.isOnOtherScreen })
    }
}
