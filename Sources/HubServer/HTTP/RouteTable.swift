internal import HTTPTypes
internal import HubProtocol
internal import HubStore
internal import Hummingbird
internal import Logging

/// Finds the route of a request and turns whatever happens there into an answer of the contract. An own table
/// in place of the server's, since the contract wants its problems for unknown paths and methods too.
struct RouteTable: HTTPResponder {
    typealias Context = HubContext

    private let routes: [[String]: [Verb: Route]]
    private let gate: AccessGate
    private let limits: BodyLimits
    private let metrics: RequestCounter

    init(_ routes: [Route], gate: AccessGate, limits: BodyLimits, metrics: RequestCounter) {
        var table: [[String]: [Verb: Route]] = [:]
        for route in routes {
            let key = Self.segments(route.template).map { $0.hasPrefix("{") ? "{}" : $0 }
            table[key, default: [:]][route.method] = route
        }
        self.routes = table
        self.gate = gate
        self.limits = limits
        self.metrics = metrics
    }

    func respond(to request: Request, context: HubContext) async throws -> Response {
        let answer: Answer
        do {
            answer = try await answered(request)
        } catch let problem as Problem {
            answer = .problem(problem)
        } catch let error as LedgerError {
            context.logger.warning("the store refused", metadata: ["reason": "\(error)"])
            answer = .problem(.storeUnavailable)
        } catch {
            context.logger.error("a request failed", metadata: ["reason": "\(error)"])
            answer = .problem(.internalError)
        }
        metrics.count(answer.status)
        let isUnread = answer.status == 408 || answer.status == 413
        let response = answer.response(closing: isUnread ? context.channel : nil)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answered(_ request: Request) async throws -> Answer {
        let segments = Self.segments(request.uri.path)
        guard let (methods, key) = match(segments) else { throw Problem.notFound }
        guard let route = Self.verb(of: request).flatMap({ methods[$0] }) else {
            return Answer.problem(.methodNotAllowed).with("Allow", Self.allowed(methods))
        }
        var asked = HubRequest(
            request: request, parameters: Self.parameters(route.template, segments, key), limits: limits)
        switch route.access {
        case .open: break
        case .newcomer: try gate.admitSchema(of: asked)
        case .device, .confirmedDevice:
            let mustBeConfirmed = route.access == .confirmedDevice
            asked.device = try await gate.admitted(asked, mustBeConfirmed: mustBeConfirmed)
        case .operator(let action): asked.operatorIdentity = try gate.operator(of: asked, for: action)
        case .page: try gate.admitHost(of: asked)
        case .owner: asked.operatorIdentity = .local
        }
        guard let notice = gate.notice(for: asked) else { return try await route.answer(asked) }
        return try await answer(of: route, to: asked, with: notice)
    }

    /// Answered as usual, refusals too, with the end of the terminal's schema announced.
    private func answer(
        of route: Route, to asked: HubRequest, with notice: SchemaNotice
    ) async throws -> Answer {
        var answer: Answer
        do {
            answer = try await route.answer(asked)
        } catch let problem as Problem {
            answer = .problem(problem)
        }
        for (name, value) in notice.headers { answer = answer.with(name, value) }
        return answer
    }

    private static func allowed(_ methods: [Verb: Route]) -> String {
        let head = methods[.get] == nil ? [] : ["HEAD"]
        return (methods.keys.map(\.rawValue) + head).sorted().joined(separator: ", ")
    }

    /// HEAD is answered as GET is, without the body.
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

    private static func segments(_ path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    }
}
