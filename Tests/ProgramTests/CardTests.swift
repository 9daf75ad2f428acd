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

    /// The files below a folder whose bytes contain `text`.
    private static func files(below folder: String, holding text: String) throws -> [String] {
        let wanted = Data(text.utf8)
        let paths = FileManager.default.enumerator(atPath: folder)?.allObjects.compactMap { $0 as? String }
        return (paths ?? []).filter { path in
            // Sockets and folders have no bytes.
            let content = try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
            return content?.range(of: wanted) != nil
        }
    }

    @Test("What looks like a card number is refused and repeated nowhere")
    func cardNumber() throws {
        let shop = try shop("approve")
        for arguments in [["card:4111111111111111"], ["cash:10:4111 1111 1111 1111"]] {
            let end = try shop.pos(
                ["sell", "--line", Self.tea, "--json"] + arguments.flatMap { ["--pay", $0] })
            #expect(end.exitCode == 2)
            #expect(!end.text.contains("4111"))
            #expect(!end.errors.joined().contains("4111"))
        }
        #expect(try shop.orders() == [])
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
