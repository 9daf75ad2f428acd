/// Answers the agent's requests; the socket and the connection inside one process both lead here.
protocol AgentHandling: Sendable {
    func handle(_ request: AgentRequest) async -> AgentAnswer
}
