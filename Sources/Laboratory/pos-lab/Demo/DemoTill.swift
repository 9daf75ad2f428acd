internal import PosCLI
internal import AgentAPI
internal import FaultRelay
internal import HubProtocol
internal import Agent

/// A till of the demo: its folder, its agent, and its own way to the hub, which can go dead.
final class DemoTill {
    /// Its way to the hub.
    let way: FaultRelay
    /// As the hub enrolled it.
    private(set) var enrolment = EnrolmentResult()
    private let home: String
    private let log: String
    /// Settings of this till alone, by their environment variables.
    private var settings: [String: String]
    private var agent: ChildProgram?
    private var connection: (any AgentConnection)?

    /// Settings that make the story short; the defaults are in the reference.
    static let hurry = [
        "POS_NETWORK_DEBOUNCE_SECONDS": "3", "POS_NETWORK_RECOVERY_HOLD_SECONDS": "3",
        "POS_NETWORK_PROBE_INTERVAL_SECONDS": "5", "POS_QOS_POLL_SECONDS": "2", "POS_QOS_DWELL_SECONDS": "3",
        "POS_SERVICE_CONSECUTIVE_FAILURES": "2", "POS_SYNC_MAXIMUM_BACKOFF_SECONDS": "2",
        "POS_SYNC_REQUEST_TIMEOUT_SECONDS": "4", "POS_NEIGHBOURS_LISTEN": "127.0.0.1:0",
    ]

    /// A till that is not enrolled yet.
    ///
    /// - Parameters:
    ///   - home: its data folder, made by ``enrol(by:)``.
    ///   - log: the file to which its agent writes.
    ///   - hub: the port of 127.0.0.1 where the hub listens.
    init(home: String, log: String, hub: UInt16) throws {
        (self.home, self.log, settings) = (home, log, Self.hurry)
        way = try FaultRelay(target: hub)
    }

    /// Enrols the till.
    ///
    /// - Parameter run: runs `pos` with these arguments, and returns the document that it printed.
    func enrol(code: String, by run: ([String]) throws -> JSONValue) throws {
        let hub = "http://127.0.0.1:\(way.port)"
        enrolment = try EnrolmentResult(
            json: try run(["init", "--hub", hub, "--enrol", code, "--home", home, "--json"]))
    }

    /// Adds settings of this till, for the next start of its agent.
    func configure(_ more: [String: String]) { settings.merge(more) { $1 } }

    /// Starts the agent and waits until it is ready.
    func start() async throws {
        let agent = try ChildProgram("pos", ["agent", "--home", home], environment: settings, log: log)
        guard agent.readLine() == "ready" else {
            throw TerminalError(
                .tryAgain, code: "agent_silent", text: { [log] _ in "the agent did not start; see \(log)" })
        }
        self.agent = agent
        let launch = TerminalLaunch(
            home: TerminalHome(path: home), configurationPath: home + "/terminal.json", environment: [:],
            loop: try ProgramLoop.get())
        connection = try await launch.connect(readingOnly: false)
    }

    /// Kills the agent as a power cut would.
    func kill() async {
        await connection?.close()
        connection = nil
        agent?.killHard()
        agent = nil
    }

    /// Ends the agent and the relay.
    func stop() async {
        await connection?.close()
        agent?.stop()
        way.stop()
    }

    /// The agent's own connection.
    ///
    /// - Throws: `agent_gone` while no agent runs.
    var agentConnection: any AgentConnection {
        get throws {
            guard let connection else {
                throw TerminalError(
                    .tryAgain, code: "agent_gone", text: { _ in "the demo's agent is not running" })
            }
            return connection
        }
    }

    func send<Call: AgentCall>(_ call: Call) async throws -> Call.Response {
        try await agentConnection.send(call)
    }

    func status() async throws -> StatusResponse { try await send(StatusCall()) }

    /// Where it listens for the other till, once it does.
    func address() async throws -> String {
        for _ in 0..<200 {
            if let address = try await send(NeighboursCall()).listening.first { return address }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw TerminalError(
            .tryAgain, code: "demo_program_silent",
            text: { [log] _ in "till 2 listens nowhere after 20 s; see \(log)" })
    }

    /// What this till and the one with `number` have of each other; nil before anything is known of it.
    func neighbour(_ number: Int64) async throws -> NeighboursCall.Till? {
        try await send(NeighboursCall()).neighbours.first { $0.number == number }
    }
}
