public import HubProtocol

/// One request to the agent, the same over its socket and inside one process.
public struct AgentRequest: Sendable, Hashable {
    public let method: String
    /// Path without query, for example `/v1/orders/01J…`.
    public let path: String
    public let query: [String: String]
    public let body: JSONValue?

    public init(_ method: String, _ path: String, query: [String: String] = [:], body: JSONValue? = nil) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }
}

/// The agent's answer: a document, or an error that knows its exit code.
public struct AgentAnswer: Sendable, Hashable {
    public let status: Int
    public let body: JSONValue

    public init(status: Int = 200, _ body: JSONValue) {
        self.status = status
        self.body = body
    }

    /// The answer that carries `error`.
    public init(_ error: TerminalError) {
        let status =
            switch error.kind {
            case .refused: 409
            case .usage: 400
            case .unusable: 500
            case .hubRefused: 502
            case .notDurable: 507
            case .tryAgain: 503
            }
        var members = error.details
        members["code"] = .string(error.code)
        members["message"] = .string(error.message)
        members["exit"] = .integer(Int64(error.kind.rawValue))
        self.init(status: status, ["error": .object(members)])
    }

    /// The error that the answer carries; nil for a good one.
    public var error: TerminalError? {
        guard let error = body["error"], status >= 400 else { return nil }
        let kind = error["exit"]?.integer.flatMap { TerminalError.Kind(rawValue: Int32(clamping: $0)) }
        return TerminalError(
            kind ?? .tryAgain, code: error["code"]?.string ?? "unknown",
            error["message"]?.string ?? "the agent answered \(status)",
            details: (error.object ?? [:]).filter { !["code", "message", "exit"].contains($0.key) })
    }
}

/// A way to the agent: over its socket, or inside this process.
public protocol AgentConnection: Sendable {
    /// Sends one request and waits for its answer.
    ///
    /// - Throws: kind `tryAgain` when the agent died or did not answer.
    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer

    /// Status documents as they change, the present one first, until the consumer stops listening.
    func watchStatus() -> AsyncStream<JSONValue>

    /// Ends the connection; an agent inside this process is brought to a clean stop.
    func close() async
}
