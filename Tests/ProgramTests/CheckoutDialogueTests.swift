import Foundation
import HubProtocol
import TestKit
import Testing

/// What a cashier types and reads in the checkout.
@Suite("The checkout", .onStage)
struct CheckoutDialogueTests {
    private static let tea = Article.assortment[0].barcode

    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    @Test("Refuses a bad line where it is entered, and has the total in every prompt")
    func running() throws {
        let shop = try shop()
        let typed = [
            Self.tea + ":0", Self.tea + ":-1", Self.tea + ":1.5", Self.tea + ":99999999", "2*" + Self.tea,
            "d 10%",
            "d 100000", "*3", Self.tea, "x 2", "total", "\u{1B}[A" + Self.tea, "X", "PAY", "q",
        ]
        let text = try shop.pos("sell", input: typed).text
        for refusal in [
            "quantity of \(Self.tea) is 0", "is -1", "sold by the piece", "at most 10000", "lower it",
        ] {
            #expect(text.contains(refusal), "\(refusal)")
        }
        // 2 at 12.50 less 10 %; 3 of it keep the amount of the discount.
        for total in [
            "[1 · 25.00 CNY]", "[1 · 22.50 CNY]", "[1 · 35.00 CNY]", "[2 · 47.50 CNY]", "total 35.00 CNY",
        ] {
            #expect(text.contains(total), "\(total)")
        }
        #expect(!text.contains("\u{1B}"))
        #expect(try shop.orders().map { $0["total"]?["amount"] } == [3500])
    }

    @Test("Lists the carts that wait, and an empty basket takes one of them")
    func carts() throws {
        let shop = try shop()
        let parked = try shop.document("cart", "park", "--name", "red hat", "--line", Self.tea + ":2")
        let id = try #require(parked["cartId"]?.string)
        let text = try shop.pos(
            "sell", input: [Self.tea, "carts", "carts " + id, "x", "carts \(id)", "pay", "q"]
        )
        .text
        #expect(text.contains(id) && text.contains("red hat"))
        #expect(text.contains("the basket is not empty"))
        #expect(try shop.orders().map { $0["total"]?["amount"] } == [2500])
        #expect(try shop.document("cart", "list")["carts"] == [])
    }

    @Test("Splits a payment, and hands back what was begun")
    func split() throws {
        let shop = try shop()
        let typed = [
            Self.tea, "pay cash:5.00", "pay back", "pay cash:500", "pay bitcoin", "pay cash:200", "pay", "q",
        ]
        let text = try shop.pos("sell", input: typed).text
        #expect(text.contains("5.00 taken, 7.50 CNY still due"))
        #expect(text.contains("Hand back 5.00 CNY, cash"))
        #expect(text.contains("7.00 taken, 5.50 CNY still due"))
        let paid = try shop.orders().map { $0["paid"]?.array?.compactMap { $0["amount"]?.integer } }
        #expect(paid == [[500, 200, 550]])
        let mixed = try shop.pos("sell", input: [Self.tea, "pay cash:500", "pay cash:1000", "q"])
        #expect(mixed.text.contains("Change") && mixed.text.contains("2.50"))
        // Change above the largest note of the currency is taken when the same is paid again.
        let slip = try shop.pos("sell", input: [Self.tea, "pay cash:500.00", "pay cash:12.50", "q"])
        #expect(slip.text.contains("the change would be 487.50") && !slip.text.contains("Change "))
        let number = try #require(try shop.orders().first?["orderNumber"]?.string)
        let voided = try shop.pos("orders", "void", number, "--reason", "wrong")
        #expect(voided.text == "order \(number) is void; hand back 12.50 CNY in cash")
    }

    @Test(
        "Reports before payment that a price has changed since the scan, and takes the new price at the next `pay`"
    )
    func changedPrice() throws {
        let shop = try shop()
        let till = try shop.startProgram("sell")
        try till.line { $0.hasPrefix("barcode") }
        try till.write(line: Self.tea)
        try till.line { $0.contains("12.50") }
        var articles = Article.assortment
        articles[0] = Article(0, price: 1300)
        try shop.importCatalogue(articles)
        _ = try shop.document("sync", "now")
        try till.write(line: "pay")
        try till.line { $0.contains("is 13.00 now, it was 12.50") }
        try till.line { $0.contains("the total has changed") }
        #expect(try shop.orders() == [])
        try till.write(line: "pay")
        try till.line { $0.contains("TOTAL") && $0.contains("13.00") }
        try till.write(line: "q")
        #expect(till.exitCode(within: 10) == 0)
        let stale: JSONValue = ["lines": [["barcode": .string(Self.tea)]], "quotedTotalMinor": 1250]
        let end = try shop.pos("sell", "--stdin", "--json", input: [stale.canonicalText])
        #expect(end.errorCode == "price_changed")
    }

    @Test("Queries before it leaves a basket, reports what it keeps, and the next checkout goes on with it")
    func left() throws {
        let shop = try shop()
        let queried = try shop.pos("sell", input: [Self.tea, "q", "total", "Q", "q"])
        #expect(queried.text.contains("the basket holds 1 line, 12.50 CNY; again to leave, it is kept"))
        #expect(queried.text.contains("total 12.50 CNY"))
        #expect(
            queried.errors.contains {
                $0.contains("basket kept: 1 line, 12.50 CNY; the next `pos sell` offers it")
            })
        let ended = try shop.pos("sell", input: ["", "pay cash:5.00"])
        #expect(ended.text.contains("a window left a cart: 1 line, 12.50 CNY: go on?"))
        #expect(ended.errors.contains { $0.contains("basket kept: 1 line") })
        let other = try shop.pos("sell", input: [Self.tea, "x", "q"])
        #expect(other.text.contains("1 line, 5.00 CNY taken: go on?"))
        #expect(try shop.orders() == [])
        let sold = try shop.pos("sell", input: ["", "pay", "q"])
        #expect(sold.text.contains("5.00 taken, 7.50 CNY still due"))
        #expect(try shop.orders().map { $0["total"]?["amount"] } == [1250])
        #expect(try shop.document("cart", "current")["carts"] == [])
    }

    @Test("Keeps the basket over an agent that is killed and started again, and over a payment that met it")
    func agentRestarted() throws {
        let shop = try shop()
        let till = try shop.startProgram("sell")
        try till.line { $0.hasPrefix("barcode") }
        try till.write(line: Self.tea)
        try till.line { $0.contains("12.50") }
        shop.killAgent()
        try till.write(line: "pay")
        try till.line { $0.contains("waiting for it, the basket is kept") }
        try shop.startAgent()
        try till.line { $0.contains("the basket is as it was") }
        try till.line { $0.contains("TOTAL") }
        try till.write(line: "q")
        #expect(till.exitCode(within: 10) == 0)
        #expect(try shop.orders().count == 1)
    }

    @Test("Says at once that the agent has ended, and that it is back, while nothing is typed")
    func agentEndedIdle() throws {
        let shop = try shop()
        let till = try shop.startProgram("sell")
        try till.line { $0.hasPrefix("barcode") }
        try till.write(line: Self.tea)
        try till.line { $0.contains("12.50") }
        shop.killAgent()
        try till.line { $0.contains("the till's service has stopped") }
        try shop.startAgent()
        try till.line { $0.contains("the till's service is back") }
        // The basket is kept: it leaves with the second one.
        try till.write(line: "q")
        try till.write(line: "q")
        #expect(till.exitCode(within: 10) == 0)
    }

    @Test("Says once how a code is sold that the catalogue does not have, also where a quantity is odd")
    func unknownCode() throws {
        let text = try shop().pos("sell", input: ["0000:1,x", "q"]).text
        #expect(text.ranges(of: "sells it by department").count == 1)
        #expect(text.contains("A quantity is BARCODE:2"))
    }

    @Test("Takes the commands that its banner names, in any case, and reports which work only outside")
    func commands() throws {
        let shop = try shop()
        let typed = [
            "pos offline on", "pos offline off", "pos doctor", "pos sync rejected", "pos agent",
            "pos sync discard", "help me", "scan q", "q",
        ]
        let text = try shop.pos("sell", input: typed).text
        #expect(text.contains("OFFLINE"))
        #expect(text.contains("articles on this disk"))
        #expect(text.contains("nothing was refused"))
        #expect(text.contains("`pos agent` works outside the checkout"))
        #expect(text.contains("Missing expected argument '<id>'"))
        #expect(text.contains("scan or type a barcode"))
        #expect(text.contains("No article has the barcode q"))
        #expect(try shop.status().mode == "online")
    }

    @Test("Speaks Chinese where that is the till's language, in refusals and on the receipt")
    func chinese() throws {
        let shop = try ShopUnderTest(settings: .hurried.with(["POS_DISPLAY_LANGUAGE": "zh"]))
        try shop.importRows(.cashiers, "c1,Li,1234,cashier")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        let typed = [
            Self.tea + ":0", Self.tea, "pay", "s c1", "1234", "m 13900000000", "pay cash:20.00", "q",
        ]
        let text = try shop.pos("sell", input: typed).text
        for words in ["尚未登录", "数量为 0", "请先登录", "已登录", "查无此人", "合计 CNY", "找零", "收银员 c1"] {
            #expect(text.contains(words), "\(words) in \(text)")
        }
        let refused = try shop.pos("sell", "--line", "0000", "--json").document()
        #expect(refused["error"]?["messageZh"]?.string?.contains("没有条码为 0000") == true)
    }

    @Test("Without an agent it serves other commands while it is open")
    func serving() throws {
        let shop = try ShopUnderTest()
        let till = try shop.startProgram("sell")
        try till.line { $0.hasPrefix("barcode") }
        #expect(try shop.document("sell", "--line", Self.tea)["orderId"] != nil)
        #expect(try shop.document("orders", "list")["orders"]?.array?.count == 1)
        let agent = try shop.pos("agent")
        #expect(agent.exitCode == 3)
        #expect(agent.errors.last?.contains("or a `pos sell` that found none") == true)
        try till.write(line: "q")
        #expect(till.exitCode(within: 10) == 0)
    }

    @Test(
        "Amounts have their currency's own decimals: in the checkout, the orders and the hub's audit",
        arguments: [("JPY", 398, "796 JPY", "398"), ("KWD", 3999, "7.998 KWD", "3.999")])
    func currencies(currency: String, price: Int, total: String, back: String) throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        let file = shop.folder.path("catalogue.csv")
        try "\(Article.csvHeader)\nS,4711,Lamb,meat,\(price),\(currency),0,each,\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        try shop.posHub("import", "products", file)
        try shop.initialiseTill()
        let text = try shop.pos("sell", input: ["4711:2", "total", "pay", "q"]).text
        for words in ["[1 · \(total)]", "2 x \(back)", "total \(total)"] {
            #expect(text.contains(words), "\(words)")
        }
        let number = try #require(try shop.orders().first?["orderNumber"]?.string)
        _ = try shop.document("orders", "refund", number, "--line", "4711:1")
        let list = try shop.pos("orders", "list").text
        #expect(list.contains("  \(total)  ") && list.contains("refunded \(back) \(currency)"))
        let shown = try shop.pos("orders", "show", number).text
        #expect(shown.contains("refunded \(back) \(currency) in cash"))
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let audit = try ProgramUnderTest.run("pos-hub", ["audit"] + shop.storeArguments)
        #expect(
            audit.text.contains(
                "total \(total)  refunds 1 refunds, \(back) \(currency)  net \(back) \(currency)"))
    }
}
