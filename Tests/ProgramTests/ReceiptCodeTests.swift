import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

/// The signed code of a receipt, from the built programs.
@Suite("Receipt codes of a till", .onStage)
struct TillReceiptCodeTests {
    @Test("A sale without the hub has a code that its terminal's key signed, and its order shows the same")
    func signed() throws {
        let shop = try ShopUnderTest()
        shop.hub?.kill()
        try shop.startAgent()
        let (tea, pot) = (Article.assortment[0], Article.assortment[1])
        let sale = try shop.document("sell", "--line", tea.barcode + ":2", "--line", pot.barcode)
        let text = try #require(sale["receiptCode"]?.string)
        let code = try ReceiptCode(text: text)
        #expect(code.orderNumber == sale["orderNumber"]?.string)
        #expect(code.total == sale["total"]?["amount"]?.integer && code.currency == Article.currency)
        #expect(code.lines.map(\.barcode) == [tea.barcode, pot.barcode])
        #expect(code.lines.map(\.quantityMilli) == [2000, 1000])
        #expect(code.lines.map(\.amount).reduce(0, +) == code.total && code.isComplete)
        let stored = try String(contentsOfFile: shop.home + "/device.key", encoding: .utf8)
        let raw = try #require(Data(base64Encoded: stored.trimmingCharacters(in: .whitespacesAndNewlines)))
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: raw)
        #expect(code.isSigned(by: key.publicKey.rawRepresentation.base64EncodedString()))
        let shown = try shop.document("orders", "show", sale["orderId"]?.string ?? "")
        #expect(shown["receiptCode"]?.string == text)
        let listed = try #require(try shop.orders().first)
        #expect(listed["receiptCode"] == nil)
    }
}
