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

        func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
            throw TerminalError(.tryAgain, code: "agent_gone", "the agent is stopped")
        }

        func watchStatus() -> AsyncStream<StatusResponse> {
            watched.withLock { $0 += 1 }
            return AsyncStream { $0.finish() }
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
}
