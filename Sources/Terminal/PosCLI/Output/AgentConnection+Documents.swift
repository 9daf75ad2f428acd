internal import ArgumentParser
public import AgentAPI
internal import HubProtocol
public import Agent

extension AgentConnection {
    /// The document that the agent responds with; an error response is thrown.
    func document(_ request: AgentRequest) async throws(TerminalError) -> JSONValue {
        let response = try await call(request)
        if let error = response.error { throw error }
        return response.body
    }
}

extension AgentConnection {
    /// Sends `call` and reads its response.
    ///
    /// - Throws: the agent's error; kind `unusable` for a response that is not that of this version.
    public func send<Call: AgentCall>(_ call: Call) async throws(TerminalError) -> Call.Response {
        try call.response(in: try await document(call.request))
    }
}

/// Sends `call` and prints the response: as JSON without reading it, or as `render` formats it for people.
func show<Call: AgentCall>(
    _ call: Call, on connection: any AgentConnection, json: Bool, render: (Call.Response) -> String
) async throws {
    let document = try await connection.document(call.request)
    if json { return Output.document(document) }
    Output.line(render(try call.response(in: document)))
}
