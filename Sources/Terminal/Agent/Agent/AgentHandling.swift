internal import AgentAPI
/// Answers the agent's requests; the socket and the connection inside one process both lead here.
protocol AgentHandling: Sendable {
    func handle(_ request: AgentRequest) async -> AgentAnswer

    /// `answer` has reached whoever sent `request`.
    func delivered(_ answer: AgentAnswer, to request: AgentRequest) async
}

extension AgentHandling {
    func delivered(_ answer: AgentAnswer, to request: AgentRequest) async {}
}
