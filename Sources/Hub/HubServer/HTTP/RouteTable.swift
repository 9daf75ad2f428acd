import Base

internal import HTTPTypes
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import Logging
internal import LinuxRuntime
internal import MachineRuntime
internal import NIOCore

/// Finds the route of a request and turns whatever happens there into a response of the contract.
///
/// An own table in place of the server's router, which responds 404 to a wrong method and takes other
/// spellings of a path for the path (docs/decisions/0029-own-route-table.md).
struct RouteTable: HTTPResponder {
    typealias Context = HubContext

    private let routes: [[String]: [Verb: Route]]
    private let authorizer: Authorizer
    private let limits: BodyLimits
    private let figures: HubFigures
    private let connections: Connections
    /// Nil without a store of orders.
    private let recalls: LeaseRecalls?
    private let turns: TerminalTurns
    private let lost: Lost?

    /// The page of a person whose address leads to nothing; nil for anybody else.
    typealias Lost = @Sendable (HubRequest) async throws -> HubResponse?

    /// - Parameter lost: nil where no pages are served.
    init(
        _ routes: [Route], authorizer: Authorizer, limits: BodyLimits, figures: HubFigures,
        connections: Connections, turns: TerminalTurns, recalls: LeaseRecalls? = nil, lost: Lost? = nil
    ) {
        self.turns = turns
        self.lost = lost
        var table: [[String]: [Verb: Route]] = [:]
        for route in routes {
            let key = Self.segments(route.template).map { $0.hasPrefix("{") ? "{}" : $0 }
            table[key, default: [:]][route.method] = route
        }
        self.routes = table
        self.authorizer = authorizer
        self.limits = limits
        self.figures = figures
        self.connections = connections
        self.recalls = recalls
    }

    func respond(to request: Request, context: HubContext) async throws -> Response {
        let (connections, channel) = (connections, context.channel)
        let sender = RequestSender(
            peer: { connections.peer(of: channel) }, becameKnown: { connections.becameKnown(channel) },
            readsBody: context.readBody)
        let message = await response(to: request, of: sender, logger: context.logger).response
        return request.method == .head ? message.createHeadResponse() : message
    }

    /// The response to a request, over whatever it came.
    func response(to request: Request, of sender: RequestSender, logger base: Logger) async -> HubResponse {
        let start = LinuxSystemTime.hub.now()
        let name = Self.name(of: request)
        let logger = Self.logger(base, of: request, name)
        var response: HubResponse
        var template = Self.noRoute
        do {
            response = try await responded(request, sender, logger, &template)
        } catch {
            response = .problem(Problem(of: error, logger))
        }
        let duration = LinuxSystemTime.hub.now() - start
        figures.noteResponse(
            route: template, method: template == Self.noRoute ? Self.noRoute : request.method.rawValue,
            status: response.status, took: duration)
        let (status, route) = (response.status, template)
        logger.debug(
            "a request",
            metadata: [
                "method": "\(request.method)", "route": "\(route)", "status": "\(status)",
                "ms": "\(duration.wholeMilliseconds)",
            ])
        return name.map { response.with(HeaderNames.request, $0) } ?? response
    }

    /// What requests of no route count under, whatever path or method they name.
    private static let noRoute = "other"

    /// The sender's name of the request; nil for none, and for one that cannot stand in a log.
    private static func name(of request: Request) -> String? {
        requestField.flatMap { request.headers[$0] }.flatMap { RequestTrace.isRequest($0) ? $0 : nil }
    }

    private static func logger(_ base: Logger, of request: Request, _ name: String?) -> Logger {
        var logger = base
        if let name { logger[metadataKey: "request"] = "\(name)" }
        if let parent = parentField.flatMap({ request.headers[$0] }),
            let trace = RequestTrace.trace(ofParent: parent)
        {
            logger[metadataKey: "trace"] = "\(trace)"
        }
        return logger
    }

    private static let requestField = HTTPField.Name(HeaderNames.request)
    private static let parentField = HTTPField.Name(HeaderNames.traceParent)

    /// - Parameter template: becomes that of the route, as soon as it is found.
    private func responded(
        _ request: Request, _ sender: RequestSender, _ logger: Logger, _ template: inout String
    ) async throws -> HubResponse {
        func received(_ parameters: [String: String]) -> HubRequest {
            HubRequest(
                request: request, parameters: parameters, limits: limits, peer: sender.peer,
                readsBody: sender.readsBody, logger: logger)
        }
        guard let segments = Self.segments(of: request), let (methods, key) = match(segments) else {
            guard let page = try await lost?(received([:])) else { throw Problem.notFound }
            return page
        }
        guard let route = Self.verb(of: request).flatMap({ methods[$0] }) else {
            return HubResponse.problem(.methodNotAllowed).with("Allow", Self.allowed(methods))
        }
        template = route.template
        let admitted = try await authorizer.admit(
            received(Self.parameters(route.template, segments, key)), to: route.access)
        if admitted.device != nil { sender.becameKnown() }
        try route.parameters?.check(admitted.queryNames)
        let response = try await inTurn(admitted) { admitted in
            if let notice = authorizer.notice(for: admitted) {
                try await self.response(of: route, to: admitted, with: notice)
            } else {
                try await route.response(admitted)
            }
        }
        // A pull brings the news itself.
        guard let device = admitted.device, template != Routes.changes,
            recalls?.concern(device.terminalId) == true
        else { return response }
        return response.with(HeaderNames.feed, HeaderNames.feedMoved)
    }

    /// A terminal's request waits for a turn of its terminal before its body is read.
    private func inTurn(
        _ request: HubRequest, _ work: (HubRequest) async throws -> HubResponse
    ) async throws -> HubResponse {
        guard let terminalId = request.device?.terminalId else { return try await work(request) }
        let length = request.bodyLength
        if let length, let wait = turns.count(bytes: min(length, limits.maximumBytes), of: terminalId) {
            throw Problem.rateLimited(wait)
        }
        let kind = TerminalTurns.Kind(
            terminalId: terminalId, work: length == nil ? .withoutBody : .readingBody)
        let response = try await turns.run(kind) { turn in
            var request = request
            request.turn = turn
            return try await work(request)
        }
        guard let response else { throw Problem.rateLimited(.seconds(1)) }
        return response
    }

    /// Answered as usual, refusals too, with the end of the terminal's schema announced.
    private func response(
        of route: Route, to request: HubRequest, with notice: SchemaNotice
    ) async throws -> HubResponse {
        var response: HubResponse
        do {
            response = try await route.response(request)
        } catch let problem as Problem {
            response = .problem(problem)
        }
        for (name, value) in notice.headers { response = response.with(name, value) }
        return response
    }

    private static func allowed(_ methods: [Verb: Route]) -> String {
        let head = methods[.get] == nil ? [] : ["HEAD"]
        return (methods.keys.map(\.rawValue) + head).sorted().joined(separator: ", ")
    }

    /// HEAD gets a response as GET is, without the body.
    private static func verb(of request: Request) -> Verb? {
        request.method == .head ? .get : Verb(rawValue: request.method.rawValue)
    }

    private func match(_ segments: [String]) -> (methods: [Verb: Route], key: [String])? {
        if let exact = routes[segments] { return (exact, segments) }
        for (key, methods) in routes
        where key.count == segments.count && zip(key, segments).allSatisfy({ $0 == "{}" || $0 == $1 }) {
            return (methods, key)
        }
        return nil
    }

    private static func parameters(
        _ template: String, _ segments: [String], _ key: [String]
    ) -> [String: String] {
        var parameters: [String: String] = [:]
        for (name, value) in zip(Self.segments(template), segments) where name.hasPrefix("{") {
            parameters[String(name.dropFirst().dropLast())] = PercentText.decoded(value) ?? value
        }
        return parameters
    }

    /// Nil for any other spelling of a path than the one that the contract has: a proxy's rule for a path has
    /// to hold for every request that gets there.
    private static func segments(of request: Request) -> [String]? {
        let target = request.head.path ?? ""
        guard target.hasPrefix("/") else { return nil }
        let segments = segments(String(target.prefix { $0 != "?" && $0 != "#" }))
        return segments.contains("") ? nil : segments
    }

    private static func segments(_ path: String) -> [String] {
        path == "/"
            ? [] : path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }
}

/// Who sent a request, as far as its route has to know.
struct RequestSender: Sendable {
    /// The other end of the connection.
    let peer: @Sendable () -> Peer
    /// Called when it has shown a terminal's token.
    let becameKnown: @Sendable () -> Void
    /// Called when the body is read now.
    let readsBody: @Sendable () -> Void
}

/// What a request carries besides its own head and body: the channel that it came over.
struct HubContext: InitializableFromSource, Sendable {
    let channel: any Channel
    let logger: Logger

    /// Signals that the body is read now (`100 Continue`) to a sender that waits for it.
    @Sendable func readBody() {
        channel.triggerUserOutboundEvent(ExchangeGuard.ReadsBody(), promise: nil)
    }

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
