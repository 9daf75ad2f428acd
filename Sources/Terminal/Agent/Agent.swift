internal import CurlTransport
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
    let parts: AgentParts
    private let lock: HomeLock
    private let running: Task<Void, Never>

    /// Starts everything and returns when requests can be handled.
    ///
    /// - Parameters:
    ///   - lock: makes this process the home's owner; kept until ``stop()``.
    ///   - servesSocket: whether other processes may talk to it.
    static func start(
        home: TerminalHome, configuration: TerminalConfiguration, lock: HomeLock, servesSocket: Bool,
        logLevel: String
    ) async throws(TerminalError) -> Agent {
        try home.requireWritable()
        let parts = try await AgentParts(home: home, configuration: configuration, logLevel: logLevel)
        let server = servesSocket ? try AgentSocketServer(home: home, handler: AgentHandler(parts: parts)) : nil
        let agent = Agent(parts: parts, lock: lock, server: server)
        try await server?.waitUntilListening()
        return agent
    }

    private init(parts: AgentParts, lock: HomeLock, server: AgentSocketServer?) {
        self.parts = parts
        self.lock = lock
        running = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await parts.offline.run() }
                group.addTask { await parts.drainer.run() }
                group.addTask { await ModeFollower(parts: parts).run() }
                group.addTask { await parts.feed.run() }
                group.addTask { await parts.token.run() }
                group.addTask { await Self.settleCards(parts) }
                if let server { group.addTask { await server.run() } }
                await group.waitForAll()
            }
            await server?.stop()
        }
    }

    /// Answers requests of this process.
    var handler: AgentHandler { AgentHandler(parts: parts) }

    /// Waits until the agent was stopped.
    func wait() async {
        await running.value
    }

    /// Ends everything in order: no new work, then the transport, then the store, then the lock.
    func stop() async {
        running.cancel()
        await running.value
        parts.session.close()
        parts.database.close()
    }

    /// What a crash left between a card's authorisation and its sale is given back.
    private static func settleCards(_ parts: AgentParts) async {
        do throws(SaleRefusal) {
            let voided = try await parts.checkout.voidUnsettledCards()
            if voided > 0 {
                parts.logger.notice("voided \(voided) card authorisations that no sale took over")
            }
        } catch {
            parts.logger.error("card authorisations of the last run were not settled: \(error.message)")
        }
    }
}
