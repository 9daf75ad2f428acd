import Foundation
import HubProtocol
import TestKit
import Testing

/// A card machine that speaks ZVT takes every card of the till: nothing is charged twice, and nothing that
/// was charged is forgotten, whatever is cut, killed or answered wrongly.
@Suite("A card machine that speaks ZVT", .onStage)
struct ZVTMachineTests {
    private func shop(_ options: [String] = []) throws -> (ShopUnderTest, CardTerminal, TemporaryFolder) {
        try MachineShop.open(.zvt, options)
    }

    @Test("takes cards beside a hub without payments: sale, decline, abort, refund and void agree everywhere")
    func day() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.sellTeaByCard().document()
        #expect(sale["paid"]?.array?.first?["approvalCode"] == "771204")
        try terminal.start(["--fault", "decline"])
        #expect(try shop.sellTeaByCard().errorCode == "card_declined")
        try terminal.start(["--fault", "busy"])
        #expect(try shop.sellTeaByCard().errorCode == "machine_busy")
        terminal.stop()
        #expect(try shop.sellTeaByCard().errorCode == "machine_unreachable")
        #expect(try shop.pos("sell", "--line", MachineShop.tea, "--json").exitCode == 0)
        try terminal.start(["--fault", "split"])
        let second = try shop.sellTeaByCard().document()
        let back = try shop.document("orders", "refund", try #require(sale["orderNumber"]?.string))
        #expect(back["cardReturns"]?.array?.map { $0["state"] } == ["returned"], "\(back)")
        _ = try shop.document("orders", "void", try #require(second["orderNumber"]?.string))
        #expect(
            try terminal.booked() == [
                MachineShop.price, MachineShop.price, -MachineShop.price, -MachineShop.price,
            ])
        try shop.waitUntilDrained()
        #expect(try shop.posHub("flags", "list")["flags"] == [])
        #expect(try shop.audit().isComplete)
    }

    @Test("a void at another machine, or of a number that came again, takes no other customer's money back")
    func replaced() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        let (first, second) = (try shop.sellTeaByCard().document(), try shop.sellTeaByCard().document())
        // It made its end of day by itself, and begins again with its numbers.
        try terminal.start(["--forgets"])
        for _ in 0..<2 { _ = try shop.sellTeaByCard().document() }
        let price = MachineShop.price
        func void(_ sale: JSONValue, _ terminal: CardTerminal) throws -> String {
            let number = try #require(sale["orderNumber"]?.string)
            let void = try shop.document("orders", "void", number)
            #expect(void["cardReturns"]?.array?.map { $0["state"] } == ["returned"], "\(void)")
            return try String(contentsOfFile: terminal.folder + "/terminal.jsonl", encoding: .utf8)
        }
        #expect(try void(first, terminal).contains("reversal") == false)
        try terminal.start(["--terminal", "11111111"])
        #expect(try void(second, terminal).contains("reversal") == false)
        #expect(try terminal.booked() == [price, price, price, price, -price, -price])
    }

    @Test("a refund that pays any card is begun by a person alone, whatever becomes of till and machine")
    func unattended() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.document("sell", "--line", MachineShop.tea + ":2", "--pay", "card")
        let price = MachineShop.price
        terminal.stop()
        let number = try #require(sale["orderNumber"]?.string)
        let back = try shop.document("orders", "refund", number, "--line", MachineShop.tea + ":1")
        let id = try #require(back["refundId"]?.string)
        #expect(back["cardReturns"]?.array?.map { $0["needsCard"] } == [true], "\(back)")
        // Nothing was sent of it, so a customer who does not come back with the card gets cash.
        let other = try shop.document("orders", "refund", number, "--line", MachineShop.tea + ":1")
        #expect(try shop.status()["cardReturns"]?["waitingForCard"] == 2)
        let cash = try shop.document("orders", "repay", try #require(other["refundId"]?.string))
        #expect(cash["amount"]?["amount"] == .integer(price) && cash["kind"] == "out", "\(cash)")
        shop.killAgent()
        try terminal.start()
        try shop.startAgent()
        // The round at the start is over once it was made for a machine that is there.
        _ = try shop.document("card", "test")
        _ = try shop.waitUntil("the start's round is over", within: 20) { _ in
            try shop.sellTeaByCard().exitCode == 0
        }
        #expect(try terminal.booked() == [2 * price, price])
        #expect(try shop.pos("orders", "owed").text.contains("pos orders repay \(id) --card"))
        #expect(try shop.pos("status").text.contains("when the customer presents the card: 1"))
        #expect(try shop.doctorDetail(on: "cards to present")?.hasPrefix("1 to go back") == true)
        let returned = try shop.document("orders", "repay", id, "--card")
        #expect(returned["returns"]?.array?.map { $0["state"] } == ["returned"], "\(returned)")
        #expect(try terminal.booked() == [2 * price, price, -price])
        let again = try shop.pos("orders", "repay", id, "--card", "--json")
        #expect((again.exitCode, again.errorCode) == (1, "card_return_settled"))
    }

    @Test("a machine that is not configured any more leaves its payments to a person, and the cart is sold")
    func gone() throws {
        let (shop, terminal, folder) = try shop(["--fault", "cut:3"])
        defer { withExtendedLifetime((terminal, folder)) {} }
        for isCharged in [true, false] {
            #expect(try shop.sellTeaByCard().errorCode == "card_outcome_unknown")
            shop.killAgent()
            let settings = shop.settings
            defer { shop.settings = settings }
            shop.settings = settings.filter { !$0.key.hasPrefix("POS_CARD_MACHINE") }
            try shop.startAgent()
            let key = try #require(try shop.waitingAtMachine().first?["key"]?.string)
            #expect(try shop.doctorDetail(on: "card payments")?.contains(key) == true)
            let cart = try #require(
                try shop.document("cart", "list")["carts"]?.array?.first?["cartId"]?.string)
            #expect(try shop.pos("cart", "drop", cart, "--reason", "left", "--json").exitCode == 75)
            let decision =
                isCharged ? ["charged", "--reference", "143"] : ["not-charged", "--reason", "none"]
            _ = try shop.pos(["card", "decide", key, "--json"] + decision).document()
            _ = try shop.pos("cart", "drop", cart, "--reason", "left", "--json")
            #expect(try shop.document("cart", "list")["carts"] == [])
            #expect(try shop.waitingAtMachine().isEmpty)
            #expect(try shop.owedToCards() == MachineShop.price)
            shop.killAgent()
            shop.settings = settings
            try shop.startAgent()
        }
    }

    @Test("an open payment keeps others from the machine, and no cash sale from the till")
    func undecided() throws {
        let (shop, terminal, folder) = try shop(["--fault", "cut:3"])
        defer { withExtendedLifetime(folder) {} }
        let first = try shop.sellTeaByCard()
        #expect((first.exitCode, first.errorCode) == (75, "card_outcome_unknown"))
        #expect(try shop.sellTeaByCard().errorCode == "machine_undecided")
        #expect(try shop.document("card", "status")["state"] == "undecided")
        let day = try shop.pos("card", "close-day", "--json")
        #expect((day.exitCode, day.errorCode) == (75, "machine_undecided"))
        #expect(try terminal.booked() == [])
        #expect(try shop.pos("sell", "--line", MachineShop.tea, "--json").exitCode == 0)
    }

    @Test("a number that the terminal took back and used again is the new booking")
    func usedAgain() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        _ = try shop.sellTeaByCard().document()
        // The booking was reported, the till's response to it lost: the terminal undoes it.
        try terminal.start(["--fault", "deaf:4"])
        #expect(try shop.sellTeaByCard().errorCode == "card_outcome_unknown")
        try shop.decideNotCharged()
        // The next one has that number, and its completion is lost.
        try terminal.start(["--fault", "cut:6"])
        #expect(try shop.sellTeaByCard().exitCode == 0)
        #expect(try terminal.booked() == [MachineShop.price, MachineShop.price])
    }

    /// What is unusual of a terminal whose line is cut behind a booking.
    enum Oddity: CaseIterable {
        case wrappedNumber, clockAhead, clockBehind, noEnquiry, noBooking, forgotten, replaced

        /// Options of each start, of the first one, and of the one behind the cut.
        var options: (always: [String], first: [String], after: [String]) {
            switch self {
            case .wrappedNumber: ([], ["--first-receipt", "9999"], [])
            case .clockAhead: (["--clock-offset=3600"], [], [])
            case .clockBehind: (["--clock-offset=-3600"], [], [])
            case .noEnquiry: ([], [], ["--fault", "noEnquiry"])
            case .noBooking: ([], [], ["--fault", "bareRepetition"])
            case .forgotten: ([], [], ["--forgets"])
            case .replaced: ([], [], ["--terminal", "52000018"])
            }
        }

        /// Whether its last booking proves the charge.
        var isProven: Bool { self == .wrappedNumber || self == .clockAhead }
    }

    @Test("an unusual terminal proves a charge or leaves it to a person", arguments: Oddity.allCases)
    func odd(_ oddity: Oddity) throws {
        let options = oddity.options
        let (shop, terminal, folder) = try MachineShop.open(.zvt, options.first, fixed: options.always)
        defer { withExtendedLifetime(folder) {} }
        _ = try shop.sellTeaByCard().document()
        try terminal.start(["--fault", "mute:6"])
        let sale = try shop.startProgram("sell", "--line", MachineShop.tea, "--pay", "card", "--json")
        _ = try shop.waitUntil("the money moved", within: 20) { _ in try terminal.booked().count == 2 }
        try terminal.start(options.after)
        #expect(sale.exitCode(within: 30) == (oddity.isProven ? 0 : 75))
        let open = try shop.waitingAtMachine()
        #expect(open.map { $0["state"] } == (oddity.isProven ? [] : ["unknown"]))
        #expect(open.allSatisfy { $0["forPerson"] == true }, "\(open)")
        #expect(try terminal.booked() == [MachineShop.price, MachineShop.price])
    }

    @Test("in a store with cashiers a manager approves what a person decides, and the reason is no card")
    func approved() throws {
        let (shop, terminal, folder) = try shop(["--fault", "cut:3"])
        defer { withExtendedLifetime((terminal, folder)) {} }
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "m1,Wu,98765432,manager")
        _ = try shop.posHub("store-config", "set", "--store-id", "S1", "account.approvals=cardDecision")
        _ = try shop.document("sync", "now")
        let person = ["--cashier", "c1", "--pin", "1234"]
        let sale = ["sell", "--line", MachineShop.tea, "--pay", "card", "--json"]
        #expect(try shop.pos(sale + person).errorCode == "card_outcome_unknown")
        let key = try #require(try shop.waitingAtMachine().first?["key"]?.string)
        func decide(_ reason: String, _ more: [String], input: [String] = []) throws -> FinishedProgram {
            let command = ["card", "decide", key, "not-charged", "--reason", reason, "--json"]
            return try shop.pos(command + person + more, input: input)
        }
        #expect(try decide("no paper", []).errorCode == "approval_required")
        let approver = ["--approver", "m1", "--approver-pin-stdin"]
        #expect(try decide("4111111111111111", approver, input: ["98765432"]).exitCode == 2)
        #expect(try decide("", approver, input: ["98765432"]).errorCode == "text_missing")
        #expect(try shop.waitingAtMachine().map { $0["state"] } == ["unknown"])
        _ = try decide("no paper", approver, input: ["98765432"]).document()
        #expect(try shop.waitingAtMachine().isEmpty)
    }

    @Test(
        "a paper that was lost with the response is fetched again, and is behind the receipt",
        arguments: [(CardTerminal.Kind.zvt, "cut:5"), (.nexo, "cut:2")])
    func lostPaper(kind: CardTerminal.Kind, fault: String) throws {
        let paper = try TemporaryFolder()
        let printed = paper.url.path + "/paper"
        let (shop, terminal, folder) = try MachineShop.open(
            kind, ["--fault", fault], ["POS_PRINTER_DEVICE": "file:" + printed])
        defer { withExtendedLifetime((terminal, folder, paper)) {} }
        #expect(try shop.sellTeaByCard().exitCode == 0)
        _ = try shop.waitUntil("the machine's paper is printed", within: 20) { _ in
            FileManager.default.contents(atPath: printed)?.range(of: Data("SIMULATED TERMINAL".utf8)) != nil
        }
    }

    @Test("the booking seen before proves after a minute that a cut payment took nothing")
    func settled() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        _ = try shop.sellTeaByCard().document()
        try terminal.start(["--fault", "cut:3"])
        #expect(try shop.sellTeaByCard().errorCode == "card_outcome_unknown")
        try terminal.start()
        _ = try shop.waitUntil("the result is known", within: 90) { _ in try shop.waitingAtMachine().isEmpty }
        #expect(try shop.sellTeaByCard().exitCode == 0)
        #expect(try terminal.booked() == [MachineShop.price, MachineShop.price])
    }

    @Test(
        "sends and receives what another program's reader of ZVT reads without complaint",
        .enabled(if: hasTShark))
    func dissected() throws {
        let files = try TemporaryFolder()
        let capture = files.url.path + "/zvt.pcap"
        let (shop, terminal, folder) = try shop(["--capture", capture])
        defer { withExtendedLifetime((terminal, folder, files)) {} }
        let sale = try shop.sellTeaByCard().document()
        let order = try #require(sale["orderNumber"]?.string)
        _ = try shop.document("orders", "refund", order)
        #expect(try shop.document("card", "close-day")["difference"] == 0)
        let reading = ["/usr/bin/tshark", "-d", "tcp.port==20007,zvt", "-r", capture]
        let controls = try Command.run(reading + ["-T", "fields", "-e", "zvt.control_field"]).lowercased()
        for control in ["0x0600", "0x0601", "0x0630", "0x0650", "0x040f", "0x06d3", "0x060f"] {
            #expect(controls.contains(control), "\(control) in \(controls)")
        }
        #expect(try Command.run(reading + ["-Y", "_ws.malformed"]).isEmpty)
    }

    private static let hasTShark = FileManager.default.isExecutableFile(atPath: "/usr/bin/tshark")
}
