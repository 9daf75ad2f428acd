import Foundation
import HubProtocol
import TestKit
import Testing

/// A card machine that speaks ZVT takes every card of the till: nothing is charged twice, and nothing that
/// was charged is forgotten, whatever is cut, killed or answered wrongly.
@Suite("A card machine that speaks ZVT", .onStage)
struct ZVTMachineTests {
    private static let tea = Article.assortment[0].barcode
    private static let price: Int64 = 1250

    /// A terminal as a process, with a file of what it booked.
    private final class Terminal {
        let journal: String
        private(set) var port = "0"
        private var program: ProgramUnderTest?

        init(in folder: String, _ options: [String] = []) throws {
            journal = folder + "/terminal.jsonl"
            try start(options)
        }

        func stop() {
            program?.kill()
            program = nil
        }

        func start(_ options: [String] = []) throws {
            stop()
            let next = try ProgramUnderTest(
                "pos-lab",
                ["card-machine", "--kind", "zvt", "--port", port, "--journal", journal, "--currency", "156"]
                    + options)
            port = String(try next.line(startingWith: "listening on ").split(separator: ":").last ?? "")
            program = next
        }

        /// Amounts that were booked, those that went back below zero.
        func booked() throws -> [Int64] {
            try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n").compactMap { line in
                let entry = try JSONParser.parse(line.utf8)
                guard let amount = entry["amount"]?.integer, let kind = entry["kind"]?.string else {
                    return nil
                }
                return kind == "sale" ? amount : kind == "endOfDay" ? nil : -amount
            }
        }

        var held: Int64 { get throws { try booked().reduce(0, +) } }
    }

    private func shop(_ options: [String] = []) throws -> (ShopUnderTest, Terminal, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let terminal = try Terminal(in: folder.url.path, options)
        let shop = try ShopUnderTest(
            [],
            settings: .hurried.with([
                "POS_CARD_MACHINE_KIND": "zvt", "POS_CARD_MACHINE_ADDRESS": "tcp:127.0.0.1:\(terminal.port)",
            ]))
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sync", "now")
        return (shop, terminal, folder)
    }

    private func sell(_ shop: ShopUnderTest, _ more: String...) throws -> FinishedProgram {
        try shop.pos(["sell", "--line", Self.tea, "--pay", "card", "--json"] + more)
    }

    @Test("takes cards beside a hub without payments: sale, decline, abort, refund and void agree everywhere")
    func day() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        let sale = try sell(shop).document()
        #expect(sale["paid"]?.array?.first?["approvalCode"] == "771204")
        try terminal.start(["--fault", "decline"])
        #expect(try sell(shop).errorCode == "card_declined")
        try terminal.start(["--fault", "busy"])
        #expect(try sell(shop).errorCode == "machine_busy")
        terminal.stop()
        #expect(try sell(shop).errorCode == "machine_unreachable")
        #expect(try shop.pos("sell", "--line", Self.tea, "--json").exitCode == 0)
        try terminal.start(["--fault", "split"])
        let second = try sell(shop).document()
        let back = try shop.document("orders", "refund", try #require(sale["orderNumber"]?.string))
        #expect(back["cardReturns"]?.array?.map { $0["state"] } == ["returned"], "\(back)")
        _ = try shop.document("orders", "void", try #require(second["orderNumber"]?.string))
        #expect(try terminal.booked() == [Self.price, Self.price, -Self.price, -Self.price])
        try shop.waitUntilDrained()
        #expect(try shop.posHub("flags", "list")["flags"] == [])
        #expect(try shop.audit().isComplete)
    }

    @Test("a line that is cut in place of any message leaves one result, on both sides", arguments: 1...6)
    func cut(message: Int) throws {
        let (shop, terminal, folder) = try shop(["--fault", "cut:\(message)"])
        defer { withExtendedLifetime(folder) {} }
        let first = try sell(shop)
        // What the terminal booked is a sale at once; what it did not is only known after a minute.
        if message >= 5 {
            #expect(first.exitCode == 0, "\(first.text)")
            #expect(try terminal.booked() == [Self.price])
        } else {
            #expect((first.exitCode, first.errorCode) == (75, "card_outcome_unknown"))
            #expect(try sell(shop).errorCode == "machine_undecided")
            #expect(try terminal.booked() == [])
            #expect(try shop.pos("sell", "--line", Self.tea, "--json").exitCode == 0)
        }
    }

    /// The step at which the terminal falls silent, in its own messages: the receipt of the command, two of
    /// progress, the status information, the paper, the completion.
    @Test(
        "a till that is killed at any step of a payment has in the end what the terminal booked",
        arguments: 1...6)
    func killed(step: Int) throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        // A terminal without a booking cannot prove that it made none.
        _ = try sell(shop).document()
        try terminal.start(["--fault", "mute:\(step)"])
        let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
        let isBooked = step > 4
        _ = try shop.waitUntil("the payment is at its step", within: 20) { _ in
            try isBooked
                ? terminal.booked().count == 2
                : !waiting(shop).isEmpty
        }
        shop.killAgent()
        _ = sale.exitCode(within: 15)
        try terminal.start()
        try shop.startAgent()
        if !isBooked {
            let key = try #require(try waiting(shop).first?["key"]?.string)
            // What the booking seen before proves a minute later is proven by the paper at once.
            _ = try shop.document("card", "decide", key, "not-charged", "--reason", "no paper")
        }
        _ = try shop.waitUntil("nothing is open, and the charge without a sale went back", within: 20) { _ in
            try waiting(shop).isEmpty && terminal.held == Self.price
        }
        #expect(try terminal.booked().count == (isBooked ? 3 : 1))
        #expect(try shop.orders().count == 1)
    }

    private func waiting(_ shop: ShopUnderTest) throws -> [JSONValue] {
        try shop.document("card", "status")["waiting"]?.array ?? []
    }

    @Test("a number that the terminal took back and used again is the new booking")
    func usedAgain() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        _ = try sell(shop).document()
        // The booking was reported, the till's response to it lost: the terminal undoes it.
        try terminal.start(["--fault", "deaf:4"])
        #expect(try sell(shop).errorCode == "card_outcome_unknown")
        let key = try #require(try waiting(shop).first?["key"]?.string)
        _ = try shop.document("card", "decide", key, "not-charged", "--reason", "no paper")
        // The next one has that number, and its completion is lost.
        try terminal.start(["--fault", "cut:6"])
        #expect(try sell(shop).exitCode == 0)
        #expect(try terminal.booked() == [Self.price, Self.price])
    }

    @Test("the booking seen before proves after a minute that a cut payment took nothing")
    func settled() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        _ = try sell(shop).document()
        try terminal.start(["--fault", "cut:3"])
        #expect(try sell(shop).errorCode == "card_outcome_unknown")
        try terminal.start()
        _ = try shop.waitUntil("the result is known", within: 90) { _ in try waiting(shop).isEmpty }
        #expect(try sell(shop).exitCode == 0)
        #expect(try terminal.booked() == [Self.price, Self.price])
    }

    @Test("no whole card number reaches disk, paper or log, whatever the terminal sends")
    func masked() throws {
        let (shop, terminal, folder) = try shop(["--fault", "wholeNumber"])
        defer { withExtendedLifetime((terminal, folder)) {} }
        let sale = try sell(shop)
        #expect(sale.exitCode == 0 && !sale.text.contains("4111111111111111"), "\(sale.text)")
        try shop.waitUntilDrained()
        let files = FileManager.default.enumerator(atPath: shop.home)?.compactMap { $0 as? String } ?? []
        #expect(!files.isEmpty)
        for name in files {
            let bytes = FileManager.default.contents(atPath: shop.home + "/" + name) ?? Data()
            #expect(bytes.range(of: Data("4111111111111111".utf8)) == nil, "\(name)")
            #expect(
                bytes.range(of: Data([0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11])) == nil, "\(name)")
        }
    }

    @Test(
        "sends and receives what another program's reader of ZVT reads without complaint",
        .enabled(if: hasTShark))
    func dissected() throws {
        let folder = try TemporaryFolder()
        let capture = folder.url.path + "/zvt.pcap"
        let terminal = try Terminal(in: folder.url.path, ["--capture", capture])
        let shop = try ShopUnderTest(
            [],
            settings: .hurried.with([
                "POS_CARD_MACHINE_KIND": "zvt", "POS_CARD_MACHINE_ADDRESS": "tcp:127.0.0.1:\(terminal.port)",
            ]))
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sync", "now")
        let sale = try sell(shop).document()
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
