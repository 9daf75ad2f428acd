internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore

/// What terminals report, what they are told, and the operators' word (http.md section 7).
struct QoSRoutes: Sendable {
    let engine: QoSEngine

    /// More services than this in one report are not the contract's.
    private static let maximumServices = 64

    var routes: [Route] {
        [
            Route(.post, Routes.qosReports, answer: report),
            Route(.get, Routes.qosDecisions, answer: decisions),
            Route(.get, Routes.qosServices, .operator) { _ in .json(try await engine.status()) },
            Route(.put, Routes.qosOverride, .operator, answer: override),
            Route(.delete, Routes.qosOverride, .operator, answer: clear),
        ]
    }

    @Sendable private func report(_ request: HubRequest) async throws -> Answer {
        let reporter = try Self.reporter(request)
        let json = try await request.json()
        guard let reported = json["services"]?.array, reported.count <= Self.maximumServices else {
            throw Problem.malformed(
                ShapeError(path: "services", expected: "an array of up to \(Self.maximumServices)"))
        }
        var asked = Set((json["knownGeneration"]?.object ?? [:]).keys)
        // All are read before the first counts, so that a report is refused as a whole.
        for report in try reported.map({ try Self.report($0, by: reporter) }) {
            asked.insert(report.service)
            await engine.take(report)
        }
        let services = asked.isEmpty ? await engine.knownServices : asked.sorted()
        return .json(await engine.decisions(on: services, for: reporter).json).with(
            "Cache-Control", "no-store")
    }

    private static func report(
        _ json: JSONValue, by reporter: QoSReporter
    ) throws(Problem) -> SharedReport {
        do throws(ShapeError) {
            let failed = try json["failed"].map(failures)
            return SharedReport(
                service: try json.requiredString("service"), terminalId: reporter.terminalId,
                storeId: reporter.storeId, ok: count(try json.requiredInteger("ok")), failed: failed ?? 0)
        } catch {
            throw .malformed(ShapeError(path: "services.\(error.path)", expected: error.expected))
        }
    }

    private static func failures(_ kinds: JSONValue) throws(ShapeError) -> Int64 {
        guard let members = kinds.object else { throw ShapeError(path: "failed", expected: "counts") }
        var sum: Int64 = 0
        for kind in members.keys { sum += count(try kinds.requiredInteger(kind)) }
        return sum
    }

    /// A count clamped into what one window can hold.
    private static func count(_ value: Int64) -> Int64 { ClampedNumber.clamped(value, into: 0...100_000) }

    @Sendable private func decisions(_ request: HubRequest) async throws -> Answer {
        let reporter = try Self.reporter(request)
        let named = (request.query("services") ?? "").split(separator: ",").map(String.init)
        let services = named.isEmpty ? await engine.knownServices : Array(named.prefix(Self.maximumServices))
        let page = await engine.decisions(on: services, for: reporter)
        guard let tag = page.entityTag else { return .json(page.json).with("Cache-Control", "no-store") }
        if request.header("If-None-Match") == tag { return Answer(status: 304).with("ETag", tag) }
        return Answer.json(page.json).with("ETag", tag).with("Cache-Control", "no-cache")
    }

    private static func reporter(_ request: HubRequest) throws(Problem) -> QoSReporter {
        let device = try request.requireDevice()
        return QoSReporter(terminalId: device.terminalId, storeId: device.storeId)
    }

    @Sendable private func override(_ request: HubRequest) async throws -> Answer {
        let json = try await request.json()
        let until = json["until"]?.string.flatMap(Timestamp.milliseconds(of:))
        guard json["until"] == nil || until != nil else {
            throw Problem.malformed(ShapeError(path: "until", expected: "an RFC 3339 time or null"))
        }
        let desk = QoSDesk(engine: engine, operatorName: request.operatorName ?? "")
        let call = AdminCall.overrideService(
            request.parameters["service"] ?? "", state: json["state"]?.string ?? "",
            reason: json["reason"]?.string ?? "", until: until)
        return .json(try await desk.perform(call))
    }

    @Sendable private func clear(_ request: HubRequest) async throws -> Answer {
        let desk = QoSDesk(engine: engine, operatorName: request.operatorName ?? "")
        return .json(try await desk.perform(.clearOverride(request.parameters["service"] ?? "")))
    }
}
