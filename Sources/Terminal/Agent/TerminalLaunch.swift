public import HubProtocol

/// How a command gets to its agent.
public struct TerminalLaunch: Sendable {
    public let home: TerminalHome
    public let configurationPath: String
    public let environment: [String: String]

    public init(home: TerminalHome, configurationPath: String, environment: [String: String]) {
        self.home = home
        self.configurationPath = configurationPath
        self.environment = environment
    }

    /// Connects to the running agent; where none runs, runs the same agent inside this process.
    ///
    /// - Parameter readingOnly: the command changes nothing: without a running agent it reads the disk alone.
    /// - Throws: kind `unusable` for a home or configuration that cannot be used, `tryAgain` when the owner of
    ///   the home does not answer.
    public func connect(readingOnly: Bool) async throws(TerminalError) -> any AgentConnection {
        try home.requireInitialised()
        if HomeLock.isHeld(home) { return try await connectToOwner() }
        if readingOnly {
            let configuration = try await loadConfiguration()
            return InProcessConnection(
                handler: try ReadOnlyAgent(home: home, configuration: configuration), agent: nil)
        }
        switch try HomeLock.attempt(home) {
        case .held:
            return try await connectToOwner()
        case .taken(let lock):
            let agent = try await Agent.start(
                home: home, configuration: try await loadConfiguration(), lock: lock, servesSocket: false,
                logLevel: "warning")
            return InProcessConnection(handler: agent, agent: agent)
        }
    }

    private func loadConfiguration() async throws(TerminalError) -> TerminalConfiguration {
        try await TerminalConfiguration.load(path: configurationPath, environment: environment)
    }

    /// The owner may just be starting: its socket gets 3 s to answer.
    private func connectToOwner() async throws(TerminalError) -> any AgentConnection {
        let connection = try SocketAgentConnection(home: home)
        var failure = TerminalError(.tryAgain, code: "agent_gone", "the agent did not answer; try again")
        for _ in 0..<30 {
            do throws(TerminalError) {
                _ = try await connection.call(AgentRequest("GET", AgentRoutes.ping))
                return connection
            } catch {
                failure = error
            }
            try? await Task.sleep(for: .milliseconds(100))
            guard HomeLock.isHeld(home) else { break }
        }
        await connection.close()
        throw failure
    }
}
