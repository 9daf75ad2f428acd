import Foundation
import HubProtocol
import TestKit
import Testing

/// The terminal's own card machine charges while the hub is away; nothing is charged twice, and nothing that
/// was charged is forgotten.
@Suite("A card machine on the shop's network", .onStage)
struct CardMachineTests {
    private static let tea = Article.assortment[0].barcode

    /// A machine as a process, with a file of what it did.
    private final class Machine {
        let journal: String
        let port: String
        private var program: ProgramUnderTest?

        init(in folder: String, _ answers: String) throws {
            journal = folder + "/machine.jsonl"
            let first = try Self.start(journal, "0", answers)
            port = String(try first.line(startingWith: "listening on ").split(separator: ":").last ?? "")
            program = first
        }

        private static func start(_ journal: String, _ port: String, _ answers: String) throws
            -> ProgramUnderTest
        {
            try ProgramUnderTest(
                "pos-lab", ["card-machine", "--port", port, "--journal", journal, "--answers", answers])
        }

        func stop() {
            program?.kill()
            program = nil
        }

        func start(_ answers: String) throws {
            stop()
            let next = try Self.start(journal, port, answers)
            try next.line(startingWith: "listening on ")
            program = next
        }

        /// The last state of each key, and how often something was charged.
        func charges() throws -> (held: Int, charged: Int) {
            var states: [String: String] = [:]
            var charged = 0
            for line in try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n") {
                let entry = try JSONParser.parse(line.utf8)
                guard let key = entry["key"]?.string, let state = entry["state"]?.string,
                    entry["refund"] == nil
                else { continue }
                if state == "charged" { charged += 1 }
                states[key] = state
            }
            return (states.values.count { $0 == "charged" }, charged)
        }

        /// What was given back, one amount for each refund that was noted.
        func returned() throws -> [Int64] {
            try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n").compactMap { line in
                guard let entry = try? JSONParser.parse(line.utf8), entry["refund"] != nil,
                    entry["state"] == "refunded"
                else { return nil }
                return entry["amount"]?.integer
            }
        }

        /// As a kill in the middle of a write leaves the file.
        func tear() throws {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: journal))
            try file.seekToEnd()
            try file.write(contentsOf: Data(#"{"key":"torn","sta"#.utf8))
        }
    }

    /// A till that is offline by hand, with a machine.
    ///
    /// - Parameters:
    ///   - person: who switches it, in a store with cashiers.
    ///   - preparing: what is done at the hub before the till starts.
    private func shop(
        _ answers: String, as person: [String] = [], preparing: (ShopUnderTest) throws -> Void = { _ in }
    ) throws -> (ShopUnderTest, Machine, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let machine = try Machine(in: folder.url.path, answers)
        let shop = try ShopUnderTest(
            [], serving: ["--payments", "simulator"],
            settings: .hurried.with([
                "POS_CHECKOUT_CARD_TIMEOUT_SECONDS": "2",
                "POS_CARD_MACHINE_ADDRESS": "tcp:127.0.0.1:\(machine.port)",
            ]))
        try preparing(shop)
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sync", "now")
        _ = try shop.pos(["offline", "on", "--reason", "no line", "--json"] + person).document()
        #expect(try shop.status()["mode"] == "offline")
        return (shop, machine, folder)
    }

    private func sellByCard(_ shop: ShopUnderTest) throws -> FinishedProgram {
        try shop.pos("sell", "--line", Self.tea, "--pay", "card", "--json")
    }

    @Test("charges a sale, which says so, and the hub takes it as paid")
    func charged() throws {
        let (shop, machine, folder) = try shop("approve")
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.document("sell", "--line", Self.tea, "--pay", "card:1000", "--pay", "cash")
        #expect(sale["paid"]?.array?.first?["approvalCode"]?.string?.contains("MC1") == true)
        #expect(sale["receipt"]?.string?.contains("SIMULATED") == true)
        #expect(try machine.charges() == (1, 1))
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 1)
    }

    @Test("that charged and does not respond is queried; one that declines sells nothing")
    func silent() throws {
        let (shop, machine, folder) = try shop("silent")
        defer { withExtendedLifetime(folder) {} }
        #expect(try sellByCard(shop).exitCode == 0)
        #expect(try machine.charges() == (1, 1))
        try machine.start("decline")
        #expect(try sellByCard(shop).errorCode == "card_declined")
        #expect(try machine.charges() == (1, 1))
    }

    @Test(
        "that is away takes no card, and one that closes its connections lets the sale wait, then be dropped")
    func away() throws {
        let (shop, machine, folder) = try shop("approve")
        defer { withExtendedLifetime(folder) {} }
        machine.stop()
        let refused = try sellByCard(shop)
        #expect((refused.exitCode, refused.errorCode) == (75, "machine_unreachable"))
        #expect(try shop.document("cart", "list")["carts"] == [])
        try machine.start("closed")
        #expect(try sellByCard(shop).errorCode == "card_outcome_unknown")
        let cart = try #require(try shop.document("cart", "list")["carts"]?.array?.first?["cartId"]?.string)
        let unknown = try shop.pos("cart", "drop", cart, "--reason", "left", "--json")
        #expect(unknown.exitCode == 75 && unknown.errorCode == "card_unknown", "\(unknown.text)")
        try machine.start("silent")
        _ = try shop.document("cart", "drop", cart, "--reason", "left")
        #expect(try machine.charges() == (0, 0))
        #expect(try sellByCard(shop).exitCode == 0)
        #expect(try machine.charges() == (1, 1))
        #expect(try shop.orders().count == 1)
    }

    @Test("holds what was sold after kills at any moment of a sale", arguments: [0, 60, 150, 400, 900, 1800])
    func killed(milliseconds: UInt32) throws {
        let (shop, machine, folder) = try shop("silent")
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
        usleep(milliseconds * 1000)
        shop.killAgent()
        _ = sale.exitCode(within: 15)
        try machine.start("approve")
        try shop.startAgent()
        _ = try shop.waitUntil("the machine holds what was sold", within: 60) { _ in
            try machine.charges().held == shop.orders().count
        }
    }

    // MARK: - Money that goes back

    private static func waiting(_ status: JSONValue) -> Int64? { status["cardReturns"]?["waiting"]?.integer }
    private static func refused(_ status: JSONValue) -> Int64? { status["cardReturns"]?["refused"]?.integer }

    private func number(_ sale: JSONValue) throws -> String { try #require(sale["orderNumber"]?.string) }

    @Test(
        "gives back what it charged, in steps and no more; the hub sends nothing, and its sums are the till's"
    )
    func refunded() throws {
        let (shop, machine, folder) = try shop("approve")
        defer { withExtendedLifetime(folder) {} }
        let shift = try shop.document("shift", "open", "--float", "5000")
        let id = try #require(shift["shiftId"]?.string)
        let sale = try shop.document("sell", "--line", Self.tea + ":2", "--pay", "card:2000", "--pay", "cash")
        let one = try shop.document("orders", "refund", try number(sale), "--line", Self.tea + ":1")
        #expect(one["payments"]?.array?.map { $0["amount"] } == [1250])
        #expect(one["paidByCard"] == nil)
        #expect(one["cardReturns"]?.array?.map { $0["state"] } == ["returned"])
        #expect(one["receipt"]?.string?.contains("can be reached") == false)
        let rest = try shop.pos("orders", "refund", try number(sale))
        #expect(rest.text.contains("7.50 CNY (card) is back on the card"), "\(rest.text)")
        #expect(try machine.returned() == [1250, 750])
        #expect(Self.waiting(try shop.status()) == 0)
        #expect(try shop.document("orders", "owed")["returns"] == [])
        let z = try shop.document("shift", "close", "--counted", "5000")
        #expect(z["cash"]?["expected"] == 5000)
        #expect(
            z["tenders"] == [
                ["method": "card", "count": 3, "amount": 0], ["method": "cash", "count": 2, "amount": 0],
            ])
        _ = try shop.document("offline", "off")
        _ = try shop.document("sync", "now")
        try shop.waitUntil("the shift is confirmed", within: 30) { _ in
            try shop.document("shift", "show", id)["state"] == "confirmed"
        }
        #expect(try shop.posHub("flags", "list")["flags"] == [])
        let rows = try shop.posHub("sales", "--by", "tender")["rows"]?.array ?? []
        #expect(rows.count == 2 && rows.allSatisfy { $0["net"] == 0 }, "\(rows)")
        #expect(try shop.audit().isComplete)
    }

    @Test("that is away has the money to give back until it is there, over kills on both sides, once")
    func refundedLater() throws {
        let (shop, machine, folder) = try shop("approve")
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        machine.stop()
        try machine.tear()
        let refund = try shop.document("orders", "refund", try number(sale))
        let id = try #require(refund["refundId"]?.string)
        #expect(refund["cardReturns"]?.array?.map { $0["state"] } == ["waiting"])
        #expect(refund["receipt"]?.string?.contains("machine can be reached") == true)
        #expect(Self.waiting(try shop.status()) == 1)
        let text = "goes back to the card when the machine can be reached"
        #expect(try shop.pos("orders", "owed").text.contains("12.50 CNY (card) \(text)"))
        #expect(try shop.pos("orders", "show", try number(sale)).text.contains(text))
        #expect(try shop.pos("status").text.contains(text + ": 1"))
        #expect(
            try shop.doctorDetail(on: "card machine")?.contains("when the machine can be reached") == true)
        let early = try shop.pos("orders", "repay", id, "--json")
        #expect((early.exitCode, early.errorCode) == (75, "card_return_waiting"))
        // It gives the money back and its response is lost; then both sides are killed.
        shop.killAgent()
        try machine.start("silent")
        try shop.startAgent()
        _ = try shop.waitUntil("the machine gave it back", within: 30) { _ in
            try machine.returned() == [1250]
        }
        #expect(Self.waiting(try shop.status()) == 1)
        shop.killAgent()
        try machine.start("approve")
        try shop.startAgent()
        _ = try shop.waitUntil("nothing waits", within: 30) { Self.waiting($0) == 0 }
        #expect(try machine.returned() == [1250])
        let shown = try shop.document("orders", "show", try number(sale))
        let states = shown["refunds"]?.array?.first?["cardReturns"]?.array?.map { $0["state"] }
        #expect(states == ["returned"])
        #expect(try shop.pos("orders", "repay", id, "--json").errorCode == "card_return_settled")
    }

    @Test(
        "gives a refund back once after kills of the till at any moment of it",
        arguments: [0, 40, 90, 160, 300, 700])
    func refundKilled(milliseconds: UInt32) throws {
        let (shop, machine, folder) = try shop("silent")
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        let command = ["orders", "refund", try number(sale), "--key", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--json"]
        let refund = try shop.startProgram(
            command[0], command[1], command[2], command[3], command[4], command[5])
        usleep(milliseconds * 1000)
        shop.killAgent()
        _ = refund.exitCode(within: 15)
        try machine.start("approve")
        try shop.startAgent()
        _ = try shop.waitUntil("the machine gave back what was refunded", within: 40) { status in
            let shown = try shop.document("orders", "show", try number(sale))
            let refunds = shown["refunds"]?.array ?? []
            return try Self.waiting(status) == 0 && machine.returned().count == refunds.count
        }
        #expect(try shop.pos(command).document()["paid"]?["amount"] == 1250)
        #expect(try machine.returned() == [1250])
    }

    @Test("gives the whole charge of a void back, also later")
    func voided() throws {
        let (shop, machine, folder) = try shop("approve")
        defer { withExtendedLifetime(folder) {} }
        let (first, second) = (
            try shop.document("sell", "--line", Self.tea, "--pay", "card:1000", "--pay", "cash"),
            try shop.document("sell", "--line", Self.tea, "--pay", "card")
        )
        let text = try shop.pos("orders", "void", try number(first)).text
        #expect(text.contains("hand back 2.50 CNY in cash; 10.00 CNY (card) is back on the card"), "\(text)")
        machine.stop()
        let later = try shop.document("orders", "void", try number(second))
        #expect(later["cardReturns"]?.array?.map { $0["state"] } == ["waiting"])
        shop.killAgent()
        try machine.start("approve")
        try shop.startAgent()
        _ = try shop.waitUntil("nothing waits", within: 30) { Self.waiting($0) == 0 }
        #expect(try machine.returned() == [1000, 1250])
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained()
        #expect(try shop.posHub("flags", "list")["flags"] == [])
        #expect(
            try shop.posHub("sales", "--by", "tender")["rows"]?.array?.allSatisfy { $0["net"] == 0 } == true)
    }

    private static let person = ["--cashier", "c1", "--pin", "1234"]
    private static let approver = ["--approver", "m1", "--approver-pin-stdin"]

    /// A store with a cashier and a manager, in which refunds need no approver of themselves.
    private func staffed(_ answers: String) throws -> (ShopUnderTest, Machine, TemporaryFolder) {
        try shop(answers, as: Self.person) { shop in
            try shop.importRows(.cashiers, "c1,Li,1234,cashier", "m1,Wu,98765432,manager")
            _ = try shop.posHub("store-config", "set", "--store-id", "S1", "account.approvals=void")
        }
    }

    @Test("that refuses leaves a debt, which is shown and paid in cash with approval, once")
    func refundRefused() throws {
        let (shop, machine, folder) = try staffed("approve")
        defer { withExtendedLifetime(folder) {} }
        _ = try shop.pos(["shift", "open", "--float", "5000", "--json"] + Self.person).document()
        let sale = try shop.pos(
            ["sell", "--line", Self.tea + ":2", "--pay", "card", "--json"] + Self.person
        ).document()
        let number = try number(sale)
        // In cash, or in exchange, the card's money needs an approver; to the card it needs none.
        let part = ["orders", "refund", number, "--line", Self.tea + ":1", "--json"] + Self.person
        #expect(try shop.pos(part + ["--in-cash"]).errorCode == "approval_required")
        let exchange = ["orders", "exchange", number, "--line", Self.tea, "--json"] + Self.person
        #expect(try shop.pos(exchange).errorCode == "approval_required")
        try machine.start("decline")
        let refund = try shop.pos(part).document()
        let id = try #require(refund["refundId"]?.string)
        #expect(refund["cardReturns"]?.array?.map { $0["state"] } == ["refused"])
        #expect(refund["receipt"]?.string?.contains("refused by the card machine") == true)
        #expect(Self.refused(try shop.status()) == 1)
        #expect(try shop.status()["banner"]?["troubles"]?.array?.contains("owedToCustomers") == true)
        #expect(
            try shop.doctorDetail(on: "card refunds")?.contains("12.50 CNY: the bank declined") == true)
        let alone = try shop.pos(["orders", "repay", id, "--json"] + Self.person)
        #expect((alone.exitCode, alone.errorCode) == (1, "approval_required"))
        shop.killAgent()
        try machine.start("approve")
        try shop.startAgent()
        let repay = ["orders", "repay", id, "--json"] + Self.person + Self.approver
        let paid = try shop.pos(repay, input: ["98765432"]).document()
        #expect(paid["kind"] == "out" && paid["amount"]?["amount"] == 1250)
        #expect(try shop.pos(repay, input: ["98765432"]).errorCode == "card_return_settled")
        #expect(Self.refused(try shop.status()) == 0)
        #expect(try machine.returned() == [])
        let x = try shop.document("shift", "report")
        #expect(x["cash"]?["expected"] == 3750)
        let inCash = try shop.pos(part + ["--in-cash"] + Self.approver, input: ["98765432"]).document()
        #expect(inCash["paidByCard"] == true && inCash["cardReturns"] == nil)
        #expect(try machine.returned() == [])
    }

    @Test("of another till is not reached: its sale comes back in cash, with approval")
    func otherTill() throws {
        let (shop, machine, folder) = try staffed("approve")
        defer { withExtendedLifetime(folder) {} }
        let other = try OtherTill(shop)
        let sale = try shop.pos(
            ["sell", "--line", Self.tea, "--pay", "card", "--json"] + Self.person
        ).document()
        let code = try #require(sale["receiptCode"]?.string)
        _ = try shop.pos(["offline", "off", "--json"] + Self.person).document()
        try shop.waitUntilDrained()
        try other.sync()
        func refund(_ more: [String], _ input: [String] = []) throws -> FinishedProgram {
            try ProgramUnderTest.run(
                "pos",
                ["orders", "refund", "--receipt-code", code] + Self.person + more + ["--home", other.home],
                environment: shop.settings, input: input)
        }
        #expect(try refund(["--json"]).errorCode == "approval_required")
        let back = try refund(Self.approver, ["98765432"])
        #expect(back.exitCode == 0 && back.text.contains("this gives cash from the drawer"), "\(back.text)")
        #expect(try machine.returned() == [])
    }
}
