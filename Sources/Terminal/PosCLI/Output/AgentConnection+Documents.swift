internal import ArgumentParser
package import AgentAPI
internal import HubProtocol
package import Agent

extension AgentConnection {
    /// The agent's good response; an error response is thrown.
    func response(to request: AgentRequest) async throws(TerminalError) -> AgentResponse {
        let response = try await call(request)
        Output.note(response)
        if let error = response.error { throw error }
        return response
    }
}

extension AgentConnection {
    /// Sends `call` and reads its response.
    ///
    /// - Throws: the agent's error; kind `unusable` for a response that is not that of this version.
    package func send<Call: AgentCall>(_ call: Call) async throws(TerminalError) -> Call.Response {
        try call.response(in: try await response(to: call.request))
    }

    /// All orders that `call` wants: as many pages as it takes.
    package func orders<Call: OrderPageCall>(_ call: Call) async throws(TerminalError) -> OrderListResponse {
        try await orders(call, behind: try await send(call))
    }

    /// The same, when the first page is there.
    func orders<Call: OrderPageCall>(
        _ call: Call, behind first: OrderListResponse
    ) async throws(TerminalError) -> OrderListResponse {
        var (list, rest) = (first, call)
        while let next = list.next, list.orders.count < call.limit {
            (rest.before, rest.limit) = (next, call.limit - list.orders.count)
            list = list.followed(by: try await send(rest))
        }
        return list
    }
}

/// Sends `call` and prints the response: as JSON without reading it, or as `render` formats it for people, in
/// the language of the till.
func show<Call: AgentCall>(
    _ call: Call, on connection: any AgentConnection, json: Bool,
    render: (Call.Response, any PosTexts) -> String
) async throws {
    let response = try await connection.response(to: call.request)
    if json { return Output.document(response.body) }
    Output.line(render(try call.response(in: response), Output.words))
}

/// Prints all orders that `call` wants: as JSON, a single page as it came, or as `render` formats them for
/// people, in the language of the till.
func showOrders<Call: OrderPageCall>(
    _ call: Call, on connection: any AgentConnection, json: Bool,
    render: (OrderListResponse, any PosTexts) -> String
) async throws {
    let response = try await connection.response(to: call.request)
    let page = try call.response(in: response)
    let list = try await connection.orders(call, behind: page)
    if json { return Output.document(list.orders.count == page.orders.count ? response.body : list.json) }
    Output.line(render(list, Output.words))
}
