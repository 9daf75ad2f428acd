internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Metrics

/// What an operator looks at: one plain page, and figures for a collector.
struct OperatorRoutes: Sendable {
    let authorizer: Authorizer
    /// Whether no login is needed: on the local socket, and with `ops.open`.
    let isOpen: Bool
    let engine: QoSEngine?
    let ledger: (any Ledger)?
    let metrics: PrometheusMetrics

    var routes: [Route] {
        [
            Route(.get, "/", .page, response: page),
            Route(.get, "/metrics", isOpen ? .page : .operator(.readOperations), response: figures),
        ]
    }

    /// A person without a session is sent to the login; a program with a wrong token is refused.
    @Sendable private func page(_ request: HubRequest) async throws -> HubResponse {
        if !isOpen, request.header("Authorization") == nil, authorizer.session(of: request) == nil {
            return HubResponse(status: 303).with("Location", "/login").with("Cache-Control", "no-store")
        }
        if !isOpen { _ = try authorizer.operator(of: request, for: .readOperations) }
        let services = try await engine?.status()["services"]?.array ?? []
        let terminals = try await ledger?.terminals() ?? []
        let person = authorizer.session(of: request).map { session, entry in
            OperatorPage.SignedIn(
                name: entry.name, role: entry.role, csrfToken: authorizer.sessions.csrfToken(of: session))
        }
        let page = OperatorPage(signedIn: person, services: services, terminals: terminals)
        return HTMLText.response(status: 200, page.html)
    }

    @Sendable private func figures(_ request: HubRequest) async throws -> HubResponse {
        try await collect()
        return HubResponse(
            status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
            body: Array(metrics.text.utf8))
    }

    /// Reads what the engine and the store know when a collector queries. Kept up to date at every change
    /// instead, the number of terminals would cost a read of the store at each enrolment of another process,
    /// and a decision that only depends on time would be late by as long as nobody queries the engine.
    private func collect() async throws {
        if let engine {
            for service in try await engine.status()["services"]?.array ?? [] {
                let dimensions = [("service", service["service"]?.string ?? "")]
                Meter(label: "hub_service_healthy", dimensions: dimensions, factory: metrics)
                    .set(service["state"]?.string == "healthy" ? 1 : 0)
            }
        }
        if let ledger {
            Meter(label: "hub_terminals", factory: metrics).set(try await ledger.terminals().count)
        }
    }
}
