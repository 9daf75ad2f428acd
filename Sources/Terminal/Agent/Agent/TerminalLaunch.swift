package import Base
internal import Logging
package import Logs
package import LinuxRuntime

internal import AgentAPI
internal import HubProtocol

/// How a command gets to its agent.
package struct TerminalLaunch: Sendable {
    /// Whose agent it is.
    package let home: TerminalHome
    /// The configuration file; may lie outside the home.
    package let configurationPath: String
    /// Variables with the prefix `POS_` override the file's keys.
    package let environment: [String: String]
    /// Everything that waits, waits on it. It has to be run by somebody.
    package let loop: EventLoop
    /// The clocks and the network of the agent.
    let context: any TerminalContext

    /// How often, every 100 ms, a command tries to get through to a home that is just changing hands.
    private static let attempts = 100

    /// A way to the agent of `home`; opens nothing yet.
    ///
    /// - Parameter context: nil: those of this machine.
    package init(
        home: TerminalHome, configurationPath: String, environment: [String: String], loop: EventLoop,
        context: (any TerminalContext)? = nil
    ) {
        self.context = context ?? LinuxContext(loop: loop)
        self.home = home
        self.configurationPath = configurationPath
        self.environment = environment
        self.loop = loop
    }

    /// Connects to the running agent; where none runs, runs the same agent inside this process.
    ///
    /// - Parameters:
    ///   - readingOnly: the command changes nothing: without a running agent it only reads the disk.
    ///   - serving: where this process becomes the home's owner, it responds to other commands over the
    ///     socket, as an agent does; for what lasts.
    /// - Throws: kind `unusable` for a home or configuration that cannot be used, `tryAgain` when the owner
    ///   of
    ///   the home does not respond.
    package func connect(
        readingOnly: Bool, serving: Bool = false
    ) async throws(TerminalError) -> any AgentConnection {
        try home.requireInitialised()
        var holder: Int32?
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
            switch try HomeLock.attempt(home) {
            case .taken(let lock):
                return try await inProcess(lock, readingOnly: readingOnly, serving: serving)
            case .held(let process):
                holder = process
                if let connection = try await overSocket() { return connection }
            }
        }
        throw TerminalError(.tryAgain, code: "agent_gone") {
            $0.ownerSilent(holder.map(String.init), path: home.path)
        }
    }

    /// Runs the agent in the foreground until SIGTERM or SIGINT. In between it lets the home go to a
    /// `pos init` that requests it, and goes on with what that left.
    ///
    /// - Parameters:
    ///   - log: where it logs; its level follows SIGUSR1 and SIGUSR2.
    ///   - ready: called once it responds on the socket.
    package func runAgent(log: LogStream, ready: @Sendable () -> Void) async throws(TerminalError) {
        try home.requireInitialised()
        let signals = LogLevelSignals(log)
        defer { withExtendedLifetime(signals) {} }
        let duty = AgentDuty()
        while try await serve(duty, log: log, ready: ready) {
            await duty.awaitReturn(of: home)
        }
    }

    /// Owns the home until somebody else needs it; the lock goes with the return.
    ///
    /// - Returns: whether to come back.
    private func serve(
        _ duty: AgentDuty, log: LogStream, ready: @Sendable () -> Void
    ) async throws(TerminalError) -> Bool {
        if duty.isOver { return false }
        let lock = try await ownership()
        let agent = try await Agent.start(
            home: home, sources: try await configurationSources(), lock: lock, servesSocket: true,
            handOver: { duty.end(.handedOver) }, log: log, loop: loop, in: context)
        if duty.begin() { ready() }
        let end = await duty.ended()
        await agent.stop()
        return end == .handedOver
    }

    /// The `display.language` of environment and file; nil where neither has one. Before an enrolment there
    /// is the environment alone.
    package func language() async -> Language? {
        let configured = (try? await loadConfiguration())?.language
        return configured ?? environment["POS_DISPLAY_LANGUAGE"].flatMap(Language.init)
    }

    func loadConfiguration() async throws(TerminalError) -> TerminalConfiguration {
        try await configurationSources().configuration()
    }

    private func configurationSources() async throws(TerminalError) -> ConfigurationSources {
        try await ConfigurationSources.read(path: configurationPath, environment: environment)
    }

    /// The lock of the home. A command that found no agent owns the home while it lasts, and is waited for;
    /// another agent is not.
    private func ownership() async throws(TerminalError) -> HomeLock {
        var holder: Int32?
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
            switch try HomeLock.attempt(home) {
            case .taken(let lock): return lock
            case .held(let process): holder = process
            }
            if let connection = try await overSocket() {
                let response = try? await connection.call(PingCall().request)
                await connection.close()
                let ping: PingCall.Response? = try? response?.document()
                guard ping?.isOfCommand == true else { break }
            }
        }
        throw TerminalError(.unusable, code: "agent_runs") {
            $0.ownedByProcess(holder.map(String.init), path: home.path)
        }
    }

    private func inProcess(
        _ lock: HomeLock, readingOnly: Bool, serving: Bool
    ) async throws(TerminalError) -> any AgentConnection {
        let sources = try await configurationSources()
        guard readingOnly else {
            return InProcessConnection(
                agent: try await Agent.start(
                    home: home, sources: sources, lock: lock, servesSocket: serving, isOfCommand: true,
                    log: .ofCommand, loop: loop, in: context))
        }
        do throws(TerminalError) {
            return InProcessConnection(
                agent: try await Agent.reader(home: home, sources: sources, lock: lock, in: context))
        } catch {
            guard error.isDamage else { throw error }
            return DamagedHome(home: home, configuration: try sources.configuration(), error: error)
        }
    }

    /// The lock of the home, also from an agent that runs: it lets go and comes back when the lock is free.
    func lockForEnrolment() async throws(TerminalError) -> HomeLock {
        var isRequested = false
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try? await Task.sleep(for: .milliseconds(100)) }
            if case .taken(let lock) = try HomeLock.attempt(home) { return lock }
            guard !isRequested, let connection = try await overSocket() else { continue }
            let response = try? await connection.call(HandoverCall().request)
            await connection.close()
            guard response?.status == 200 else { break }
            isRequested = true
        }
        throw TerminalError(.unusable, code: "agent_runs") { $0.ownedByProgram(home.path) }
    }

    /// Nil while the owner does not respond.
    private func overSocket() async throws(TerminalError) -> (any AgentConnection)? {
        let connection = try SocketAgentConnection(home: home, loop: loop)
        if (try? await connection.call(PingCall().request)) != nil { return connection }
        await connection.close()
        return nil
    }
}

extension LogStream {
    /// Of an agent that a command runs: what a person has to read.
    static let ofCommand = LogStream(format: .text, level: .error)
    /// Of a command that makes or repairs what an agent works on.
    static let ofSetup = LogStream(format: .text, level: .warning)
}
