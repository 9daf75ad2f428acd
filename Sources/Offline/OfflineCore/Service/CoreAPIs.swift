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

/// A service of the business layer, as it is registered: its routes and whether its fault decides the mode.
public struct BusinessService: Hashable, Sendable {
    /// Lower case, as in ``CoreAPIs/services``: `order`.
    public let name: String
    /// Its routes; a request to another one is no evidence about it.
    public let routes: [APIRoute]
    /// Whether its fault takes the program offline; else it only makes the service's own route local.
    public let isCore: Bool

    /// By default its fault takes the program offline.
    public init(_ name: String, routes: [APIRoute], isCore: Bool = true) {
        self.name = name
        self.routes = routes
        self.isCore = isCore
    }
}

extension CoreAPIs {
    /// The table of `services`; a route that two of them name belongs to the last one.
    ///
    /// - Parameter aliases: routes whose outcomes are counted with those of another route; none by default.
    public init(_ services: [BusinessService], aliases: [APIRoute: APIRoute] = [:]) {
        self.init(
            services: Dictionary(
                services.flatMap { service in service.routes.map { ($0, service.name) } },
                uniquingKeysWith: { $1 }),
            core: Set(services.filter(\.isCore).map(\.name)), aliases: aliases)
    }

    /// The services of the contract's business calls, `order` alone being core; both routes of the push are
    /// one API.
    public static let standard: CoreAPIs = {
        let push = APIRoute(method: "POST", template: "/v1/mutations")
        let batch = APIRoute(method: "POST", template: "/v1/mutations/batch")
        let authorizations = "/v1/payments/authorizations"
        func get(_ template: String) -> APIRoute { APIRoute(method: "GET", template: template) }
        func post(_ template: String) -> APIRoute { APIRoute(method: "POST", template: template) }
        return CoreAPIs(
            [
                BusinessService(
                    "order",
                    routes: [
                        push, batch, post("/v1/receipts/lookup"), post("/v1/refunds/decisions"),
                        APIRoute(method: "DELETE", template: "/v1/refunds/decisions/{refundId}"),
                    ]),
                BusinessService("account", routes: [post("/v1/sessions")], isCore: false),
                BusinessService(
                    "member",
                    routes: [
                        get("/v1/members"), get("/v1/members/{id}"), post("/v1/leases"),
                        post("/v1/leases/returns"),
                    ], isCore: false),
                BusinessService("marketing", routes: [post("/v1/promotions/evaluate")], isCore: false),
                BusinessService(
                    "payment",
                    routes: [
                        post(authorizations), get(authorizations + "/{key}"),
                        post(authorizations + "/{key}/capture"), post(authorizations + "/{key}/void"),
                    ], isCore: false),
                BusinessService("product", routes: [get("/v1/products/{barcode}")], isCore: false),
            ], aliases: [batch: push])
    }()
}
