package import AgentAPI
package import HubProtocol

/// The agent's response: a document, or an error that knows its exit code.
package struct AgentResponse: Sendable, Hashable {
    /// Of HTTP; from 400 on ``body`` is an error.
    package let status: Int
    /// The call's document, or the error's.
    package let body: JSONValue
    /// The language of the till's texts, as `display.language` has it; nil: that of whoever looks.
    package var language: String?

    /// The response with `body`; 200, the default, for one without an error.
    package init(status: Int = 200, _ body: JSONValue) {
        self.status = status
        self.body = body
    }

    /// The response that carries `error`.
    package init(_ error: TerminalError) {
        let status =
            switch error.kind {
            case .refused: 409
            case .usage: 400
            case .unusable: 500
            case .hubRefused: 502
            case .notDurable: 507
            case .tryAgain: 503
            }
        self.init(status: status, error.failure.response)
    }

    /// The error that the response carries; nil for a good one.
    package var error: TerminalError? {
        guard status >= 400, let failure = AgentFailure(response: body, status: status) else { return nil }
        let kind = failure.exit.flatMap { TerminalError.Kind(rawValue: Int32(clamping: $0)) }
        return TerminalError(kind ?? .tryAgain, received: failure)
    }
}

extension AgentCall {
    /// Reads the response to this call.
    ///
    /// - Throws: kind `unusable` for a response that is not that of this version.
    package func response(in document: JSONValue) throws(TerminalError) -> Response {
        do throws(ShapeError) {
            return try Response(json: document)
        } catch {
            throw TerminalError(.unusable, code: "malformed_response") {
                $0.malformedResponse("\(error)", to: request.path)
            }
        }
    }
}

/// A way to the agent: over its socket, or inside this process.
package protocol AgentConnection: Sendable {
    /// Sends one request and waits for its response.
    ///
    /// - Throws: kind `tryAgain` when the agent died or did not respond.
    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse

    /// Status documents as they change, the present one first, until the consumer stops listening.
    func watchStatus() -> AsyncStream<StatusResponse>

    /// Ends the connection; an agent inside this process is brought to a clean stop.
    func close() async
}

/// What this build calls itself.
package enum TerminalVersion {
    /// Three numbers, as the hub's telemetry lists them.
    package static let current = "0.1.0"
}
