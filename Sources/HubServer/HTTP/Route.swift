/// Who may call a route.
enum Access: Sendable {
    /// Anybody.
    case open
    /// An enrolled terminal whose schema is not too old.
    case device
    /// An operator; on this machine's own listener without a token.
    case `operator`
}

/// The methods that the contract uses.
enum Verb: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}

/// One method of one path.
struct Route: Sendable {
    let method: Verb
    /// Segments in braces take any one segment.
    let template: String
    let access: Access
    let answer: @Sendable (HubRequest) async throws -> Answer

    init(
        _ method: Verb, _ template: String, _ access: Access = .device,
        answer: @escaping @Sendable (HubRequest) async throws -> Answer
    ) {
        self.method = method
        self.template = template
        self.access = access
        self.answer = answer
    }
}
