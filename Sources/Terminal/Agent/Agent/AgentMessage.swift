package import AgentAPI
package import HubProtocol

/// The agent's response: a document, or an error that knows its exit code.
///
/// Inside one process the value itself passes; ``body`` is made where it leaves the process.
package struct AgentResponse: Sendable {
    private enum Content: Sendable {
        case document(any AgentDocument)
        case error(TerminalError)
        /// Of another process.
        case received(JSONValue)
    }

    /// Of HTTP; from 400 on ``body`` is an error.
    package let status: Int
    private let content: Content
    /// The language of the till's texts, as `display.language` has it; nil: that of whoever looks.
    package var language: String?

    /// The response with `document`.
    package init(_ document: some AgentDocument) {
        (status, content) = (200, .document(document))
    }

    /// The response of another process with `body`; 200, the default, for one without an error.
    package init(status: Int = 200, _ body: JSONValue) {
        (self.status, content) = (status, .received(body))
    }

    /// The response that carries `error`.
    ///
    /// - Parameter status: by default that of the error's kind.
    package init(status: Int? = nil, _ error: TerminalError) {
        let usual =
            switch error.kind {
            case .refused: 409
            case .usage: 400
            case .unusable: 500
            case .hubRefused: 502
            case .notDurable: 507
            case .tryAgain: 503
            }
        (self.status, content) = (status ?? usual, .error(error))
    }

    /// The call's document, or the error's.
    package var body: JSONValue {
        switch content {
        case .document(let document): document.json
        case .error(let error): error.failure.response
        case .received(let body): body
        }
    }

    /// The document as what it should be.
    package func document<Document: AgentDocument>() throws(ShapeError) -> Document {
        if case .document(let document) = content, let document = document as? Document { return document }
        return try Document(json: body)
    }

    /// The error that the response carries; nil for a good one.
    package var error: TerminalError? {
        if case .error(let error) = content { return error }
        guard status >= 400, let failure = AgentFailure(response: body, status: status) else { return nil }
        let kind = failure.exit.flatMap { TerminalError.Kind(rawValue: Int32(clamping: $0)) }
        return TerminalError(kind ?? .tryAgain, received: failure)
    }
}

extension AgentCall {
    /// Reads the response to this call.
    ///
    /// - Throws: kind `unusable` for a response that is not that of this version.
    package func response(in response: AgentResponse) throws(TerminalError) -> Response {
        do throws(ShapeError) {
            return try response.document()
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
