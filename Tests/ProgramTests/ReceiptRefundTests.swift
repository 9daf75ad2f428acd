import Foundation
import HubProtocol
import TestKit
import Testing

/// Refunds of one till's sales at another, through the built programs.
@Suite("Refunds by the receipt's code at another till", .onStage)
struct TillReceiptRefundTests {
    private static let tea = Article.assortment[0]
    private static let pot = Article.assortment[10]

    private func refund(_ till: OtherTill, _ arguments: String..., input: [String] = []) throws -> JSONValue {
        let end = try ProgramUnderTest.run(
            "pos", ["orders", "refund"] + arguments + ["--json", "--home", till.home],
            environment: till.shop.settings, input: input)
        return try end.document()
    }

    @Test(
        "With the hub the sale is found there; without it the signed code counts, once, and all of it drains")
    func acrossTills() throws {
        let shop = try ShopUnderTest()
        let other = try OtherTill(shop)
        // The first till pulls the second one's key, and the other way round.
        try shop.startAgent()
        _ = try shop.document("sync", "now")
        try other.sync()
        let sale = try shop.document(
            "sell", "--line", Self.tea.barcode + ":2", "--line", Self.pot.barcode + ":10", "--pay",
            "cash:10000")
        let code = try #require(sale["receiptCode"]?.string)
        try shop.waitUntilDrained()

        let online = try refund(other, "--receipt-code", code, "--line", Self.tea.barcode + ":1")
        #expect(online["orderId"] == sale["orderId"] && online["orderNumber"] == sale["orderNumber"])
        #expect(online["total"]?["amount"]?.integer == Self.tea.price)
        try other.sync()

        shop.killHub()
        let offline = try refund(
            other, "--receipt-code", code, "--line", Self.pot.barcode + ":4", "--reason", "dented")
        #expect(offline["orderId"] == nil)
        #expect(offline["total"]?["amount"]?.integer == 4 * Self.pot.price)
        #expect(try refund(other, "--receipt-code", code)["total"]?["amount"]?.integer != nil)
        #expect(
            try refund(other, "--receipt-code", code)["error"]?["code"] == "nothing_left")
        // The same receipt at its own till: its own record is what counts there.
        let own = try shop.document(
            "orders", "refund", "--receipt-code", code, "--line", Self.pot.barcode + ":1")
        #expect(own["orderId"] == sale["orderId"])

        let torn = try refund(other, "--receipt-code", String(code.dropLast(8)))
        #expect(torn["error"]?["code"] == "receipt_code_invalid")
        let forged = try refund(other, "--receipt-code", Self.forged(code))
        #expect(forged["error"]?["code"] == "receipt_code_invalid")
        let unnamed = try refund(other, "--without-receipt")
        #expect(unnamed["error"]?["code"] == "goods_missing")

        try shop.startHub()
        try other.sync()
        try shop.waitUntilDrained()
        for audit in try shop.terminalAudits() {
            #expect(audit["gap"] == 0, "\(audit)")
        }
    }

    /// One bit of the signature is another one.
    private static func forged(_ code: String) -> String {
        var characters = Array(code)
        let place = characters.count - 20
        characters[place] = characters[place] == "A" ? "B" : "A"
        return String(characters)
    }

    @Test("Without the hub a store with cashiers wants an approver, and the store's limits hold")
    func limited() throws {
        let shop = try ShopUnderTest()
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "m1,Wu,98765432,manager")
        _ = try shop.posHub("store-config", "set", "--store-id", "S1", "account.approvals=void")
        _ = try shop.posHub(
            "store-config", "set", "--store-id", "S1", "refund.withoutOrder.perRefund=2000",
            "refund.withoutOrder.perDay=3000")
        let other = try OtherTill(shop)
        try shop.startAgent()
        _ = try shop.document("sync", "now")
        try other.sync()
        let person = ["--cashier", "c1", "--pin", "1234"]
        let sale = try shop.pos(["sell", "--line", Self.tea.barcode + ":5", "--json"] + person).document()
        let code = try #require(sale["receiptCode"]?.string)
        try shop.waitUntilDrained()
        shop.killHub()
        func refund(_ arguments: [String], _ input: [String] = []) throws -> JSONValue {
            let end = try ProgramUnderTest.run(
                "pos", ["orders", "refund"] + arguments + person + ["--json", "--home", other.home],
                environment: shop.settings, input: input)
            return try end.document()
        }
        let one = ["--receipt-code", code, "--line", Self.tea.barcode + ":1"]
        let alone = try refund(one)
        #expect(alone["error"]?["code"] == "approval_required" && alone["error"]?["action"] == "refund")
        let approver = ["--approver", "m1", "--approver-pin-stdin"]
        #expect(try refund(one + approver, ["98765432"])["approverId"] == "m1")
        let two = ["--receipt-code", code, "--line", Self.tea.barcode + ":2"]
        let above = try refund(two)
        #expect(above["error"]?["code"] == "approval_required" && above["error"]?["action"] == "refundLimit")
        #expect(try refund(two + approver, ["98765432"])["total"]?["amount"] == 2500)
        // 3,750 of 3,000 are spent today.
        #expect(try refund(one)["error"]?["action"] == "refundLimit")
        #expect(try refund(one + approver, ["98765432"])["total"]?["amount"] == 1250)
        let bare = ["--without-receipt", "--line", Self.pot.barcode + ":1"]
        #expect(try refund(bare)["error"]?["code"] == "approval_required")
        #expect(try refund(bare + approver, ["98765432"])["total"]?["amount"]?.integer == Self.pot.price)
    }

    @Test("Where nobody could approve, what is above the limits is refused without the hub, and not with it")
    func limitedAlone() throws {
        let shop = try ShopUnderTest()
        _ = try shop.posHub(
            "store-config", "set", "--store-id", "S1", "refund.withoutOrder.perRefund=2000")
        let other = try OtherTill(shop)
        try shop.startAgent()
        _ = try shop.document("sync", "now")
        try other.sync()
        let sale = try shop.document("sell", "--line", Self.tea.barcode + ":6")
        let code = try #require(sale["receiptCode"]?.string)
        try shop.waitUntilDrained()
        let two = ["--receipt-code", code, "--line", Self.tea.barcode + ":2"]
        #expect(try refund(other, two[0], two[1], two[2], two[3])["total"]?["amount"] == 2500)
        shop.killHub()
        let refused = try refund(other, two[0], two[1], two[2], two[3])
        #expect(refused["error"]?["code"] == "refund_limit")
    }

    @Test(
        "What another till has paid back is refused at the sale's own till before anything is recorded, with what came back where; a void, too"
    )
    func paidOnce() throws {
        // The hub decides here, however busy the machine is.
        let shop = try ShopUnderTest(
            settings: .hurried.with(["POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "10000"]))
        let other = try OtherTill(shop)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sale = try shop.document("sell", "--line", Self.tea.barcode + ":2")
        let code = try #require(sale["receiptCode"]?.string)
        let number = try #require(sale["orderNumber"]?.string)
        try shop.waitUntilDrained()
        #expect(try refund(other, "--receipt-code", code)["total"]?["amount"] == 2500)
        // Its refund has not arrived, and is reserved all the same.
        for _ in 0..<2 {
            let refused = try shop.pos("orders", "refund", number, "--json")
            #expect((refused.exitCode, refused.errorCode) == (1, "refund_exceeds_sale"))
            let error = try refused.document()["error"]
            #expect(error?["returned"]?.array?.first?["total"] == 2500)
            #expect(error?["returned"]?.array?.first?["storeId"] == "S1")
            #expect(error?["message"]?.string?.contains("25.00 CNY") == true, "\(error ?? .null)")
            #expect(error?["messageZh"]?.string?.contains("25.00 CNY") == true, "\(error ?? .null)")
            let void = try shop.pos("orders", "void", number, "--json")
            #expect((void.exitCode, void.errorCode) == (1, "refunded_already"))
            try other.sync()
        }
        let shown = try shop.document("orders", "show", number)
        #expect(shown["refunds"] == [] && shown["state"] == "completed")
        #expect(shown["left"]?.array?.map { $0["quantityMilli"] } == [0])
        #expect(shown["returnedElsewhere"]?.array?.count == 1 && shown["leftBy"] == "hub")
        let scanned = try shop.query("POST", "/v1/refunds/left", body: ["receiptCode": .string(code)])
        #expect(scanned["lines"]?.array?.map { $0["left"] } == [0] && scanned["leftBy"] == "hub")
        let audits = try shop.terminalAudits()
        #expect(audits.map { $0["gap"] } == [0, 0])
        #expect(audits.compactMap { $0["refunds"]?["amount"]?.integer }.reduce(0, +) == 2500)
    }

    @Test(
        "What a card paid at another till comes back in cash with an approver alone, what cash paid without")
    func paidByCard() throws {
        let shop = try ShopUnderTest(serving: ["--payments", "simulator"])
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "m1,Wu,98765432,manager")
        _ = try shop.posHub("store-config", "set", "--store-id", "S1", "account.approvals=void")
        let other = try OtherTill(shop)
        try shop.startAgent()
        _ = try shop.document("sync", "now")
        try other.sync()
        let person = ["--cashier", "c1", "--pin", "1234"]
        for (tender, error) in [("cash", nil), ("card", "approval_required")] as [(String, String?)] {
            let sale = try shop.pos(
                ["sell", "--line", Self.tea.barcode, "--pay", tender, "--json"] + person
            ).document()
            let code = try #require(sale["receiptCode"]?.string)
            try shop.waitUntilDrained()
            let refund =
                ["orders", "refund", "--receipt-code", code, "--json", "--home", other.home] + person
            let alone = try ProgramUnderTest.run("pos", refund, environment: shop.settings).document()
            #expect(alone["error"]?["code"]?.string == error)
            guard error != nil else { continue }
            let approved = try ProgramUnderTest.run(
                "pos", refund + ["--approver", "m1", "--approver-pin-stdin"], environment: shop.settings,
                input: ["98765432"])
            #expect(try approved.document()["approverId"] == "m1")
        }
    }

    @Test(
        "An exchange takes back and sells in one, by the order or another till's receipt, and once by its key"
    )
    func exchanged() throws {
        let shop = try ShopUnderTest()
        let other = try OtherTill(shop)
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Self.tea.barcode + ":2")
        let code = try #require(sale["receiptCode"]?.string)
        let number = try #require(sale["orderNumber"]?.string)
        try shop.waitUntilDrained()
        // 12.50 come back, 0.45 are sold: the customer gets 12.05.
        let key = "01M81N5RBDG4ERV1D2CD7824PN"
        let exchange = [
            "orders", "exchange", number, "--return", Self.tea.barcode + ":1", "--line", Self.pot.barcode,
            "--key", key, "--json",
        ]
        let first = try shop.pos(exchange).document()
        #expect(first["refund"]?["total"]?["amount"] == 1250 && first["total"]?["amount"] == 45)
        #expect(first["due"]?["amount"] == -1205 && first["change"]?["amount"] == 1205)
        let again = try shop.pos(exchange).document()
        #expect(again["orderNumber"] == first["orderNumber"])
        #expect(again["refund"]?["refundId"] == first["refund"]?["refundId"])
        #expect(try shop.orders().count == 2)
        // More is sold than comes back: the rest is paid, and nothing is recorded while it is not.
        let dear = [
            "orders", "exchange", "--receipt-code", code, "--return", Self.tea.barcode + ":1", "--line",
            Self.tea.barcode + ":3", "--json", "--home", other.home,
        ]
        let short = try ProgramUnderTest.run("pos", dear + ["--pay", "cash:100"], environment: shop.settings)
        #expect(short.errorCode == "payment_short")
        let paid = try ProgramUnderTest.run("pos", dear + ["--pay", "cash:3000"], environment: shop.settings)
            .document()
        #expect(paid["due"]?["amount"] == 2500 && paid["change"]?["amount"] == 500)
        #expect(paid["refund"]?["orderNumber"] == sale["orderNumber"])
        let gone = try ProgramUnderTest.run("pos", dear, environment: shop.settings)
        #expect(gone.errorCode == "more_than_left")
        try other.sync()
        try shop.waitUntilDrained()
        let audits = try shop.terminalAudits()
        #expect(audits.map { $0["gap"] } == [0, 0])
        #expect(audits.compactMap { $0["refunds"]?["amount"]?.integer }.reduce(0, +) == 2500)
    }
}
