internal import AgentAPI
internal import HubProtocol
internal import Agent

/// `pos sell --stdin`: one JSON request a line in, one JSON answer a line out, in order.
///
/// A refused line is answered with its error and the next one is read. Only an agent that is gone ends the
/// stream early.
struct SaleStream {
    let connection: any AgentConnection

    func run() async throws {
        var lines = InputLines(loop: try ProgramLoop.get())
        while let line = await lines.next() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            Output.line(of: try await answer(to: line))
        }
    }

    private func answer(to line: String) async throws -> JSONValue {
        let body: JSONValue
        do {
            body = try JSONParser.parse(line.utf8)
        } catch {
            let refusal = TerminalError(.usage, code: "malformed_request", "\(error); the line was not sold")
            return refusal.failure.streamLine(of: nil)
        }
        let answer = try await connection.call(AgentRequest("POST", AgentRoutes.sales, body: body))
        guard let error = answer.error else { return answer.body }
        return error.failure.streamLine(of: body)
    }
}
