internal import AgentAPI
internal import HubProtocol

/// A connection to the agent, or to the disk alone, inside this process.
final class InProcessConnection: AgentConnection {
    private let agent: Agent

    /// - Parameter agent: stopped when the connection closes.
    init(agent: Agent) {
        self.agent = agent
    }

    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
        var request = request
        request.isOfAgent = true
        let response = await agent.handler.handle(request)
        await agent.handler.delivered(response, to: request)
        return response
    }

    func watchStatus() -> AsyncStream<StatusResponse> {
        AsyncStream { continuation in
            let watcher = Task {
                var revision: Int64 = 0
                while !Task.isCancelled {
                    let response = await agent.handler.handle(NextStatusCall(after: revision).request)
                    guard let next: NextStatusCall.Response = try? response.document() else { break }
                    revision = next.revision
                    continuation.yield(next.status)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in watcher.cancel() }
        }
    }

    func close() async {
        await agent.stop()
    }
}
