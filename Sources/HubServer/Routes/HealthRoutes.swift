internal import HubProtocol
internal import HubStore

/// Whether the process is up, and whether its store takes writes.
struct HealthRoutes: Sendable {
    /// The stores that this process answers for.
    let checks: [@Sendable () async throws -> Void]

    var routes: [Route] {
        [
            Route(.get, Routes.health, .open, answer: health),
            Route(.get, Routes.ready, .open, answer: ready),
        ]
    }

    @Sendable private func health(_ request: HubRequest) async throws -> Answer {
        var members: JSONObject = ["status": "ok"]
        if let nonce = request.query("nonce") { members["nonce"] = .string(String(nonce.prefix(256))) }
        return .json(.object(members)).with("Cache-Control", "no-store")
    }

    @Sendable private func ready(_ request: HubRequest) async throws -> Answer {
        for check in checks { try await check() }
        return .json(["status": "ready"]).with("Cache-Control", "no-store")
    }
}
