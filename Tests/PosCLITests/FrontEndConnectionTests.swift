import Agent
import AgentAPI
import Synchronization
import TestKit
import Testing

@testable import PosCLI

@Suite("A checkout's connection")
struct FrontEndConnectionTests {
    /// An agent that ends as soon as somebody watches it, and is there again.
    private final class EndingAgent: AgentConnection {
        let watched = Mutex(0)
        /// What it says to its third and fourth watcher.
        let status: StatusResponse?

        init(saying status: StatusResponse? = nil) { self.status = status }

        func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
            throw TerminalError(.tryAgain, code: "agent_gone", text: { _ in "the agent is stopped" })
        }

        func watchStatus() -> AsyncStream<StatusResponse> {
            let number = watched.withLock { watched in
                watched += 1
                return watched
            }
            return AsyncStream { continuation in
                if number == 3 || number == 4, let status {
                    continuation.yield(status)
                }
                continuation.finish()
            }
        }

        func close() async {}
    }

    @Test("watches the status of the next agent when one has ended, until nobody reads it")
    func nextAgent() async {
        let agent = EndingAgent()
        let reader = Task {
            for await _ in FrontEndConnection(agent, program: "pos sell").watchStatus() {}
        }
        await eventually { agent.watched.withLock { $0 } > 2 }
        reader.cancel()
        await reader.value
    }

    @Test("says once that an agent has ended, before the status of the next one")
    func ended() async throws {
        let till = try await RestartableTill()
        let agent = EndingAgent(saying: try await till.send(StatusCall()))
        await till.stop()
        var said: [String] = []
        for await news in FrontEndConnection(agent, program: "pos sell").statusNews() {
            if case .agentGone = news { said.append("gone") } else { said.append("status") }
            if said.count == 5 { break }
        }
        #expect(said == ["gone", "status", "gone", "status", "gone"])
    }
}
