internal import HubCore
internal import HubProtocol
internal import HubStore

/// What an operator looks at: one plain page, and figures for a collector.
struct OperatorRoutes: Sendable {
    /// Open where only this machine can connect.
    let access: Access
    let engine: QoSEngine?
    let ledger: (any Ledger)?
    let metrics: RequestCounter

    var routes: [Route] {
        [
            Route(.get, "/", access, answer: page),
            Route(.get, "/metrics", access, answer: figures),
        ]
    }

    @Sendable private func page(_ request: HubRequest) async throws -> Answer {
        let services = try await engine?.status()["services"]?.array ?? []
        let terminals = try await ledger?.terminals() ?? []
        let page = OperatorPage(services: services, terminals: terminals)
        return Answer(status: 200, contentType: "text/html; charset=utf-8", body: Array(page.html.utf8))
            .with("Cache-Control", "no-store")
            .with("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
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
