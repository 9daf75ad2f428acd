import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// A shift in a currency without a fraction and in one of thousandths: amounts stay whole minor units from
/// the offer to the gateway and the statement, and people read them with the currency's own decimals.
@Suite("Currencies with other decimals", .onStage)
struct CurrencyDecimalsTests {
    private static let tea = Article.assortment[0].barcode

    private func shop(_ currency: String) throws -> CardShop {
        let cards = try CardShop(on: nil, timeout: 2, settings: .hurried, currency: currency)
        let shop = cards.shop
        let tenders =
            #"tenders=[{"method":"cash","kind":"cash"},{"method":"card","kind":"card"},"#
            + #"{"method":"gift","kind":"voucher","refundable":false}]"#
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100", "points.valueMinor=3",
            tenders)
        try shop.importRows(.members, "M1,13800138000,Li,1000,")
        try shop.importRows(.promotions, "P1,Autumn,amount,,,,200,,,,true")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        try cards.waitForCards()
        return cards
    }

    @Test(
        "Offers, points, tenders, refunds, gateway, Z and statement add up to the minor unit",
        arguments: [("JPY", "3310", "1000", "20000"), ("KWD", "3.310", "1.000", "20.000")])
    func shift(currency: String, total: String, card: String, float: String) throws {
        let cards = try shop(currency)
        let shop = cards.shop
        _ = try shop.document("shift", "open", "--float", "20000")
        // 3 x 1,250 less 200 of the promotion and 80 points of 3 each; then a voucher, a card and cash.
        let sale = try shop.document(
            "sell", "--line", "\(Self.tea):3", "--member", "M1", "--points", "80", "--pay", "gift:10:V-1",
            "--pay", "card:1000", "--pay", "cash:3000")
        cards.note(sale)
        #expect(sale["total"] == ["amount": 3_310, "currency": .string(currency)])
        #expect(sale["change"]?["amount"] == 700)
        #expect(sale["points"] == ["earned": 33, "spent": 80, "value": 240])
        let receipt = try #require(sale["receipt"]?.string)
        #expect(receipt.contains(total) && receipt.contains(card), "\(receipt)")
        let order = try #require(sale["orderId"]?.string)
        let refund = try shop.document("orders", "refund", order, "--line", "\(Self.tea):1")
        let back = try #require(refund["total"]?["amount"]?.integer)
        // A third of 3,310, to the unit.
        #expect([1_103, 1_104].contains(back))
        let drawer = 20_000 + 3_310 - 1_000 - 10 - (back - 1_000)
        let z = try shop.document("shift", "close", "--counted", "\(drawer)")
        #expect(z["currency"]?.string == currency)
        #expect(z["cash"]?["difference"] == 0 && z["sales"]?["total"] == 3_310, "\(z)")
        #expect(z["report"]?.string?.contains(float) == true, "\(z["report"]?.string ?? "")")
        let paid = (z["tenders"]?.array ?? []).reduce(0) { $0 + ($1["amount"]?.integer ?? 0) }
        #expect(paid == 3_310 - back)
        try cards.settle()
        #expect(cards.gateway.book.accounts.values.map(\.currency) == [currency])
        #expect(cards.gateway.book.accounts.values.map(\.charged) == [0])
        let id = try #require(z["shiftId"]?.string)
        try shop.waitUntil("the shift is confirmed", within: 60) { _ in
            _ = try shop.document("sync", "now")
            return try shop.document("shift", "show", id)["state"] == "confirmed"
        }
        let kept = try shop.posHub("shifts", "show", id)
        for figure in ["sales", "refunds", "tenders", "taxes", "points"] {
            #expect(kept[figure] == z[figure], "\(figure)")
        }
        #expect(try shop.posHub("flags", "list")["flags"] == [])
    }
}
