internal import PosCLI
internal import AgentAPI
internal import FaultRelay
internal import Foundation
internal import GRDB
internal import HubProtocol
internal import Agent

/// What the demo plays on: a hub, a relay that can go dead, a till, all on loopback and in one folder.
final class DemoStage {
    let folder: String
    let relay: FaultRelay
    private let hub: ChildProgram
    private var agent: ChildProgram?
    private(set) var connection: (any AgentConnection)?

    var home: String { folder + "/till" }
    var orderDatabase: String { folder + "/hub.sqlite" }
    private var store: [String] { ["--store", "sqlite:" + orderDatabase] }

    /// Settings that make the story short; the defaults are in the reference.
    private static let hurry = [
        "POS_NETWORK_DEBOUNCE_SECONDS": "3", "POS_NETWORK_RECOVERY_HOLD_SECONDS": "3",
        "POS_NETWORK_PROBE_INTERVAL_SECONDS": "5", "POS_QOS_POLL_SECONDS": "2",
        "POS_SERVICE_CONSECUTIVE_FAILURES": "2", "POS_SYNC_MAXIMUM_BACKOFF_SECONDS": "2",
        "POS_SYNC_REQUEST_TIMEOUT_SECONDS": "4",
    ]

    private static let hubSettings = #"{"qos":{"probeSeconds":2,"recoverySeconds":5,"pollSeconds":2}}"#

    /// Starts hub and relay, imports the catalogue and enrols the till.
    init() throws {
        folder = NSTemporaryDirectory() + "holdfast-demo-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.hubSettings.write(toFile: folder + "/hub.json", atomically: true, encoding: .utf8)
        hub = try ChildProgram(
            "pos-hub",
            [
                "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder)/hub.sqlite", "--config",
                folder + "/hub.json",
            ], environment: [:], log: folder + "/hub.log")
        guard let line = hub.readLine(), let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
        else {
            let log = folder + "/hub.log"
            throw TerminalError(
                .tryAgain, code: "hub_silent", text: { _ in "the hub did not start; see \(log)" })
        }
        relay = try FaultRelay(target: port)
    }

    /// Imports the catalogue and makes the till.
    func prepare() throws -> Int64 {
        let file = folder + "/catalogue.csv"
        try DemoCatalogue.csv.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try run("pos-hub", ["import", "products", file, "--json"] + store)
        let code = try run("pos-hub", ["enrol-code", "--store-id", "S1", "--json"] + store)["code"]?.string
        let till = try run(
            "pos",
            [
                "init", "--hub", "http://127.0.0.1:\(relay.port)", "--enrol", code ?? "", "--home", home,
                "--json",
            ])
        return try EnrolmentResult(json: till).products
    }

    /// Starts the till's agent and waits until it is ready.
    func startAgent() async throws {
        let agent = try ChildProgram(
            "pos", ["agent", "--home", home], environment: Self.hurry, log: folder + "/agent.log")
        guard agent.readLine() == "ready" else {
            throw TerminalError(
                .tryAgain, code: "agent_silent",
                text: { _ in "the agent did not start; see \(folder)/agent.log" })
        }
        self.agent = agent
        let launch = TerminalLaunch(
            home: TerminalHome(path: home), configurationPath: home + "/terminal.json", environment: [:],
            loop: try ProgramLoop.get())
        connection = try await launch.connect(readingOnly: false)
    }

    /// Kills the agent as a power cut would.
    func killAgent() async {
        await connection?.close()
        connection = nil
        agent?.killHard()
        agent = nil
    }

    /// What the hub says it has.
    func audit() throws -> JSONValue {
        try run("pos-hub", ["audit", "--json"] + store)
    }

    /// Stops everything and removes the folder.
    func strike() async {
        await connection?.close()
        agent?.stop()
        relay.stop()
        hub.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> JSONValue {
        let child = try ChildProgram(
            program, arguments, environment: Self.hurry, log: folder + "/commands.log")
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
