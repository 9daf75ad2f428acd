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

extension CoreAPIs {
    /// The services of the contract's business calls, `order` alone being core; both routes of the push are
    /// one API.
    public static let standard: CoreAPIs = {
        let push = APIRoute(method: "POST", template: "/v1/mutations")
        let batch = APIRoute(method: "POST", template: "/v1/mutations/batch")
        let authorizations = "/v1/payments/authorizations"
        return CoreAPIs(
            services: [
                push: "order",
                batch: "order",
                APIRoute(method: "POST", template: "/v1/sessions"): "account",
                APIRoute(method: "GET", template: "/v1/members"): "member",
                APIRoute(method: "GET", template: "/v1/members/{id}"): "member",
                APIRoute(method: "POST", template: "/v1/promotions/evaluate"): "marketing",
                APIRoute(method: "POST", template: authorizations): "payment",
                APIRoute(method: "GET", template: authorizations + "/{key}"): "payment",
                APIRoute(method: "POST", template: authorizations + "/{key}/capture"): "payment",
                APIRoute(method: "POST", template: authorizations + "/{key}/void"): "payment",
                APIRoute(method: "GET", template: "/v1/products/{barcode}"): "product",
            ],
            core: ["order"],
            aliases: [batch: push])
    }()
}
