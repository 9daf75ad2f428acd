import Foundation
import HubProtocol
import TestKit
import Testing

/// A card machine that speaks nexo takes every card of the till: nothing is charged twice, and nothing that
/// was charged is forgotten, whatever is cut, killed, reported wrongly or replayed.
@Suite("A card machine that speaks nexo", .onStage)
struct NexoMachineTests {
    private func shop(
        _ options: [String] = [], fixed: [String] = [], scheme: String = "http",
        _ settings: [String: String] = [:]
    ) throws -> (ShopUnderTest, CardTerminal, TemporaryFolder) {
        try MachineShop.open(.nexo, options, fixed: fixed, scheme: scheme, settings)
    }

    @Test("takes cards beside a hub without payments: sale, decline, refund, void and end of day agree")
    func day() throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        #expect(try shop.document("card", "test")["machineId"]?.string == MachineShop.poi)
        _ = try shop.document("shift", "open", "--float", "0")
        let sale = try shop.sellTeaByCard().document()
        let paid = sale["paid"]?.array?.first
        #expect(paid?["approvalCode"] == "771204" && paid?["machine"]?["kind"] == "nexo", "\(sale)")
        let shown = try shop.document("orders", "show", try #require(sale["orderNumber"]?.string))
        #expect(shown["paid"]?.array?.first?["machine"] == paid?["machine"], "\(shown)")
        try terminal.start(["--fault", "decline"])
        #expect(try shop.sellTeaByCard().errorCode == "card_declined")
        try terminal.start(["--fault", "busy"])
        #expect(try shop.sellTeaByCard().errorCode == "machine_busy")
        try terminal.start(["--fault", "slow:60"])
        try shop.abortAtMachine()
        terminal.stop()
        #expect(try shop.sellTeaByCard().errorCode == "machine_unreachable")
        #expect(try shop.pos("sell", "--line", MachineShop.tea, "--json").exitCode == 0)
        try terminal.start(["--fault", "offline"])
        let second = try shop.sellTeaByCard().document()
        _ = try shop.sellTeaByCard().document()
        _ = try shop.document("orders", "refund", try #require(sale["orderNumber"]?.string))
        _ = try shop.document("orders", "void", try #require(second["orderNumber"]?.string))
        #expect(try terminal.booked() == [1250, 1250, 1250, -1250, -1250])
        let closed = try shop.document("card", "close-day")
        #expect(closed["machine"] == 1250 && closed["till"] == 1250 && closed["difference"] == 0, "\(closed)")
        let owed = try shop.document("orders", "owed")["returns"]?.array ?? []
        #expect(owed.map { $0["state"] } == ["requested", "requested"], "\(owed)")
        let taken = try shop.waitingAtMachine()
        #expect(taken.map { $0["state"] } == ["refundRequested", "refundRequested"], "\(taken)")
        #expect(try shop.status()["cardReturns"]?["requested"] == 2)
        #expect(try shop.pos("status").text.contains("confirm by its report: 2"))
        let said = try #require(try shop.doctorDetail(on: "card requests"))
        #expect(said.hasPrefix("2 requested"), "\(said)")
        let (first, last) = (taken.first?["key"]?.string ?? "", taken.last?["key"]?.string ?? "")
        _ = try shop.document("card", "decide", first, "charged", "--reference", "report 1")
        _ = try shop.document("card", "decide", last, "not-charged", "--reason", "not in the report")
        #expect(try shop.waitingAtMachine().isEmpty)
        let left = try shop.document("orders", "owed")["returns"]?.array ?? []
        #expect(left.map { $0["state"] } == ["refused"], "\(left)")
        let report = try shop.document("shift", "report")
        #expect(report["cardDays"]?.array?.map { $0["machine"] } == [1250], "\(report)")
        #expect(report["report"]?.string?.contains("Card machine's day") == true, "\(report)")
        let shift = try shop.document("shift", "close", "--counted", "1250")
        try shop.waitUntilDrained()
        // The hub's document of the shift has what the till's has.
        let id = try #require(shift["shiftId"]?.string)
        _ = try shop.waitUntil("the hub compared it", within: 20) { _ in
            try shop.posHub("shifts", "show", id)["state"] == "confirmed"
        }
        let there = try shop.posHub("shifts", "show", id)
        #expect(there["cardDays"] == shift["cardDays"] && there["cardDays"] != nil, "\(there)")
        #expect(there["cardDecisions"] == shift["cardDecisions"], "\(there)")
        #expect(there["cardDecisions"]?.array?.count == 2, "\(there)")
        let flags = try shop.posHub("flags", "list")["flags"]?.array ?? []
        #expect(flags.count == 2 && flags.allSatisfy { "\($0)".contains("card_decided") }, "\(flags)")
        #expect(try shop.audit().isComplete)
    }

    @Test("shows what the shopper has to do, and prints the machine's papers behind what goes back")
    func shownAndPrinted() throws {
        let (paper, port) = (try TemporaryFolder(), try FreePort.number())
        let printed = paper.url.path + "/paper"
        let (shop, terminal, folder) = try shop(
            ["--fault", "slow:60"], fixed: ["--display", "\(port)"],
            [
                "POS_PRINTER_DEVICE": "file:" + printed,
                "POS_CARD_MACHINE_DISPLAY_LISTEN": "127.0.0.1:\(port)",
            ])
        defer { withExtendedLifetime((terminal, folder, paper)) {} }
        #expect(try shop.document("card", "status")["can"]?.array?.contains("showsProgress") == true)
        let slow = try shop.startProgram("sell", "--line", MachineShop.tea, "--pay", "card", "--json")
        _ = try shop.waitUntil("the counter shows the step", within: 20) { _ in
            try shop.status()["cardStep"] == "insertCard"
        }
        #expect(try shop.document("card", "status")["state"] == "busy")
        slow.signal(SIGINT)
        _ = slow.exitCode(within: 15)
        try terminal.start()
        let order = try shop.sellTeaByCard().document()
        #expect(try shop.status()["cardStep"] == nil)
        let number = try #require(order["orderNumber"]?.string)
        _ = try shop.document("orders", "refund", number)
        _ = try shop.waitUntil("the machine's paper is printed", within: 20) { _ in
            FileManager.default.contents(atPath: printed)?.range(of: Data("SIMULATED REFUND".utf8)) != nil
        }
        // One that goes back behind its slip has a paper of its own.
        let later = try shop.sellTeaByCard().document()
        terminal.stop()
        let slip = try shop.document("orders", "refund", try #require(later["orderNumber"]?.string))
        #expect(slip["cardReturns"]?.array?.map { $0["state"] } == ["waiting"])
        func papers() -> Int {
            let bytes = FileManager.default.contents(atPath: printed) ?? Data()
            return String(decoding: bytes, as: UTF8.self).components(separatedBy: "SIMULATED REFUND").count
                - 1
        }
        try terminal.start()
        _ = try shop.waitUntil("its paper is printed", within: 60) { _ in papers() == 2 }
        // Half of it went back, as the machine says: a person decides, and nothing is sent again.
        let second = try shop.sellTeaByCard().document()
        try terminal.start(["--fault", "partial"])
        _ = try shop.document("orders", "refund", try #require(second["orderNumber"]?.string))
        _ = try shop.waitUntil("a person has to decide", within: 20) { _ in
            try shop.waitingAtMachine().contains { $0["state"] == "unknown" && $0["forPerson"] == true }
        }
        #expect(try terminal.booked() == [1250, -1250, 1250, -1250, 1250, -625])
    }

    @Test("an open payment keeps no other from the machine, which finds each request by its id")
    func undecided() throws {
        let (shop, terminal, folder) = try shop(["--fault", "cut:1"])
        defer { withExtendedLifetime(folder) {} }
        let first = try shop.sellTeaByCard()
        #expect((first.exitCode, first.errorCode) == (75, "card_outcome_unknown"))
        #expect(try terminal.booked() == [])
        try terminal.start()
        #expect(try shop.sellTeaByCard().exitCode == 0)
        try shop.decideNotCharged()
        #expect(try shop.waitingAtMachine().isEmpty)
        #expect(try terminal.booked() == [MachineShop.price])
    }

    @Test("a machine that restarted and forgot proves nothing: a person decides, and a refund takes the card")
    func forgetful() throws {
        let (shop, terminal, folder) = try shop(["--fault", "mute:2"])
        defer { withExtendedLifetime(folder) {} }
        let key = "01KB0Q4T9ZC6M5V8R2N3W7XYAD"
        let sale = try shop.startProgram(
            "sell", "--line", MachineShop.tea, "--pay", "card", "--key", key, "--json")
        _ = try shop.waitUntil("the money moved", within: 20) { _ in try terminal.booked().count == 1 }
        try terminal.start(["--forgets"])
        #expect(sale.exitCode(within: 30) == 75)
        let open = try #require(try shop.waitingAtMachine().first)
        #expect(open["state"] == "unknown", "\(open)")
        let request = try #require(open["key"]?.string)
        _ = try shop.document("card", "decide", request, "charged", "--reference", "paper 1")
        let order = try shop.sellTeaByCard("--key", key).document()
        #expect(order["paid"]?.array?.map { $0["method"] } == ["card"], "\(order)")
        _ = try shop.document("orders", "refund", try #require(order["orderNumber"]?.string))
        #expect(try shop.document("orders", "owed")["returns"] == [])
        #expect(try terminal.booked() == [MachineShop.price, -MachineShop.price])
        try shop.waitUntilDrained()
        let flags = try shop.posHub("flags", "list")["flags"]?.array ?? []
        #expect(flags.count == 1 && "\(flags)".contains("card_decided"), "\(flags)")
    }

    @Test("a machine that does not know what it is at work with has not declined it")
    func hidden() throws {
        let (shop, terminal, folder) = try shop(["--fault", "hidden:5"])
        defer { withExtendedLifetime(folder) {} }
        let sale = try shop.startProgram("sell", "--line", MachineShop.tea, "--pay", "card", "--json")
        _ = try shop.waitUntil("the payment is at the machine", within: 20) { _ in
            try shop.waitingAtMachine().first?["state"] == "sent"
        }
        shop.killAgent()
        _ = sale.exitCode(within: 15)
        try shop.startAgent()
        #expect(try shop.waitingAtMachine().map { $0["state"] } == ["unknown"])
        #expect(try terminal.booked() == [])
        // What no sale takes over goes back once it is there.
        _ = try shop.waitUntil("the charge went back", within: 30) { _ in
            try terminal.booked() == [MachineShop.price, -MachineShop.price]
        }
    }

    @Test(
        "a response of another amount, and one to an older request, is no payment",
        arguments: ["amount:1", "replay"])
    func wrongResponse(fault: String) throws {
        let (shop, terminal, folder) = try shop()
        defer { withExtendedLifetime(folder) {} }
        _ = try shop.sellTeaByCard().document()
        try terminal.start(["--fault", fault])
        let second = try shop.sellTeaByCard()
        let isOther = fault == "amount:1"
        // A booking of another amount is a person's; one that was only reported wrongly is found by its id.
        #expect(second.exitCode == (isOther ? 75 : 0), "\(second.text)")
        #expect(try terminal.booked().count == 2)
        #expect(try shop.orders().count == (isOther ? 1 : 2))
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
        try certify(MachineShop.poi + ".test.terminal.adyen.com", "machine")
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
        #expect(try shop.sellTeaByCard().exitCode == 0)
        // A plain response proves nothing, and the machine says later what it did.
        try terminal.start(["--fault", "plain"])
        #expect(try shop.sellTeaByCard().errorCode == "card_outcome_unknown")
        try terminal.start()
        _ = try shop.waitUntil("the machine said what it did", within: 20) { _ in
            try shop.waitingAtMachine().isEmpty
        }
        _ = try key("another passphrase", "shared")
        try terminal.start()
        #expect(try shop.pos("card", "test", "--json").errorCode == "machine_refused")
        _ = try key("till-7 passphrase 2026", "shared")
        terminal.stop()
        let stranger = try CardTerminal(
            .nexo, in: other.url.path, ["--port", terminal.port], fixed: fixed("other"))
        #expect(try shop.pos("card", "test", "--json").errorCode == "machine_refused")
        // Nobody else takes cards, so it is tried.
        #expect(try shop.sellTeaByCard().errorCode == "machine_refused")
        let card = try shop.status()["tenders"]?.array?.first { $0["method"] == "card" }
        #expect(card?["route"] == "machine", "\(card ?? .null)")
        #expect(card?["text"]?["en"]?.string?.contains("refuses this till") == true, "\(card ?? .null)")
        let day = try shop.pos("card", "close-day", "--json")
        #expect((day.exitCode, day.errorCode) == (1, "machine_refused"), "\(day)")
        withExtendedLifetime(stranger) {}
    }
}
