import Foundation
import HubProtocol
import TestKit
import Testing

/// Card machines that send and print whole card numbers, and tracks.
@Suite("Card numbers of a card machine", .onStage)
struct MachineNumberTests {
    private static let number = "4111111111111111"
    /// The number in digits, in groups, and with two of them in a byte; a track has it in front.
    private static let needles = [
        Data(number.utf8), Data("4111 1111 1111 1111".utf8),
        Data([0x41] + [UInt8](repeating: 0x11, count: 7)),
    ]

    private func isClean(_ bytes: Data) -> Bool {
        Self.needles.allSatisfy { bytes.range(of: $0) == nil }
    }

    @Test(
        "reach no disk, paper, log, recording or document, at the till or the hub, whatever is done",
        arguments: [CardTerminal.Kind.zvt, .nexo])
    func nowhere(_ kind: CardTerminal.Kind) throws {
        let paper = try TemporaryFolder()
        let printed = paper.path("paper")
        let (shop, terminal, folder) = try MachineShop.open(
            kind, ["--fault", "wholeNumber"], ["POS_PRINTER_DEVICE": "file:" + printed])
        defer { withExtendedLifetime((terminal, folder, paper)) {} }
        shop.killAgent()
        let agent = try shop.startProgram("agent", "--log-level", "trace")
        try agent.line { $0 == "ready" }
        shop.agent = agent
        var documents: [JSONValue] = []
        let (sale, other) = (try shop.sellTeaByCard().document(), try shop.sellTeaByCard().document())
        documents += [sale, other]
        // One whose response is lost, and found with its paper.
        try terminal.start(["--fault", kind == .zvt ? "mute:5" : "mute:2"])
        let lost = try shop.startProgram("sell", "--line", MachineShop.tea, "--pay", "card", "--json")
        _ = try shop.waitUntil("the money moved", within: 20) { _ in try terminal.booked().count == 3 }
        try terminal.start(["--fault", "wholeNumber"])
        #expect(lost.exitCode(within: 40) == 0)
        documents += try lost.output.lines.map { try JSONParser.parse($0.utf8) }
        let number = try #require(sale["orderNumber"]?.string)
        documents += [
            try shop.document("orders", "refund", number),
            try shop.document("orders", "void", try #require(other["orderNumber"]?.string)),
            try shop.document("orders", "show", number),
            try shop.document("orders", "receipt", number, "--copy"),
            try shop.document("card", "status"), try shop.document("card", "last"),
            try shop.document("card", "close-day"),
        ]
        _ = try shop.waitUntil("the machine's paper is printed", within: 20) { _ in
            FileManager.default.contents(atPath: printed)?.range(of: Data("SIMULATED TERMINAL".utf8)) != nil
        }
        try shop.waitUntilDrained()
        for document in documents { #expect(isClean(Data(document.canonicalBytes)), "\(document)") }
        for program in [shop.agent, shop.hub] {
            let lines = (program?.errors.lines ?? []) + (program?.output.lines ?? [])
            #expect(isClean(Data(lines.joined(separator: "\n").utf8)))
        }
        #expect(agent.errors.lines.count > 10, "the log is read")
        #expect(isClean(FileManager.default.contents(atPath: printed) ?? Data()))
        let home = shop.folder.url.path
        let files = FileManager.default.enumerator(atPath: home)?.compactMap { $0 as? String } ?? []
        for name in files {
            #expect(isClean(FileManager.default.contents(atPath: home + "/" + name) ?? Data()), "\(name)")
        }
        // The scan finds what is there: in both databases, and on the disk of the till's recording.
        #expect(try CardTests.files(below: home, holding: number).count >= 3)
        #expect(files.contains { $0.hasSuffix("flight.log") })
    }
}
