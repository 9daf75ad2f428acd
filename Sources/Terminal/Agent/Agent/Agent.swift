internal import CurlTransport
internal import LinuxRuntime
internal import MachineRuntime
internal import Glibc
internal import HubProtocol
internal import Logging
internal import Logs
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
    let features: AgentFeatures
    private let running: Task<Void, Never>

    /// Responds to requests of this process.
    let handler: AgentHandler

    /// Starts everything and returns when requests can be handled.
    ///
    /// - Parameters:
    ///   - lock: makes this process the home's owner; kept until the agent is gone.
    ///   - servesSocket: whether other processes may talk to it.
    ///   - isOfCommand: it ends with the command that runs it.
    ///   - handOver: called when another program needs the home; nil: it gets none.
    ///   - context: its clocks and its network.
    static func start(
        home: TerminalHome, sources: ConfigurationSources, lock: HomeLock, servesSocket: Bool,
        isOfCommand: Bool = false, handOver: (@Sendable () -> Void)? = nil, log: LogStream, loop: EventLoop,
        in context: any TerminalContext
    ) async throws(TerminalError) -> Agent {
        try home.makePrivate(logging: log)
        try home.requireWritable()
        let foundation = try await AgentFoundation(
            home: home, sources: sources, log: log, context: context, isRecording: true)
        let features = try await AgentFeatures(foundation, isRecording: true)
        await foundation.store.removeOld(
            features.sync.attachments, keeping: foundation.configuration.keptDays,
            at: foundation.storeTime.wallMilliseconds(), foundation.logger)
        await features.sales.frontEnds.restore()
        let handler = features.handler(
            isRunning: true, isOfCommand: isOfCommand, handOver: handOver)
        let server =
            servesSocket && context.hasPrograms
            ? try AgentSocketServer(home: home, handler: handler, loop: loop, logger: foundation.logger) : nil
        let names = HomeGuard(home: home, lock: lock, server: server, loop: loop)
        return Agent(features, handler, lock) {
            await withDiscardingTaskGroup { group in
                group.addTask { await features.run(isLasting: servesSocket) }
                group.addTask { await ending(foundation.logger, names.run) }
                if let server { group.addTask { await ending(foundation.logger, server.run) } }
            }
        }
    }

    /// The parts without anything running: responses what lies on the disk, sends and changes nothing.
    static func reader(
        home: TerminalHome, sources: ConfigurationSources, lock: HomeLock,
        in context: any TerminalContext
    ) async throws(TerminalError) -> Agent {
        let foundation = try await AgentFoundation(
            home: home, sources: sources, log: .ofCommand, context: context, isRecording: false)
        let features = try await AgentFeatures(foundation, isRecording: false)
        return Agent(features, features.handler(isRunning: false, isOfCommand: false), lock) {}
    }

    private init(
        _ features: AgentFeatures, _ handler: AgentHandler, _ lock: HomeLock,
        work: @escaping @Sendable () async -> Void
    ) {
        self.features = features
        self.handler = handler
        self.lock = lock
        running = Task { await work() }
    }

    /// Ends everything in order: no new work, then the transport, then the store, then the ownership of the
    /// home, which another process may take at once.
    func stop() async {
        running.cancel()
        await running.value
        await features.close()
        lock.release()
    }

    /// An agent that nobody can reach, or that does not own the home, holds it for nothing: it ends as after
    /// a crash, and whoever watches it starts another.
    private static func ending(
        _ logger: Logger, _ work: () async throws(TerminalError) -> Void
    ) async {
        do throws(TerminalError) {
            try await work()
        } catch {
            logger.critical("\(error.message)")
            exit(error.kind.rawValue)
        }
    }
}
