/// The service of each API of the hub, and the services that decide the mode.
///
/// An API that is not listed belongs to no service: its outcomes count as evidence of the network only.
public struct CoreAPIs: Hashable, Codable, Sendable {
    /// The service of each known API.
    public let services: [APIRoute: String]
    /// The services whose fault takes the terminal offline; the others only degrade their own capability.
    public let core: Set<String>
    /// Routes that belong to the API of another route, so that their outcomes are counted together.
    public let aliases: [APIRoute: APIRoute]

    /// `services` names every route that belongs to a service; by default no route is an alias.
    public init(services: [APIRoute: String], core: Set<String>, aliases: [APIRoute: APIRoute] = [:]) {
        self.services = services
        self.core = core
        self.aliases = aliases
    }

    /// Nil for a route that is not listed. An alias is found only where it is listed itself; see
    /// ``canonical(_:)``.
    public func service(of api: APIRoute) -> String? { services[api] }

    /// The route under which the outcomes of `api` are counted: itself unless it is an alias.
    public func canonical(_ api: APIRoute) -> APIRoute { aliases[api] ?? api }

    /// Every service named, in alphabetical order.
    public var allServices: [String] { Set(services.values).union(core).sorted() }
}
