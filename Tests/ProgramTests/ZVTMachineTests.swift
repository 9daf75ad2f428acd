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

    @Test("an open payment keeps others from the machine, and no cash sale from the till")
    func undecided() throws {
        let (shop, terminal, folder) = try shop(["--fault", "cut:3"])
        defer { withExtendedLifetime(folder) {} }
        let first = try shop.sellTeaByCard()
        #expect((first.exitCode, first.errorCode) == (75, "card_outcome_unknown"))
        #expect(try shop.sellTeaByCard().errorCode == "machine_undecided")
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

    @Test("a paper that was lost with the response is fetched again, and is behind the receipt")
    func lostPaper() throws {
        let paper = try TemporaryFolder()
        let printed = paper.url.path + "/paper"
        let (shop, terminal, folder) = try MachineShop.open(
            .zvt, ["--fault", "cut:5"], ["POS_PRINTER_DEVICE": "file:" + printed])
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

    @Test("no whole card number reaches disk, paper or log, whatever the terminal sends")
    func masked() throws {
        let (shop, terminal, folder) = try shop(["--fault", "wholeNumber"])
        defer { withExtendedLifetime((terminal, folder)) {} }
        let sale = try shop.sellTeaByCard()
        #expect(sale.exitCode == 0 && !sale.text.contains("4111111111111111"), "\(sale.text)")
        try shop.waitUntilDrained()
        let everything = shop.folder.url.path
        let files = FileManager.default.enumerator(atPath: everything)?.compactMap { $0 as? String } ?? []
        #expect(!files.isEmpty)
        for name in files {
            let bytes = FileManager.default.contents(atPath: everything + "/" + name) ?? Data()
            #expect(bytes.range(of: Data("4111111111111111".utf8)) == nil, "\(name)")
            #expect(
                bytes.range(of: Data([0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11])) == nil, "\(name)")
        }
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
