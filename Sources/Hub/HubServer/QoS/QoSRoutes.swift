import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore

/// What terminals report, the decisions that they get, and operators' overrides (http.md section 7).
struct QoSRoutes: Sendable {
    let engine: QoSEngine
    let overrides: OverrideService
    /// Keeps the heads that come with reports; nil in a process without the store of orders.
    var onHead: (@Sendable (_ report: JSONValue, _ device: DeviceIdentity) async -> Void)?

    var routes: [Route] {
        [
            Route(.post, Routes.qosReports, response: report),
            Route(.get, Routes.qosDecisions, response: decisions),
            Route(
                .get, Routes.qosServices, .operator(.readOperations), parameters: ["scope"],
                response: services),
            // For one store by more roles than for the chain: the service looks at the role once more.
            Route(.put, Routes.qosOverride, .operator(.overrideStore), parameters: [], response: override),
            Route(
                .delete, Routes.qosOverride, .operator(.overrideStore), parameters: ["storeId"],
                response: clear),
            Route(
                .post, Routes.qosConfirmation, .operator(.confirmOverride), parameters: [],
                response: confirm),
        ]
    }

    /// With `?scope=all` also what each terminal follows.
    @Sendable private func services(_ request: HubRequest) async throws -> HubResponse {
        let scope = request.query("scope")
        guard scope == nil || scope == "all" else {
            throw Problem.malformed("`scope` is `all`, or is left out.")
        }
        var status = try await engine.status()
        if scope == "all" {
            status = .object(
                (status.object ?? [:]).merging(["terminals": await engine.terminals()]) { $1 })
        }
        return .json(status)
    }

    @Sendable private func report(_ request: HubRequest) async throws -> HubResponse {
        let reporter = try Self.reporter(request)
        let json = try await request.json()
        // As a whole before the first count is taken, so that a report is refused as a whole.
        let shape = try Problem.reading(QoSReportShape(json: json))
        for counts in shape.services {
            await engine.take(
                SharedReport(
                    service: counts.service, terminalId: reporter.terminalId, storeId: reporter.storeId,
                    ok: counts.ok, failed: counts.failures, windowStart: shape.windowStart))
        }
        let queried = Set(shape.knownGeneration.keys).union(shape.services.map(\.service))
        let services = queried.isEmpty ? await engine.knownServices : queried.sorted()
        if let device = request.device { await onHead?(json, device) }
        let page = await engine.decisions(
            on: services, for: reporter, knowing: shape.knownGeneration)
        return Self.fresh(.json(page.json), to: request)
    }

    /// A response that no cache keeps and that shows by its nonce which request it is for.
    private static func fresh(_ response: HubResponse, to request: HubRequest) -> HubResponse {
        let response = response.with("Cache-Control", "no-store")
        guard let nonce = request.header(HeaderNames.nonce), nonce.count <= HeaderNames.longestNonce else {
            return response
        }
        return response.with(HeaderNames.nonce, nonce)
    }

    @Sendable private func decisions(_ request: HubRequest) async throws -> HubResponse {
        let reporter = try Self.reporter(request)
        let named = (request.query("services") ?? "").split(separator: ",").map(String.init)
        let services =
            named.isEmpty ? await engine.knownServices : Array(named.prefix(QoSReportShape.maximumServices))
        let page = await engine.decisions(
            on: services, for: reporter, holding: request.header("If-None-Match"))
        guard let tag = page.entityTag else { return Self.fresh(.json(page.json), to: request) }
        let response =
            request.header("If-None-Match") == tag ? HubResponse(status: 304) : HubResponse.json(page.json)
        return Self.fresh(response.with("ETag", tag), to: request)
    }

    private static func reporter(_ request: HubRequest) throws(Problem) -> QoSReporter {
        let device = try request.requireDevice()
        return QoSReporter(terminalId: device.terminalId, storeId: device.storeId)
    }

    @Sendable private func override(_ request: HubRequest) async throws -> HubResponse {
        let json = try await request.json()
        let wanted = try Self.wanted(json, of: request.parameters["service"] ?? "")
        if let proposal = try await overrides.set(wanted, by: try request.requireOperator()) {
            return .json(["proposal": proposal.json], status: 202)
        }
        return .json(try await engine.status())
    }

    /// Read strictly: without its `storeId` the override of one store would be one of the chain.
    private static func wanted(
        _ json: JSONValue, of service: String
    ) throws(Problem) -> OverrideService.Wanted {
        try KnownNames.members("state", "reason", "until", "storeId").check(
            (json.object ?? [:]).keys.sorted())
        do throws(ShapeError) {
            let end = try json.optionalString("until")
            let until = end.flatMap(Timestamp.milliseconds(of:))
            guard end == nil || until != nil else {
                throw ShapeError(path: "until", expected: "an RFC 3339 time or null")
            }
            return OverrideService.Wanted(
                service: service, state: try json.requiredString("state"),
                reason: try json.requiredString("reason"), until: until,
                storeId: try json.optionalString("storeId"))
        } catch {
            throw .malformed(error)
        }
    }

    @Sendable private func clear(_ request: HubRequest) async throws -> HubResponse {
        try await overrides.clear(
            request.parameters["service"] ?? "", storeId: request.query("storeId"),
            by: try request.requireOperator())
        return .json(try await engine.status())
    }

    @Sendable private func confirm(_ request: HubRequest) async throws -> HubResponse {
        let json = try await request.json()
        try KnownNames.members("id").check((json.object ?? [:]).keys.sorted())
        let id = try Problem.reading(json.requiredString("id"))
        try await overrides.confirm(
            request.parameters["service"] ?? "", id: id, by: try request.requireOperator())
        return .json(try await engine.status())
    }
}
