internal import HubCore
internal import HubProtocol
internal import HubStore

/// What an operator looks at: one plain page, and figures for a collector.
struct OperatorRoutes: Sendable {
    let gate: AccessGate
    /// Whether no login is needed: on the local socket, and with `ops.open`.
    let isOpen: Bool
    let engine: QoSEngine?
    let ledger: (any Ledger)?
    let metrics: RequestCounter

    var routes: [Route] {
        [
            Route(.get, "/", .page, answer: page),
            Route(.get, "/metrics", isOpen ? .page : .operator(.readOperations), answer: figures),
        ]
    }

    /// A person without a session is sent to the login; a program with a wrong token is refused.
    @Sendable private func page(_ request: HubRequest) async throws -> Answer {
        if !isOpen, request.header("Authorization") == nil, gate.session(of: request) == nil {
            return Answer(status: 303).with("Location", "/login").with("Cache-Control", "no-store")
        }
        if !isOpen { _ = try gate.operator(of: request, for: .readOperations) }
        let services = try await engine?.status()["services"]?.array ?? []
        let terminals = try await ledger?.terminals() ?? []
        let person = gate.session(of: request).map { session, entry in
            OperatorPage.SignedIn(
                name: entry.name, role: entry.role, csrfToken: gate.sessions.csrfToken(of: session))
        }
        let page = OperatorPage(signedIn: person, services: services, terminals: terminals)
        return HTMLText.answer(status: 200, page.html)
    }

    @Sendable private func figures(_ request: HubRequest) async throws -> Answer {
        var lines = ["# TYPE hub_responses_total counter"]
        for (status, count) in metrics.byClass.sorted(by: { $0.key < $1.key }) {
            lines.append("hub_responses_total{class=\"\(status)xx\"} \(count)")
        }
        if let engine {
            lines.append("# TYPE hub_service_healthy gauge")
            for service in try await engine.status()["services"]?.array ?? [] {
                let name = service["service"]?.string ?? ""
                let isHealthy = service["state"]?.string == "healthy"
                lines.append("hub_service_healthy{service=\"\(name)\"} \(isHealthy ? 1 : 0)")
            }
        }
        if let ledger {
            lines.append("# TYPE hub_terminals gauge")
            lines.append("hub_terminals \(try await ledger.terminals().count)")
        }
        let text = lines.joined(separator: "\n") + "\n"
        return Answer(
            status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8))
    }
}
