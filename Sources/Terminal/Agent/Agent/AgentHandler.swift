import Base

internal import AgentAPI
internal import HubProtocol
internal import Retail

/// Handles the agent's requests; the socket and the connection inside one process both lead here.
protocol AgentHandling: Sendable {
    /// The response to `request`; never throws, since an error is a response too.
    func handle(_ request: AgentRequest) async -> AgentResponse

    /// Where it handles `request`.
    func place(of request: AgentRequest) -> AgentPlace

    /// `response` has reached whoever sent `request`.
    func delivered(_ response: AgentResponse, to request: AgentRequest) async
}

/// Where a request of another program is handled.
enum AgentPlace: Sendable {
    /// On the event loop: sales and what a person changes. It takes a millisecond or two.
    case loop
    /// On the ``BackgroundThread``: what a person only looks at, however long it takes.
    case background
}

extension AgentHandling {
    func place(of request: AgentRequest) -> AgentPlace { .loop }

    func delivered(_ response: AgentResponse, to request: AgentRequest) async {}
}

/// The requests of one feature.
protocol RequestHandler: Sendable {
    /// What it handles. No two features share a method and path.
    var routes: [AgentRoute] { get }

    /// `response` has reached whoever sent `request`, which was one of ``routes``.
    func delivered(_ response: AgentResponse, to request: AgentRequest) async
}

extension RequestHandler {
    func delivered(_ response: AgentResponse, to request: AgentRequest) async {}

    /// The response of `work`, or the error that its failure becomes: one of the feature by `translate`, a
    /// request that cannot be read, and anything else as a store that did not change.
    func refusing<Failure: Error>(
        _ translate: (Failure) -> TerminalError, _ work: () async throws -> AgentResponse
    ) async throws(TerminalError) -> AgentResponse {
        do {
            return try await work()
        } catch let error as Failure {
            throw translate(error)
        } catch let error as RequestRefusal {
            throw TerminalError(error)
        } catch let error as TerminalError {
            throw error
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable") { $0.nothingChanged("\(error)") }
        }
    }
}

/// One kind of request.
struct AgentRoute: Sendable {
    /// Gets the request and the values of the path's parameters, in order.
    typealias Work = @Sendable (AgentRequest, [String]) async throws(TerminalError) -> AgentResponse

    let method: String
    /// For example `POST /v1/carts/{id}/drop`.
    let name: String
    /// Steps of the path; nil for a parameter.
    private let steps: [String?]
    let place: AgentPlace
    let work: Work

    /// - Parameters:
    ///   - path: one of ``AgentRoutes``; a step in braces is a parameter.
    ///   - place: default the loop; the background for whatever lists, searches, reports or exports.
    init(_ method: String, _ path: String, on place: AgentPlace = .loop, _ work: @escaping Work) {
        self.method = method
        self.place = place
        name = method + " " + path
        steps = path.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) }
        self.work = work
    }

    /// The values of the parameters; nil for another request.
    func parameters(of method: String, _ path: [String]) -> [String]? {
        guard method == self.method, path.count == steps.count else { return nil }
        var values: [String] = []
        for (step, text) in zip(steps, path) {
            if let step {
                guard step == text else { return nil }
            } else {
                values.append(PathStep.decoded(text))
            }
        }
        return values
    }
}

/// One table of the requests of all features.
struct AgentHandler: AgentHandling {
    private let table: [(route: AgentRoute, handler: any RequestHandler)]
    private let language: @Sendable () -> Language?

    /// - Parameter language: of the till's texts now; nil: that of whoever looks.
    init(_ handlers: [any RequestHandler], language: @escaping @Sendable () -> Language?) {
        self.language = language
        table = handlers.flatMap { handler in handler.routes.map { ($0, handler) } }
    }

    /// Every request that the agent handles.
    var routeNames: [String] { table.map(\.route.name) }

    func handle(_ request: AgentRequest) async -> AgentResponse {
        var response = await response(to: request)
        response.language = language()?.rawValue
        return response
    }

    private func response(to request: AgentRequest) async -> AgentResponse {
        if let refusal = RequestCardNumbers.refusal(of: request) {
            return AgentResponse(TerminalError(refusal))
        }
        // What the hub would flag in a sale is refused here, before anything is done.
        if let excess = TextBound.excess(in: request.body ?? .null) ?? TextBound.excess(in: request.queryJSON)
        {
            let path = excess.path.printable
            return AgentResponse(TerminalError(SaleRefusal.textTooLong(field: path, limit: excess.bound)))
        }
        guard let (route, parameters, _) = find(request) else {
            return AgentResponse(TerminalError(unknown: request))
        }
        do throws(TerminalError) {
            return try await route.work(request, parameters)
        } catch {
            return AgentResponse(error)
        }
    }

    func place(of request: AgentRequest) -> AgentPlace { find(request)?.route.place ?? .loop }

    func delivered(_ response: AgentResponse, to request: AgentRequest) async {
        await find(request)?.handler.delivered(response, to: request)
    }

    private func find(
        _ request: AgentRequest
    ) -> (route: AgentRoute, parameters: [String], handler: any RequestHandler)? {
        let path = request.path.split(separator: "/").map(String.init)
        for (route, handler) in table {
            if let parameters = route.parameters(of: request.method, path) {
                return (route, parameters, handler)
            }
        }
        return nil
    }
}

extension TerminalError {
    /// The refusal of a request that no feature has.
    init(unknown request: AgentRequest) {
        self.init(.usage, code: "unknown_request") { $0.unknownRequest("\(request.method) \(request.path)") }
    }
}
