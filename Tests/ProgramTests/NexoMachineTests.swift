import Foundation
import HubProtocol
import TestKit
import Testing

/// A card machine that speaks nexo takes every card of the till: nothing is charged twice, and nothing that
/// was charged is forgotten, whatever is cut, killed, reported wrongly or replayed.
@Suite("A card machine that speaks nexo", .onStage)
struct NexoMachineTests {
    private static let tea = Article.assortment[0].barcode
    private static let price = 12.5
    private static let poi = "S1F2-000611220400123"

    /// A terminal as a process, with a file of what it booked.
    private final class Terminal {
        let folder: String
        private(set) var port = "0"
        private let fixed: [String]
        private var program: ProgramUnderTest?

        /// - Parameter fixed: options of every start.
        init(in folder: String, _ options: [String] = [], fixed: [String] = []) throws {
            (self.folder, self.fixed) = (folder, fixed)
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
                ["card-machine", "--kind", "nexo", "--port", port, "--journal", folder + "/terminal.jsonl"]
                    + fixed + options)
            port = String(try next.line(startingWith: "listening on ").split(separator: ":").last ?? "")
            program = next
        }

        /// Amounts that were booked, those that went back below zero.
        func booked() throws -> [Double] {
            try String(contentsOfFile: folder + "/terminal.jsonl", encoding: .utf8).split(separator: "\n")
                .compactMap { line in
                    let entry = try JSONParser.parse(line.utf8)
                    guard let kind = entry["kind"]?.string, kind != "reconciliation" else { return nil }
                    let amount: Double? =
                        switch entry["amount"] {
                        case .double(let number): number
                        case .integer(let number): Double(number)
                        case _: nil
                        }
                    return amount.map { kind == "sale" ? $0 : -$0 }
                }
        }

        var held: Double { get throws { try booked().reduce(0, +) } }
    }

    private func shop(
        _ options: [String] = [], fixed: [String] = [], scheme: String = "http",
        _ settings: [String: String] = [:]
    ) throws -> (ShopUnderTest, Terminal, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let terminal = try Terminal(in: folder.url.path, options, fixed: fixed)
        let shop = try ShopUnderTest(
            [],
            settings: .hurried.with(
                [
                    "POS_CARD_MACHINE_KIND": "nexo", "POS_CARD_MACHINE_POI_ID": Self.poi,
                    "POS_CARD_MACHINE_ADDRESS": "\(scheme)://127.0.0.1:\(terminal.port)/nexo",
                ].merging(settings) { _, new in new }))
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sync", "now")
        return (shop, terminal, folder)
    }

    private func sell(_ shop: ShopUnderTest, _ more: String...) throws -> FinishedProgram {
        try shop.pos(["sell", "--line", Self.tea, "--pay", "card", "--json"] + more)
    }

    private func waiting(_ shop: ShopUnderTest) throws -> [JSONValue] {
        try shop.document("card", "status")["waiting"]?.array ?? []
    }

    /// The caller leaves while the shopper looks for the card: the machine's abort is sent, and it ends with
    /// nothing charged.
    private func abort(_ shop: ShopUnderTest) throws {
        let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
        _ = try shop.waitUntil("the payment is at the machine", within: 20) { _ in
            try waiting(shop).first?["state"] == "sent"
        }
        sale.signal(SIGINT)
        _ = sale.exitCode(within: 15)
        _ = try shop.waitUntil("the machine ended it", within: 20) { _ in try waiting(shop).isEmpty }
    }

    /// The open payment, decided with the machine's paper.
    private func decideNotCharged(_ shop: ShopUnderTest) throws {
        let key = try #require(try waiting(shop).first?["key"]?.string)
        _ = try shop.document("card", "decide", key, "not-charged", "--reason", "no paper")
    }

    @Test("takes cards beside a hub without payments: sale, decline, refund, void and end of day agree")
    func day() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        #expect(try shop.document("card", "test")["machineId"]?.string == Self.poi)
        _ = try shop.document("shift", "open", "--float", "0")
        let sale = try sell(shop).document()
        #expect(sale["paid"]?.array?.first?["approvalCode"] == "771204")
        try terminal.start(["--fault", "decline"])
        #expect(try sell(shop).errorCode == "card_declined")
        try terminal.start(["--fault", "busy"])
        #expect(try sell(shop).errorCode == "machine_busy")
        try terminal.start(["--fault", "slow:60"])
        try abort(shop)
        terminal.stop()
        #expect(try sell(shop).errorCode == "machine_unreachable")
        #expect(try shop.pos("sell", "--line", Self.tea, "--json").exitCode == 0)
        try terminal.start(["--fault", "offline"])
        let second = try sell(shop).document()
        _ = try sell(shop).document()
        _ = try shop.document("orders", "refund", try #require(sale["orderNumber"]?.string))
        _ = try shop.document("orders", "void", try #require(second["orderNumber"]?.string))
        #expect(try terminal.booked() == [12.5, 12.5, 12.5, -12.5, -12.5])
        let closed = try shop.document("card", "close-day")
        #expect(closed["machine"] == 1250 && closed["till"] == 1250 && closed["difference"] == 0, "\(closed)")
        let owed = try shop.document("orders", "owed")["returns"]?.array ?? []
        #expect(owed.map { $0["state"] } == ["requested", "requested"], "\(owed)")
        let taken = try waiting(shop)
        #expect(taken.map { $0["state"] } == ["requested", "requested"], "\(taken)")
        let (first, last) = (taken.first?["key"]?.string ?? "", taken.last?["key"]?.string ?? "")
        _ = try shop.document("card", "decide", first, "charged", "--reference", "report 1")
        _ = try shop.document("card", "decide", last, "not-charged", "--reason", "not in the report")
        #expect(try waiting(shop).isEmpty)
        let left = try shop.document("orders", "owed")["returns"]?.array ?? []
        #expect(left.map { $0["state"] } == ["refused"], "\(left)")
        let shift = try shop.document("shift", "report")
        #expect(shift["cardDays"]?.array?.map { $0["machine"] } == [1250], "\(shift)")
        #expect(shift["report"]?.string?.contains("Card machine's day") == true, "\(shift)")
        try shop.waitUntilDrained()
        let flags = try shop.posHub("flags", "list")["flags"]?.array ?? []
        #expect(flags.count == 2 && flags.allSatisfy { "\($0)".contains("card_decided") }, "\(flags)")
        #expect(try shop.audit().isComplete)
    }

    /// At its first step the request has arrived, at its second the money has moved.
    @Test(
        "a line that is cut or silent at a step leaves one result, on both sides",
        arguments: [("cut", 1), ("cut", 2)])
    func cut(fault: String, step: Int) throws {
        let (shop, terminal, folder) = try shop(["--fault", "\(fault):\(step)"])
        defer { withExtendedLifetime(folder) {} }
        let first = try sell(shop)
        guard step == 1 else {
            #expect(first.exitCode == 0, "\(first.text)")
            #expect(try terminal.booked() == [Self.price])
            return
        }
        #expect((first.exitCode, first.errorCode) == (75, "card_outcome_unknown"))
        #expect(try terminal.booked() == [])
        // Other sales of the till go on: the machine finds each request by its id.
        try terminal.start()
        #expect(try sell(shop).exitCode == 0)
        try decideNotCharged(shop)
        #expect(try waiting(shop).isEmpty)
        #expect(try terminal.booked() == [Self.price])
    }

    @Test("a machine that restarted and forgot proves nothing: a person decides, and a refund takes the card")
    func forgetful() throws {
        let (shop, terminal, folder) = try shop(["--fault", "mute:2"])
        defer { withExtendedLifetime(folder) {} }
        let key = "01KB0Q4T9ZC6M5V8R2N3W7XYAD"
        let sale = try shop.startProgram(
            "sell", "--line", Self.tea, "--pay", "card", "--key", key, "--json")
        _ = try shop.waitUntil("the money moved", within: 20) { _ in try terminal.booked().count == 1 }
        try terminal.start(["--forgets"])
        #expect(sale.exitCode(within: 30) == 75)
        let open = try #require(try waiting(shop).first)
        #expect(open["state"] == "unknown", "\(open)")
        let request = try #require(open["key"]?.string)
        _ = try shop.document("card", "decide", request, "charged", "--reference", "paper 1")
        let order = try sell(shop, "--key", key).document()
        #expect(order["paid"]?.array?.first?["machine"]?["reference"] == "paper 1", "\(order)")
        _ = try shop.document("orders", "refund", try #require(order["orderNumber"]?.string))
        #expect(try shop.document("orders", "owed")["returns"] == [])
        #expect(try terminal.booked() == [Self.price, -Self.price])
        try shop.waitUntilDrained()
        let flags = try shop.posHub("flags", "list")["flags"]?.array ?? []
        #expect(flags.count == 1 && "\(flags)".contains("card_decided"), "\(flags)")
    }

    /// At its first step the request has arrived, at its second the money went back.
    @Test(
        "a till that is killed at a step of a refund gives the money back once, or it stays with a person",
        arguments: 1...2)
    func killedRefund(step: Int) throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        let order = try #require(try sell(shop).document()["orderNumber"]?.string)
        try terminal.start(["--fault", "mute:\(step)"])
        let refund = try shop.startProgram("orders", "refund", order, "--json")
        _ = try shop.waitUntil("the refund is at its step", within: 20) { _ in
            try step == 2 ? terminal.booked().count == 2 : waiting(shop).first?["state"] == "sent"
        }
        shop.killAgent()
        _ = refund.exitCode(within: 15)
        try terminal.start()
        try shop.startAgent()
        guard step == 2 else {
            // The machine does not know it: for 150 s that proves nothing, and nothing is sent again.
            _ = try shop.waitUntil("it is known as lost", within: 20) { _ in
                try waiting(shop).first?["state"] == "unknown"
            }
            try decideNotCharged(shop)
            _ = try shop.waitUntil("it is sent once more or owed", within: 30) { _ in
                try terminal.held == 0 || shop.document("orders", "owed")["returns"]?.array?.isEmpty == false
            }
            #expect(try terminal.booked().count <= 2)
            return
        }
        _ = try shop.waitUntil("the machine said what it did", within: 20) { _ in
            try waiting(shop).allSatisfy { $0["state"] == "requested" }
        }
        #expect(try terminal.booked() == [Self.price, -Self.price])
    }

    @Test(
        "a till that is killed at a step of a payment has in the end what the terminal booked",
        arguments: 1...2)
    func killed(step: Int) throws {
        let (shop, terminal, folder) = try shop(["--fault", "mute:\(step)"])
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
        _ = try shop.waitUntil("the payment is at its step", within: 20) { _ in
            try step == 2 ? terminal.booked().count == 1 : waiting(shop).first?["state"] == "sent"
        }
        shop.killAgent()
        _ = sale.exitCode(within: 15)
        try terminal.start()
        try shop.startAgent()
        if step == 1 { try decideNotCharged(shop) }
        _ = try shop.waitUntil("the charge without a sale went back", within: 20) { _ in
            try terminal.held == 0
                && waiting(shop).allSatisfy { $0["state"] != "unknown" && $0["state"] != "sent" }
        }
        #expect(try shop.orders().isEmpty)
        #expect(try terminal.booked().count == (step == 1 ? 0 : 2))
    }

    @Test(
        "a response of another amount, and one to an older request, is no payment",
        arguments: ["amount:1", "replay"])
    func wrongResponse(fault: String) throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        _ = try sell(shop).document()
        try terminal.start(["--fault", fault])
        let second = try sell(shop)
        let isOther = fault == "amount:1"
        // A booking of another amount is a person's; one that was only reported wrongly is found by its id.
        #expect(second.exitCode == (isOther ? 75 : 0), "\(second.text)")
        #expect(try terminal.booked().count == 2)
        #expect(try shop.orders().count == (isOther ? 1 : 2))
    }

    @Test("no whole card number reaches disk, paper or log, whatever the terminal sends")
    func masked() throws {
        let (shop, terminal, folder) = try shop(["--fault", "wholeNumber"])
        defer { withExtendedLifetime((terminal, folder)) {} }
        let sale = try sell(shop)
        #expect(sale.exitCode == 0 && !sale.text.contains("4111111111111111"))
        try shop.waitUntilDrained()
        let files = FileManager.default.enumerator(atPath: shop.home)?.compactMap { $0 as? String } ?? []
        #expect(!files.isEmpty)
        for name in files {
            let bytes = FileManager.default.contents(atPath: shop.home + "/" + name) ?? Data()
            #expect(bytes.range(of: Data("4111111111111111".utf8)) == nil, "\(name)")
        }
    }

    @Test(
        "inside TLS the certificate is the machine's by its id, and messages are sealed",
        .enabled(if: TestCertificate.isPossible, TestCertificate.need))
    func secured() throws {
        let folder = try TemporaryFolder()
        let home = folder.url.path
        func certify(_ name: String, _ file: String) throws {
            try Command.run([
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)",
                "-addext", "subjectAltName=DNS:\(name)", "-keyout", "\(home)/\(file).key", "-out",
                "\(home)/\(file).pem",
            ])
        }
        func key(_ passphrase: String, _ file: String) throws -> String {
            let path = "\(home)/\(file).json"
            try Data(#"{"passphrase":"\#(passphrase)","keyIdentifier":"k1","keyVersion":2}"#.utf8)
                .write(to: URL(fileURLWithPath: path))
            chmod(path, 0o600)
            return path
        }
        try certify(Self.poi + ".test.terminal.adyen.com", "machine")
        try certify("S1F2-000611220400124", "other")
        func fixed(_ certificate: String) -> [String] {
            [
                "--certificate", "\(home)/\(certificate).pem", "--key", "\(home)/\(certificate).key",
                "--key-file", "\(home)/shared.json",
            ]
        }
        let settings = [
            "POS_CARD_MACHINE_KEY_FILE": try key("till-7 passphrase 2026", "shared"),
            "POS_CARD_MACHINE_CA_FILE": "\(home)/machine.pem",
        ]
        let (shop, terminal, other) = try shop(fixed: fixed("machine"), scheme: "https", settings)
        defer { withExtendedLifetime(other) {} }
        #expect(try sell(shop).exitCode == 0)
        // A plain response proves nothing, and the machine says later what it did.
        try terminal.start(["--fault", "plain"])
        #expect(try sell(shop).errorCode == "card_outcome_unknown")
        try terminal.start()
        _ = try shop.waitUntil("the machine said what it did", within: 20) { _ in try waiting(shop).isEmpty }
        _ = try key("another passphrase", "shared")
        try terminal.start()
        #expect(try shop.pos("card", "test", "--json").errorCode == "machine_refused")
        _ = try key("till-7 passphrase 2026", "shared")
        terminal.stop()
        let stranger = try Terminal(in: other.url.path, ["--port", terminal.port], fixed: fixed("other"))
        #expect(try shop.pos("card", "test", "--json").errorCode == "machine_refused")
        #expect(try sell(shop).errorCode == "machine_refused")
        withExtendedLifetime(stranger) {}
    }
}
