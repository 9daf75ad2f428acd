import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// Cards need the hub's payment service; no card pays twice and none pays for nothing.
@Suite("Cards", .onStage)
struct CardTests {
    private static let tea = Article.assortment[0].barcode
    private static let authorizations = "/v1/payments/authorizations"

    private func shop(_ payments: String, _ way: ShopUnderTest.Way = []) throws -> ShopUnderTest {
        let shop = try ShopUnderTest(
            way, serving: ["--payments", payments == "none" ? payments : "simulator:\(payments)"],
            settings: .hurried.with(["POS_CHECKOUT_CARD_TIMEOUT_SECONDS": "2"]))
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    @Test("An approved card pays the sale to the unit, beside cash too")
    func approved() throws {
        let shop = try shop("approve")
        let sale = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        #expect(sale["paid"]?.array?.first?["method"]?.string == "card")
        #expect(sale["paid"]?.array?.first?["amount"]?.integer == 1250)
        #expect(sale["paid"]?.array?.first?["approvalCode"]?.string?.isEmpty == false)
        #expect(sale["paid"]?.array?.first?["simulated"] == true)
        #expect(sale["receipt"]?.string?.contains("SIMULATED") == true)
        let shown = try shop.document("orders", "show", try #require(sale["orderId"]?.string))
        #expect(shown.canonicalText.contains("SIMULATED"))
        let cash = try shop.document("sell", "--line", Self.tea)
        #expect(cash["receipt"]?.string?.contains("SIMULATED") == false)
        let mixed = try shop.document("sell", "--line", Self.tea, "--pay", "card:1000", "--pay", "cash:500")
        #expect(mixed["change"]?["amount"]?.integer == 250)
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 3)
    }

    @Test("Without a payment service at the hub cards are refused with the reason, and cash still sells")
    func noService() throws {
        let shop = try shop("none")
        let end = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
        #expect(end.exitCode == 1)
        #expect(end.errorCode == "card_offline")
        #expect(end.errors.first?.contains("no payment service is configured") == true, "\(end.errors)")
        let card = try shop.status()["capabilities"]?["payment.card"]
        #expect(card?["route"] == "local")
        #expect(card?["limits"]?.array?.first?.string?.contains("no payment service") == true)
        #expect(try shop.orders() == [])
        #expect(try shop.document("sell", "--line", Self.tea)["orderId"] != nil)
    }

    @Test("A declined card sells nothing, and cash still does")
    func declined() throws {
        let shop = try shop("decline")
        let end = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
        #expect(end.exitCode == 1)
        #expect(end.errorCode == "card_declined")
        #expect(try shop.orders() == [])
        #expect(try shop.document("sell", "--line", Self.tea)["orderId"] != nil)
    }

    @Test("Offline by hand cards are refused with that reason")
    func offline() throws {
        let shop = try shop("approve", .front)
        _ = try shop.document("offline", "on", "--reason", "card test")
        let end = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
        #expect(end.exitCode == 1)
        #expect(end.errorCode == "card_offline")
        #expect(shop.front?.requests.contains { $0.path == Self.authorizations } == false)
        #expect(try shop.document("sell", "--line", Self.tea)["mode"]?.string == "offline")
    }

    @Test("A payment service that is down refuses cards and leaves the till online")
    func unavailable() throws {
        let shop = try shop("unavailable")
        let end = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
        #expect([1, 75].contains(end.exitCode))
        #expect(end.errors.count == 1)
        #expect(try shop.orders() == [])
        #expect(try shop.status().mode == "online")
    }

    @Test("A payment service that charges the card and never responds is queried, and the sale is paid once")
    func silent() throws {
        let shop = try shop("silent")
        let sale = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        #expect(sale["paid"]?.array?.first?["approvalCode"]?.string?.isEmpty == false)
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 1)
    }

    @Test(
        "An outcome that cannot be found out lets the sale wait as a cart, which is sold later by the same key"
    )
    func unknownOutcome() throws {
        let shop = try shop("approve", .front)
        shop.front?.reply { $0.path.hasPrefix(Self.authorizations) ? .silence(seconds: 5) : .pass }
        let end = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
        #expect(end.exitCode == 75)
        #expect(end.errorCode == "card_outcome_unknown")
        #expect(try shop.orders() == [])
        let carts = try shop.document("cart", "list")["carts"]?.array ?? []
        let cart = try #require(carts.first?["cartId"]?.string)
        shop.front?.reply { _ in .pass }
        let sale = try shop.document("sell", "--cart", cart, "--pay", "card")
        #expect(sale["key"]?.string == cart)
        let authorizations = shop.front?.requests.filter { $0.path == Self.authorizations } ?? []
        let keys = authorizations.compactMap { $0.headers["idempotency-key"] }
        #expect(Set(keys).count == 1)
        #expect(try shop.document("cart", "list")["carts"]?.array == [])
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 1)
    }

    @Test("A cart whose card the hub may have charged is dropped with a durable void, which arrives later")
    func unknownOutcomeDropped() throws {
        let shop = try shop("approve", .front)
        shop.front?.reply { $0.path.hasPrefix(Self.authorizations) ? .silence(seconds: 5) : .pass }
        let end = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
        #expect(end.errorCode == "card_outcome_unknown")
        let cart = try #require(
            try shop.document("cart", "list")["carts"]?.array?.first?["cartId"]?.string)
        _ = try shop.document("cart", "drop", cart, "--reason", "gone")
        #expect(try shop.document("cart", "list")["carts"] == [])
        shop.front?.reply { _ in .pass }
        try shop.waitUntilDrained()
        #expect(try shop.orders() == [] && shop.audit().orders == 0)
        let again = try shop.pos("cart", "drop", cart, "--reason", "gone", "--json")
        #expect(again.exitCode == 1 && again.errorCode == "unknown_cart")
    }

    @Test("A sale that waits for its card keeps the points that it spends")
    func unknownOutcomeWithPoints() throws {
        let shop = try shop("approve", .front)
        try shop.importRows(.members, "M1,13800138000,Li,1000,")
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100", "points.valueMinor=1")
        _ = try shop.document("sync", "now")
        shop.front?.reply { $0.path.hasPrefix(Self.authorizations) ? .silence(seconds: 5) : .pass }
        let end = try shop.pos(
            "sell", "--line", Self.tea, "--member", "M1", "--points", "100", "--pay", "card", "--json")
        #expect(end.errorCode == "card_outcome_unknown", "\(end.errors)")
        let parked = try #require(try shop.document("cart", "list")["carts"]?.array?.first)
        #expect(parked["points"] == 100 && parked["total"]?["amount"] == 1_150)
        shop.front?.reply { _ in .pass }
        let sale = try shop.document(
            "sell", "--cart", try #require(parked["cartId"]?.string), "--pay", "card")
        #expect(sale["points"]?["spent"] == 100 && sale["total"]?["amount"] == 1_150)
        let authorizations = shop.front?.requests.filter { $0.path == Self.authorizations } ?? []
        #expect(Set(authorizations.compactMap { $0.headers["idempotency-key"] }).count == 1)
        try shop.waitUntilDrained()
        #expect(try shop.posHub("flags", "list")["flags"] == [])
    }

    @Test("A card sale comes back to the card, and a sale is paid with several tenders")
    func severalTenders() throws {
        let shop = try shop("approve", .front)
        let tenders =
            #"tenders=[{"method":"cash","kind":"cash"},{"method":"card","kind":"card"},"#
            + #"{"method":"gift","kind":"voucher","refundable":false}]"#
        try shop.posHub("store-config", "set", "--store-id", "S1", tenders)
        _ = try shop.pos("sync", "now")
        let sale = try shop.document(
            "sell", "--line", Self.tea, "--pay", "cash", "--pay", "gift:10:V-1", "--pay", "card:20", "--pay",
            "card:30")
        let methods = sale["paid"]?.array?.compactMap { $0["method"]?.string }
        #expect(methods == ["gift", "card", "card", "cash"])
        let orderId = try #require(sale["orderId"]?.string)
        let refund = try shop.document("orders", "refund", orderId)
        let back = refund["payments"]?.array ?? []
        #expect(back.compactMap { $0["method"]?.string } == ["card", "card", "cash"])
        #expect(back.prefix(2).compactMap { $0["amount"]?.integer } == [20, 30])
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 1)
    }

    @Test("Without the hub cards are taken up to the limits, over kills too, and forwarded when it is back")
    func offlineCards() throws {
        let shop = try shop("decline", .front)
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "offlineCard.perSale=1250",
            "offlineCard.perShift=9000",
            "offlineCard.perTerminal=2500")
        _ = try shop.pos("sync", "now")
        let shift = try #require(try shop.document("shift", "open", "--float", "0")["shiftId"]?.string)
        _ = try shop.document("offline", "on", "--reason", "no line")
        let sale = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        #expect(sale["paid"]?.array?.first?["state"]?.string == "storedOffline")
        #expect(sale["receipt"]?.string?.contains("SIMULATED") == true)
        let large = try shop.pos("sell", "--line", "\(Self.tea):2", "--pay", "card", "--json")
        #expect(large.exitCode == 1)
        #expect(large.errorCode == "offline_card_limit")
        shop.killAgent()
        try shop.startAgent()
        _ = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        #expect(
            try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json").errorCode
                == "offline_card_limit")
        // No byte of a token is on the disk in the clear.
        #expect(
            try Self.files(
                below: (shop.home as NSString).deletingLastPathComponent, holding: "simulated-token") == [])
        #expect(try Self.files(below: shop.home, holding: "storedOffline") != [])
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained()
        _ = try shop.waitUntil("both tokens are refused", within: 30) { _ in
            try shop.posHub("audit")["debts"]?.array?.count == 2
        }
        #expect(try shop.audit().orders == 2)
        try checkDebts(of: sale, in: shift, shop)
    }

    /// Two refused cards of an open shift: the till shows them and closes, the hub shows and settles them.
    private func checkDebts(of sale: JSONValue, in shift: String, _ shop: ShopUnderTest) throws {
        try shop.waitUntil("the till knows of both debts", within: 60) { $0["cardDebts"] == 2 }
        let doctor = try shop.pos("doctor", "--json")
        #expect(doctor.text.contains("card debts") && doctor.text.contains("25.00 CNY are owed"))
        #expect(try shop.status()["banner"]?["troubles"]?.array?.contains("cardDebts") == true)
        let z = try shop.document("shift", "close", "--counted", "0")
        let debts = try #require(z["debts"]?.array)
        #expect(debts.compactMap { $0["amount"] } == [1250, 1250] && z["debtTotal"] == 2500)
        #expect(debts.first?["orderNumber"] == sale["orderNumber"])
        #expect(debts.first?["reason"] == "insufficient funds")
        #expect(z["report"]?.string?.contains("Cards refused after the sale") == true)
        #expect(z["sales"]?["total"] == 2500, "a debt changes no sum")
        try shop.waitUntilDrained()
        try shop.waitUntil("the shift is confirmed", within: 30) { _ in
            try shop.document("shift", "show", shift)["state"] == "confirmed"
        }
        let kept = try shop.posHub("shifts", "show", shift)
        #expect(kept["debtTotal"] == 2500)
        #expect(kept["debts"]?.array?.first?["orderNumber"] == sale["orderNumber"])
        let id = try #require(kept["debts"]?.array?.first?["id"]?.string)
        #expect(debts.first?["id"] == .string(id))
        let settled = try shop.posHub("debts", "settle", id, "--reason", "paid in cash")
        #expect(settled["state"] == "settled")
        #expect(try shop.posHub("debts", "list")["debts"]?.array?.count == 1)
        #expect(try shop.posHub("audit")["debts"]?.array?.count == 1)
        // The next start queries the hub about the debts at once.
        shop.killAgent()
        try shop.startAgent()
        try shop.waitUntil("the till knows that one is settled", within: 60) { $0["cardDebts"] == 1 }
        let shown = try shop.document("shift", "show", shift)
        #expect(shown["debts"]?.array?.map { $0["state"] } == ["settled", "open"])
        #expect(shown["debtTotal"] == 1250)
    }

    /// Offline by hand, with room for two cards.
    private func shopWithLimits() throws -> ShopUnderTest {
        let shop = try shop("approve")
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "offlineCard.perSale=1250",
            "offlineCard.perShift=9000", "offlineCard.perTerminal=2500")
        _ = try shop.pos("sync", "now")
        _ = try shop.document("offline", "on", "--reason", "no line")
        return shop
    }

    @Test("Limits count what was taken although the database is an old copy beside the file")
    func restoredDatabase() throws {
        let shop = try shopWithLimits()
        func sell() throws -> String? {
            try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json").errorCode
        }
        let database = ["terminal.sqlite", "terminal.sqlite-wal"]
        let backup = try TemporaryFolder()
        shop.killAgent()
        for name in database {
            try? FileManager.default.copyItem(atPath: shop.home + "/" + name, toPath: backup.path(name))
        }
        try shop.startAgent()
        #expect(try sell() == nil)
        shop.killAgent()
        for name in database + ["terminal.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: shop.home + "/" + name)
            try? FileManager.default.copyItem(atPath: backup.path(name), toPath: shop.home + "/" + name)
        }
        try shop.startAgent()
        #expect(try shop.orders() == [])
        #expect(try sell() == nil)
        #expect(try sell() == "offline_card_limit")
    }

    @Test(
        "A file of offline cards that cannot be read stops every card until the hub has responded about them")
    func unreadableFile() throws {
        let shop = try shopWithLimits()
        func sell(_ method: String = "card") throws -> String? {
            try shop.pos("sell", "--line", Self.tea, "--pay", method, "--json").errorCode
        }
        #expect(try sell() == nil)
        let kept = shop.home + "/offline-cards.json"
        shop.killAgent()
        try Data("{".utf8).write(to: URL(fileURLWithPath: kept))
        try shop.startAgent()
        // Neither a cash sale nor a restart makes room.
        for _ in 0..<2 {
            let end = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
            #expect(end.errorCode == "offline_card_limit")
            #expect(end.errors.joined().contains("offline-cards.json"))
            #expect(try sell("cash") == nil)
        }
        shop.killAgent()
        try shop.startAgent()
        #expect(try sell() == "offline_card_limit")
        _ = try shop.document("offline", "off")
        try shop.waitUntil("the hub has responded about every payment", within: 60) { _ in
            let file = try? JSONParser.parse(Data(contentsOf: URL(fileURLWithPath: kept)))
            return file?["cards"] != nil && file?["incomplete"] == nil
        }
        _ = try shop.document("offline", "on", "--reason", "no line")
        #expect(try sell() == nil)
    }

    /// The files below a folder whose bytes contain `text`.
    static func files(below folder: String, holding text: String) throws -> [String] {
        let wanted = Data(text.utf8)
        let paths = FileManager.default.enumerator(atPath: folder)?.allObjects.compactMap { $0 as? String }
        return (paths ?? []).filter { path in
            // Sockets and folders have no bytes.
            let content = try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
            return content?.range(of: wanted) != nil
        }
    }

    @Test("A cart whose card is unknown cannot be dropped without the card's void")
    func droppedCart() throws {
        let shop = try shop("approve", .front)
        shop.front?.reply { $0.path.hasPrefix(Self.authorizations) ? .silence(seconds: 5) : .pass }
        _ = try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
        let carts = try shop.document("cart", "list")["carts"]?.array ?? []
        let cart = try #require(carts.first?["cartId"]?.string)
        _ = try shop.document("cart", "drop", cart, "--reason", "customer left")
        try shop.waitUntilDrained()
        let audit = try shop.audit()
        #expect(audit.received == 1)
        #expect(audit.orders == 0)
    }

    @Test("An authorisation whose response was lost is queried, not charged again")
    func lostResponse() throws {
        let shop = try shop("approve", .front)
        shop.front?.reply { request in
            request.method == "POST" && request.path == Self.authorizations
                ? .passAndCut(afterBytes: 0) : .pass
        }
        let sale = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        #expect(sale["paid"]?.array?.first?["approvalCode"]?.string?.isEmpty == false)
        #expect(sale["paid"]?.array?.first?["simulated"] == true)
        #expect(sale["receipt"]?.string?.contains("SIMULATED") == true)
        let shown = try shop.document("orders", "show", try #require(sale["orderId"]?.string))
        #expect(shown.canonicalText.contains("SIMULATED"))
        let cash = try shop.document("sell", "--line", Self.tea)
        #expect(cash["receipt"]?.string?.contains("SIMULATED") == false)
        let queried =
            shop.front?.requests.filter { $0.method == "POST" && $0.path == Self.authorizations } ?? []
        #expect(Set(queried.map(\.body)).count == 1)
        #expect(Set(queried.map { $0.headers["idempotency-key"] }).count == 1)
    }

    @Test("Killed between the card and the sale, the till gives the card back when it starts again")
    func killedWhileAuthorizing() throws {
        let shop = try shop("approve", .front)
        shop.front?.reply { $0.path == Self.authorizations ? .silence(seconds: 1) : .pass }
        let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
        while shop.front?.requests.contains(where: { $0.path == Self.authorizations }) != true {
            usleep(5000)
        }
        shop.killAgent()
        #expect(sale.exitCode(within: 15) == 75)
        shop.front?.reply { _ in .pass }
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sync", "now")
        #expect(try shop.orders() == [])
        #expect(try shop.audit().received == 1)
    }

    @Test("A command that is killed during its card payment charges nothing: the authorisation is voided")
    func callerKilled() throws {
        let shop = try shop("approve", .front)
        shop.front?.reply { $0.path == Self.authorizations ? .silence(seconds: 1) : .pass }
        let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
        while shop.front?.requests.contains(where: { $0.path == Self.authorizations }) != true {
            usleep(5000)
        }
        sale.kill()
        shop.front?.reply { _ in .pass }
        try shop.waitUntil("a void that the hub has", within: 20) {
            $0.pending == 0 && $0["outbox"]?["acknowledgedThrough"] == 1
        }
        #expect(try shop.orders() == [])
        #expect(try shop.audit().received == 1)
        #expect(try shop.status()["unseenCardSales"] == 0)
    }

    @Test("A card sale whose command was killed behind the commit is shown until a person decides")
    func unseen() throws {
        let shop = try shop("approve", .front)
        for decision in ["seen", "void"] {
            shop.front?.reply { $0.path.hasPrefix(Routes.mutation) ? .silence(seconds: 3) : .pass }
            let before = shop.front?.requests.count { $0.isPush } ?? 0
            let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
            let start = ContinuousClock.now
            while shop.front?.requests.count(where: \.isPush) == before {
                try #require(ContinuousClock.now - start < .seconds(20), "the sale was not pushed")
                usleep(5000)
            }
            sale.kill()
            shop.front?.reply { _ in .pass }
            try shop.waitUntil("the sale in sight", within: 10) { $0["unseenCardSales"] == 1 }
            #expect(try shop.doctorDetail(on: "card sales")?.contains("1 were made") == true)
            let number = try #require(try shop.orders().first?["orderNumber"]?.string)
            let till = try shop.pos("sell", input: ["\(decision) \(number)", "q"])
            #expect(till.text.contains("its answer was not seen: `seen \(number)` or `void \(number)`"))
            try shop.waitUntil("nothing to decide", within: 10) { $0["unseenCardSales"] == 0 }
            let state = try shop.document("orders", "show", number)["state"]
            #expect(state == (decision == "seen" ? "completed" : "voided"))
            // The next sale's push must be the first, and the hub's services in order.
            try shop.waitUntilDrained(within: 30)
            try shop.waitUntil("online again", within: 60) { $0["mode"] == "online" }
        }
    }

    @Test("Control-C gives up the sale that waits for a card, and the checkout and its basket go on")
    func givenUp() throws {
        let shop = try shop("approve", .front)
        shop.front?.reply { $0.path == Self.authorizations ? .silence(seconds: 30) : .pass }
        let till = try shop.startProgram("sell")
        try till.line { $0.hasPrefix("barcode") }
        try till.write(line: Self.tea)
        try till.write(line: "pay card")
        while shop.front?.requests.contains(where: { $0.path == Self.authorizations }) != true {
            usleep(5000)
        }
        kill(till.processIdentifier, SIGINT)
        try till.line { $0.contains("given up during the card authorisation") }
        try till.write(line: "pay")
        try till.line { $0.contains("Cash") }
        try till.write(line: "q")
        #expect(till.exitCode(within: 10) == 0)
        let orders = try shop.orders()
        #expect(orders.count == 1)
        #expect(orders.first?["paid"]?.array?.first?["method"] == "cash")
    }
}

/// A card number that a cashier enters where none belongs.
@Suite("Card numbers in the programs", .onStage)
struct CardNumberTests {
    private static let tea = Article.assortment[0].barcode
    private static let number = "4111111111111111"
    /// In groups, and beside an expiry date.
    private static let grouped = "4111 1111 1111 1111 1227"
    /// What no byte may contain.
    private static let needles = [number, "4111 1111 1111", "1111 1227"]

    /// Every option and argument that takes a text, with `text` in it.
    private static func commands(_ text: String, order: String, cart: String, note: String) -> [[String]] {
        let sell = ["sell", "--line", tea]
        return [
            sell + ["--pay", text], sell + ["--pay", "card:1:" + text], sell + ["--pay", "card:" + text],
            sell + ["--member", text], sell + ["--coupon", text], sell + ["--cashier", text, "--pin", "1"],
            sell + ["--cashier", "c1", "--pin", text], sell + ["--approver", text, "--approver-pin-stdin"],
            sell + ["--key", text],
            sell + ["--points", text], sell + ["--quoted-total", text], ["sell", "--cart", text],
            ["sell", "--line", text + "@100#food"], ["sell", "--line", "1@100#" + text],
            ["quote", "--line", tea, "--member", text], ["quote", "--line", tea, "--coupon", text],
            ["cart", "park", "--line", tea, "--name", text], ["cart", "park", "--line", tea, "--key", text],
            ["cart", "show", text], ["cart", "resume", text], ["cart", "drop", cart, "--reason", text],
            ["shift", "open", "--float", text], ["shift", "cash", "in", "100", "--reason", text],
            ["shift", "no-sale", "--reason", text], ["shift", "close", "--counted", text],
            ["shift", "close", "--counted", "0", "--by", "card:" + text], ["shift", "show", text],
            ["sign-in", text, "--pin-stdin"], ["offline", "on", "--reason", text],
            ["orders", "search", "--number", text], ["orders", "search", "--member", text],
            ["orders", "show", text], ["orders", "void", order, "--reason", text],
            ["orders", "refund", order, "--reason", text], ["orders", "refund", text],
            ["orders", "refund", order, "--key", text], ["orders", "void", order, "--attach", text],
            ["orders", "exchange", order, "--return", tea, "--line", tea, "--reason", text],
            ["orders", "receipt", text, "--copy"], ["sync", "retry", text],
            ["sync", "discard", order, "--reason", text],
            ["sync", "discard", order, "--reason", "r", "--by", text],
            ["sync", "edit", order, "--set", "reason=" + text],
            ["sync", "export", "x", "--plain", "--reason", text],
            ["note", "add", text], ["note", "add", "text", "--author", text], ["note", "edit", note, text],
            ["init", "--hub", "http://127.0.0.1:1", "--enrol", "x", "--name", text], [text],
        ]
    }

    /// Every field of a sale, with `text` in it.
    private static func requests(_ text: String) -> [JSONValue] {
        let value = JSONValue.string(text)
        let fields: [JSONObject] = [
            ["memberId": value], ["coupons": [value]], ["cashierId": value], ["pin": value], ["key": value],
            ["approver": ["id": value]], ["approver": ["id": "m1", "pin": value]], [text: true],
            ["payments": [["method": value]]], ["payments": [["method": "cash", "reference": value]]],
            ["payments": [["method": "card", "amountMinor": value]]],
            ["payments": [["method": "card", "amountMinor": 4_111_111_111_111_111]]],
            ["quotedTotalMinor": 4_111_111_111_111_111], ["points": 4_111_111_111_111_111],
            ["returns": ["orderId": value]], ["returns": ["orderId": "O", "reason": value]],
            ["lines": [["barcode": .string(tea), "discountMinor": 1, "discountReason": value]]],
            ["lines": [["barcode": .string(tea), "unitPriceMinor": 4_111_111_111_111_111]]],
            ["lines": [["barcode": value, "unitPriceMinor": 5, "department": "food"]]],
            ["lines": [["barcode": "1", "unitPriceMinor": 5, "department": value]]],
        ]
        return fields.map { members in
            var members = members
            if members["lines"] == nil { members["lines"] = [["barcode": .string(tea)]] }
            return .object(members)
        }
    }

    private func checkOutput(_ end: FinishedProgram, _ command: [String]) {
        for needle in Self.needles {
            #expect(!(end.output + end.errors).joined(separator: "\n").contains(needle), "\(command)")
        }
    }

    @Test("Are refused in every option and every field, and no byte of them is written or printed")
    func everywhere() throws {
        let shop = try ShopUnderTest(
            serving: ["--payments", "simulator"],
            settings: .hurried.with(["POS_PRINTER_DEVICE": "tcp:127.0.0.1:1"]))
        let agent = try shop.startProgram("agent", "--log-level", "trace")
        try agent.line { $0 == "ready" }
        shop.agent = agent
        try shop.waitUntilReachable()
        let order = try #require(try shop.document("sell", "--line", Self.tea)["orderNumber"]?.string)
        let cart = try #require(try shop.document("cart", "park", "--line", Self.tea)["cartId"]?.string)
        let note = try #require(try shop.document("note", "add", "milk")["id"]?.string)
        for text in [Self.number, Self.grouped] {
            for command in Self.commands(text, order: order, cart: cart, note: note) {
                let end = try shop.pos(command + ["--json"], input: ["1"])
                #expect(end.exitCode == 2 && end.errorCode != nil, "\(command) \(end.errors)")
                checkOutput(end, command)
            }
            // Where an article's code belongs, it is one that no article has.
            for command in [["sell", "--line", text], ["orders", "refund", order, "--line", text]] {
                let end = try shop.pos(command + ["--json"])
                #expect(end.exitCode == 1, "\(command) \(end.errors)")
                checkOutput(end, command)
            }
            checkOutput(try shop.pos("products", "search", text), ["products", "search"])
            let sales = try shop.openSales()
            for request in Self.requests(text) {
                let response = try sales.sell(request)
                #expect(response["error"]?["code"] == "card_number_refused", "\(response.canonicalText)")
            }
            _ = sales.close()
            let typed = try shop.pos(
                ["sell"], input: [text, "member " + text, Self.tea, "pay card:1:" + text, "q"])
            checkOutput(typed, ["sell"])
        }
        #expect(try shop.orders().count == 1)
        try shop.waitUntilDrained()
        let export = shop.folder.path("journal.jsonl")
        _ = try shop.document("sync", "export", export, "--plain", "--reason", "test")
        let folder = (shop.home as NSString).deletingLastPathComponent
        for needle in Self.needles {
            #expect(try CardTests.files(below: folder, holding: needle) == [])
            for program in [shop.agent, shop.hub] {
                let lines = (program?.errors.lines ?? []) + (program?.output.lines ?? [])
                #expect(!lines.joined(separator: "\n").contains(needle))
            }
        }
        // The scan finds what is there: in the database, in the export and on the paper that waits.
        #expect(try CardTests.files(below: folder, holding: order).count >= 3)
    }
}
