internal import HubCore
internal import HubProtocol

/// Who may call a route.
enum Access: Hashable, Sendable {
    /// Anybody, as often as they like; the route costs no more than reading its request.
    case probe
    /// Anybody, so often from one address.
    case open
    /// A sender with a signature that the route verifies itself, and counts by.
    case signed
    /// A terminal that has no valid token yet; the route requires its proof. Its schema is not too old.
    case newcomer
    /// An enrolled terminal whose schema is not too old.
    case device
    /// The same, confirmed by an operator if it had to be: for routes about people and offers.
    case confirmedDevice
    /// An operator whose role may do this, by token or session.
    case `operator`(ProtectedAction)
    /// A visitor of the operators' pages; no credential, but a name of this hub in `Host`.
    case page
    /// The owner of this machine, on a local socket that nobody else can open.
    case owner
}

/// The methods that the contract uses.
enum Verb: String, Sendable {
    case get = "GET"
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
    /// The parameters that a query may have; nil: what is not known is ignored.
    let parameters: KnownNames?
    let response: @Sendable (HubRequest) async throws -> HubResponse

    init(
        _ method: Verb, _ template: String, _ access: Access = .device, parameters: [String]? = nil,
        response: @escaping @Sendable (HubRequest) async throws -> HubResponse
    ) {
        self.method = method
        self.template = template
        self.access = access
        self.parameters = parameters.map { KnownNames.parameters($0) }
        self.response = response
    }

    private init(_ route: Route, _ access: Access) {
        method = route.method
        template = route.template
        self.access = access
        parameters = route.parameters
        response = route.response
    }

    /// Method and template, for a list of what is served.
    var json: JSONValue { ["method": .string(method.rawValue), "path": .string(template)] }

    /// The route as a local socket has it: operators' calls need no token there.
    func opened() -> Route {
        switch access {
        case .probe, .open, .signed, .newcomer, .device, .confirmedDevice, .owner: self
        case .page: Route(self, .open)
        case .operator: Route(self, .owner)
        }
    }
}
