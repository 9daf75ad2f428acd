internal import HubCore
internal import HubProtocol

/// Figures for a collector.
struct OperatorRoutes: Sendable {
    /// Whether no login is needed: on the local socket, and with `ops.open`.
    let isOpen: Bool
    let figures: CollectedFigures

    var routes: [Route] {
        [
            Route(.get, "/metrics", isOpen ? .page : .operator(.readOperations), response: metrics)
        ]
    }

    /// The page of Prometheus' text format; it is made anew for each request, since a collector reads it once
    /// in some seconds.
    @Sendable private func metrics(_ request: HubRequest) async throws -> HubResponse {
        HubResponse(
            status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
            body: Array(await figures.page().text.utf8))
    }
}
