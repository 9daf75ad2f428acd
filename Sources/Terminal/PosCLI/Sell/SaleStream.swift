internal import AgentAPI
internal import HubProtocol
internal import Agent

/// `pos sell --stdin`: one JSON request a line in, one JSON response a line out, in order.
///
/// A refused line gets a response with its error and the next one is read. Only an agent that is gone ends
/// the stream early.
struct SaleStream {
    let connection: any AgentConnection

    func run() async throws {
        var lines = InputLines(loop: try ProgramLoop.get())
        while let line = await lines.next() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            Output.line(of: try await response(to: line))
        }
    }

    private func response(to line: String) async throws -> JSONValue {
        let body: JSONValue
        do {
            body = try JSONParser.parse(line.utf8)
        } catch {
            let refusal = TerminalError(.usage, code: "malformed_request") { $0.notSold("\(error)") }
            return refusal.failure.streamLine(of: nil)
        }
        let response = try await connection.call(AgentRequest("POST", AgentRoutes.sales, body: body))
        guard let error = response.error else { return response.body }
        return error.failure.streamLine(of: body)
    }
}
