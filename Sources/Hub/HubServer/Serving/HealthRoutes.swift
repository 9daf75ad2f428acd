internal import HubProtocol
internal import HubStore

/// Whether the process is up, and whether its store takes writes.
struct HealthRoutes: Sendable {
    let readiness: ReadinessCheck

    var routes: [Route] {
        [
            Route(.get, Routes.health, .probe, response: health),
            Route(.get, Routes.ready, .open, response: ready),
        ]
    }

    @Sendable private func health(_ request: HubRequest) async throws -> HubResponse {
        var members: JSONObject = ["status": "ok"]
        if let nonce = request.query("nonce") { members["nonce"] = .string(String(nonce.prefix(256))) }
        return .json(.object(members)).with("Cache-Control", "no-store")
    }

    @Sendable private func ready(_ request: HubRequest) async throws -> HubResponse {
        guard await readiness.isReady() else { throw Problem.storeUnavailable }
        return .json(["status": "ready"]).with("Cache-Control", "no-store")
    }
}
