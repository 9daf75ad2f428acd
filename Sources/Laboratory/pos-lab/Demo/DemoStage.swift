internal import PosCLI
internal import AgentAPI
internal import Foundation
internal import GRDB
internal import HubProtocol
internal import Agent

/// What the demo plays on: a hub, two tills of one store and a card machine, all on loopback and in one
/// folder.
final class DemoStage {
    let folder: String
    /// The till where nearly everything is sold; it has the card machine.
    let till: DemoTill
    /// The till beside it.
    let other: DemoTill
    private let hub: ChildProgram
    private let machine: ChildProgram

    var orderDatabase: String { folder + "/hub.sqlite" }
    private var store: [String] { ["--store", "sqlite:" + orderDatabase] }
    private var machineJournal: String { folder + "/card-machine.jsonl" }

    private static let hubSettings = #"{"qos":{"probeSeconds":2,"recoverySeconds":5,"pollSeconds":2}}"#

    /// Starts the hub and the card machine.
    init() throws {
        folder = NSTemporaryDirectory() + "holdfast-demo-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.hubSettings.write(toFile: folder + "/hub.json", atomically: true, encoding: .utf8)
        var port: UInt16
        (hub, port) = try Self.serving(
            "pos-hub",
            [
                "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder)/hub.sqlite", "--config",
                folder + "/hub.json",
            ], log: folder + "/hub.log")
        till = try DemoTill(home: folder + "/till", log: folder + "/agent.log", hub: port)
        other = try DemoTill(home: folder + "/till2", log: folder + "/agent2.log", hub: port)
        (machine, port) = try Self.serving(
            "pos-lab",
            [
                "card-machine", "--kind", "zvt", "--journal", folder + "/card-machine.jsonl", "--currency",
                "156",
            ], log: folder + "/card-machine.log")
        till.configure([
            "POS_CARD_MACHINE_KIND": "zvt", "POS_CARD_MACHINE_ADDRESS": "tcp:127.0.0.1:\(port)",
        ])
    }

    /// Starts a program that prints where it listens, as `…:PORT`.
    private static func serving(
        _ program: String, _ arguments: [String], log: String
    ) throws -> (ChildProgram, port: UInt16) {
        let child = try ChildProgram(program, arguments, environment: [:], log: log)
        guard let line = child.readLine(), let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
        else {
            throw TerminalError(
                .tryAgain, code: "demo_program_silent", text: { _ in "\(program) did not start; see \(log)" })
        }
        return (child, port)
    }

    /// Imports the catalogue, makes both tills, and starts their agents.
    func prepare() async throws {
        let file = folder + "/catalogue.csv"
        try DemoCatalogue.csv.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try hub("import", "products", file)
        _ = try hub("store-config", "set", "--store-id", "S1", "neighbours.enabled=on")
        for till in [till, other] {
            let code = try hub("enrol-code", "--store-id", "S1")["code"]?.string ?? ""
            try till.enrol(code: code) { try run("pos", $0) }
        }
        // A till is found at an address that the hub passes on. Those of loopback are not passed on.
        try await other.start()
        till.configure(["POS_NEIGHBOURS_ADDRESSES": try await other.address()])
        try await till.start()
    }

    /// What the hub has of a till.
    func audit(of till: DemoTill) throws -> JSONValue {
        try hub("audit")["terminals"]?.array?
            .first { $0["terminalId"]?.string == till.enrolment.terminalId } ?? .null
    }

    /// How many payments the card machine booked.
    func cardPayments() throws -> Int {
        try String(contentsOfFile: machineJournal, encoding: .utf8).split(separator: "\n").count {
            (try? JSONParser.parse($0.utf8))?["kind"]?.string == "sale"
        }
    }

    /// Stops everything and removes the folder.
    func strike() async {
        await till.stop()
        await other.stop()
        machine.stop()
        hub.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs a command of the hub on its store.
    private func hub(_ arguments: String...) throws -> JSONValue {
        try run("pos-hub", arguments + ["--json"] + store)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> JSONValue {
        let child = try ChildProgram(
            program, arguments, environment: DemoTill.hurry, log: folder + "/commands.log")
        let (output, code) = child.finish()
        guard code == 0, let document = try? JSONParser.parse(output.utf8) else {
            let words = (try? String(contentsOfFile: folder + "/commands.log", encoding: .utf8)) ?? output
            throw TerminalError(
                .tryAgain, code: "demo_command_failed",
                text: { _ in "\(program) \(arguments.first ?? "") ended with \(code): \(words)" })
        }
        return document
    }
}

/// A real fault of the hub's order service: another process holds its database locked, so that no order can
/// be written while the rest of the hub goes on.
final class OrderServiceFault {
    private let queue: DatabaseQueue

    /// Takes the lock and keeps it until ``end()``.
    init(database path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
    }

    func end() throws {
        try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
    }
}
