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
                guard let key = entry["key"]?.string, let state = entry["state"]?.string else { continue }
                if state == "charged" { charged += 1 }
                states[key] = state
            }
            return (states.values.count { $0 == "charged" }, charged)
        }
    }

    /// A till that is offline by hand, with a machine.
    private func shop(_ answers: String) throws -> (ShopUnderTest, Machine, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let machine = try Machine(in: folder.url.path, answers)
        let shop = try ShopUnderTest(
            [], serving: ["--payments", "simulator"],
            settings: .hurried.with([
                "POS_CHECKOUT_CARD_TIMEOUT_SECONDS": "2",
                "POS_CARD_MACHINE_ADDRESS": "tcp:127.0.0.1:\(machine.port)",
            ]))
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("offline", "on", "--reason", "no line")
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
        "that went away lets the sale wait, which is charged once when it is back, or dropped with its void")
    func away() throws {
        let (shop, machine, folder) = try shop("approve")
        defer { withExtendedLifetime(folder) {} }
        machine.stop()
        for _ in 0..<2 { #expect(try sellByCard(shop).errorCode == "card_outcome_unknown") }
        let carts =
            try shop.document("cart", "list")["carts"]?.array?.compactMap { $0["cartId"]?.string } ?? []
        try #require(carts.count == 2)
        #expect(try shop.pos("cart", "drop", carts[1], "--reason", "left").exitCode == 75)
        try machine.start("silent")
        _ = try shop.document("sell", "--cart", carts[0], "--pay", "card")
        _ = try shop.document("cart", "drop", carts[1], "--reason", "left")
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
}
