internal import ArgumentParser
internal import HubProtocol
internal import Terminal

extension AgentConnection {
    /// The document that the agent answers with; an error answer is thrown.
    func document(_ request: AgentRequest) async throws(TerminalError) -> JSONValue {
        let answer = try await call(request)
        if let error = answer.error { throw error }
        return answer.body
    }
}

/// Asks the agent and prints its document as JSON, or as `render` words it for people.
func show(
    _ request: AgentRequest, on connection: any AgentConnection, json: Bool,
    render: (JSONValue) -> String
) async throws {
    let document = try await connection.document(request)
    if json { Output.document(document) } else { Output.line(render(document)) }
}

extension TerminalError {
    var document: JSONValue {
        var members = details
        members["code"] = .string(code)
        members["message"] = .string(message)
        return .object(members)
    }
}
