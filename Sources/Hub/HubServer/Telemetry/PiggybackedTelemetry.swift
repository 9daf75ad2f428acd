internal import HubCore
internal import HubProtocol
internal import HubStore
internal import ServiceLifecycle
internal import Synchronization

/// Keeps the telemetry of batches: of each terminal the last report, once a second at most, beside the
/// pushes.
///
/// A push must not wait for a second sync of the disk, nor fail because of telemetry that is bad or lost.
/// A terminal counts since its start, so a report that was skipped is in the next one.
final class PiggybackedTelemetry: Service {
    private struct Sender: Hashable {
        let terminalId: String
        let appVersion: String
    }

    private struct Entry {
        let report: TelemetryReport
        let receivedAt: Int64
    }

    private let ledger: any JournalLedger
    private let engine: QoSEngine?
    private let alarms: StoreAlarms
    /// One for all ways in which telemetry comes, as its interval is.
    let places: NeighbourPlaces
    private let waiting = Mutex<[Sender: Entry]>([:])
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    private static let interval: Duration = .seconds(1)

    /// - Parameter engine: gets at once how much a terminal still has to send; nil where another process
    ///   decides.
    init(ledger: any JournalLedger, engine: QoSEngine?, alarms: StoreAlarms, places: NeighbourPlaces) {
        self.alarms = alarms
        self.places = places
        self.ledger = ledger
        self.engine = engine
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes what rides on a batch, if it is anything.
    func note(_ telemetry: JSONValue?, of terminalId: String, at now: Int64) async {
        guard let telemetry, telemetry.object != nil else { return }
        let report = TelemetryReport(lenient: telemetry)
        waiting.withLock {
            $0[Sender(terminalId: terminalId, appVersion: report.appVersion)] = Entry(
                report: report, receivedAt: now)
        }
        wakeUp.yield()
        await engine?.handle(.pending(report.pending, of: terminalId))
    }

    func run() async throws {
        for await _ in wakeUps.cancelOnGracefulShutdown() {
            await keepAll()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
        await keepAll()
    }

    private func keepAll() async {
        let entries = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        await withDiscardingTaskGroup { group in
            for (sender, entry) in entries {
                group.addTask { [ledger, alarms, places] in
                    try? await ledger.keepTelemetry(
                        entry.report, of: sender.terminalId, at: entry.receivedAt)
                    await alarms.note(entry.report, of: sender.terminalId, at: entry.receivedAt)
                    await places.note(entry.report, of: sender.terminalId, at: entry.receivedAt)
                }
            }
        }
    }
}

/// Terminals' reports about themselves, sent alone (http.md section 8); on batches: ``PiggybackedTelemetry``.
struct TelemetryRoutes: Sendable {
    let ledger: any JournalLedger
    let heads: HeadParts
    let alarms: StoreAlarms
    let places: NeighbourPlaces
    let now: @Sendable () -> Int64

    var routes: [Route] { [Route(.post, Routes.telemetry, response: alone)] }

    @Sendable private func alone(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let json = try await request.reportedJSON()
        guard json.object != nil else { throw Problem.malformed("Telemetry is an object.") }
        let report = TelemetryReport(lenient: json)
        try await ledger.keepTelemetry(report, of: device.terminalId, at: now())
        await alarms.note(report, of: device.terminalId, at: now())
        await places.note(report, of: device.terminalId, at: now())
        await heads.note(json, of: device)
        return HubResponse(status: 204)
    }
}
