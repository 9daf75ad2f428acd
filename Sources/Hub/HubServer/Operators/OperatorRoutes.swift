internal import HubCore
internal import HubProtocol
internal import HubStore

/// What an operator looks at: one plain page, and figures for a collector.
struct OperatorRoutes: Sendable {
    let authorizer: Authorizer
    /// Whether no login is needed: on the local socket, and with `ops.open`.
    let isOpen: Bool
    let engine: QoSEngine?
    let ledger: (any Ledger)?
    let figures: CollectedFigures

    var routes: [Route] {
        [
            Route(.get, "/", .page, response: page),
            Route(.get, "/metrics", isOpen ? .page : .operator(.readOperations), response: metrics),
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

    @Sendable private func metrics(_ request: HubRequest) async throws -> HubResponse {
        HubResponse(
            status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
            body: Array(await figures.page().text.utf8))
    }
}
