internal import CurlTransport
internal import MachineRuntime
internal import Glibc
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The terminal's service: everything that runs while a home is owned. The same inside `pos agent` and inside
/// a command that found no agent.
///
/// It holds no decisions: the offline service decides, the checkout sells, the drainer drains.
final class Agent: Sendable {
    private let lock: HomeLock
    private let running: Task<Void, Never>

    /// Answers requests of this process.
    let handler: AgentHandler

    /// Starts everything and returns when requests can be handled.
    ///
    /// - Parameters:
    ///   - lock: makes this process the home's owner; kept until the agent is gone.
    ///   - servesSocket: whether other processes may talk to it.
    ///   - isOfCommand: it ends with the command that runs it.
    static func start(
        home: TerminalHome, sources: ConfigurationSources, lock: HomeLock, servesSocket: Bool,
        isOfCommand: Bool = false, logLevel: String, loop: EventLoop
    ) async throws(TerminalError) -> Agent {
        try home.makePrivate()
        try home.requireWritable()
        let parts = try await AgentParts(
            home: home, sources: sources, logLevel: logLevel, loop: loop)
        await parts.tidyAttachments()
        let handler = AgentHandler(parts: parts, isOfCommand: isOfCommand)
        let server =
            servesSocket
            ? try AgentSocketServer(home: home, handler: handler, loop: loop, logger: parts.logger) : nil
        return Agent(handler: handler, lock: lock) { await run(parts, server) }
    }

    /// The parts without anything running: answers what lies on the disk, sends and changes nothing.
    static func reader(
        home: TerminalHome, sources: ConfigurationSources, lock: HomeLock, loop: EventLoop
    ) async throws(TerminalError) -> Agent {
        let parts = try await AgentParts(
            home: home, sources: sources, logLevel: "error", loop: loop, recording: false)
        return Agent(handler: AgentHandler(parts: parts, isRunning: false), lock: lock) {}
    }

    private init(handler: AgentHandler, lock: HomeLock, work: @escaping @Sendable () async -> Void) {
        self.handler = handler
        self.lock = lock
        running = Task { await work() }
    }

    /// Ends everything in order: no new work, then the transport, then the store.
    func stop() async {
        running.cancel()
        await running.value
        handler.parts.session.close()
        handler.parts.database.close()
    }

    private static func run(_ parts: AgentParts, _ server: AgentSocketServer?) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await parts.offline.run() }
            group.addTask { await parts.drainer.run() }
            group.addTask { await parts.uploader.run() }
            group.addTask { await ModeFollower(parts: parts).run() }
            group.addTask { await parts.feed.run() }
            group.addTask { await parts.telemetry.run() }
            group.addTask { await parts.token.run() }
            group.addTask { await parts.periodLog.run() }
            group.addTask { await settleCards(parts) }
            if let server { group.addTask { await serve(parts, server) } }
            await group.waitForAll()
        }
    }

    /// An agent that nobody can reach holds the home for nothing: it ends as after a crash, and whoever
    /// watches it starts another.
    private static func serve(_ parts: AgentParts, _ server: AgentSocketServer) async {
        do throws(TerminalError) {
            try await server.run()
        } catch {
            parts.logger.critical("\(error.message)")
            exit(error.kind.rawValue)
        }
    }

    /// What a crash left between a card's authorisation and its sale is given back.
    private static func settleCards(_ parts: AgentParts) async {
        do throws(SaleRefusal) {
            let voided = try await parts.checkout.voidUnsettledCards()
            if voided > 0 {
                parts.logger.notice("voided \(voided) card authorisations that no sale took over")
                parts.drainer.nudge()
            }
        } catch {
            parts.logger.error("card authorisations of the last run were not settled: \(error.message)")
        }
    }
}
