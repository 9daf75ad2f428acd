import AgentAPI
import Base
import Agent
import Synchronization

@testable import PosCLI

/// An agent that keeps its requests and returns one response to each.
final class ScriptedAgent: AgentConnection {
    private let received = Mutex<[AgentRequest]>([])
    private let response: AgentResponse

    init(_ response: AgentResponse) {
        self.response = response
    }

    var requests: [AgentRequest] { received.withLock { $0 } }

    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
        received.withLock { $0.append(request) }
        return response
    }

    func watchStatus() -> AsyncStream<StatusResponse> { AsyncStream { $0.finish() } }

    func close() async {}
}

/// How one command line ended.
struct CommandEnd {
    let exitCode: Int32
    /// The lines of standard output and of standard error.
    let output: [String]
    let errors: [String]
    /// What the agent received.
    let requests: [AgentRequest]
}

/// Runs `pos` with `arguments` in this process, over `agent` in the place of a terminal's.
func pos(
    _ arguments: [String], _ agent: ScriptedAgent, in language: Language? = nil
) async -> CommandEnd {
    let written = Mutex<[Int32: String]>([:])
    let target = OutputTarget { text, descriptor in
        written.withLock { $0[descriptor, default: ""] += text }
        return true
    }
    let exitCode = await HomeOptions.$connection.withValue(agent) {
        await Output.$target.withValue(target) {
            Output.speak(language)
            return await PosMain.exitCode(of: arguments, as: PosCommand.self)
        }
    }
    let (output, errors) = written.withLock { ($0[1] ?? "", $0[2] ?? "") }
    return CommandEnd(
        exitCode: exitCode, output: lines(output), errors: lines(errors), requests: agent.requests)
}

/// Runs `pos` over an agent that returns the document `response`.
func pos(_ arguments: [String], _ response: some AgentDocument) async -> CommandEnd {
    await pos(arguments, ScriptedAgent(AgentResponse(response.json)))
}

/// Runs `pos` over an agent that refuses everything.
func pos(
    _ arguments: [String], refused error: TerminalError, in language: Language? = nil
) async -> CommandEnd {
    await pos(arguments, ScriptedAgent(AgentResponse(error)), in: language)
}

private func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
}
