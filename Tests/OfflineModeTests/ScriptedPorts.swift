import OfflineCore
import OfflineMode
import Synchronization
import TestKit

/// Every port of the offline service: it responds as the test sets it and records its requests.
final class ScriptedPorts: Sendable {
    struct Script {
        var hubResponses = true
        var flagOnDisk = ManualFlagOnDisk.absent
        var flagFailure: ManualFlagError?
        var lastRun: LastRunOnDisk?
        var openPeriod: RecordedOfflinePeriod?
        var qos: QoSResponse?
        var canaryIsGood = true
        /// What was done, in order.
        var journal: [String] = []
        var periods: [RecordedOfflinePeriod] = []
        var lines: [String] = []
        var paces: [ResumePace] = []
    }

    let script = Mutex(Script())
    let clock = HandClock()
    let paths: AsyncStream<PathStatus>
    let path: AsyncStream<PathStatus>.Continuation

    init() {
        (paths, path) = AsyncStream.makeStream()
    }

    func set(_ change: @Sendable (inout Script) -> Void) { script.withLock { change(&$0) } }
    func get<Value: Sendable>(_ read: @Sendable (Script) -> Value) -> Value { script.withLock { read($0) } }
    func note(_ entry: String) { script.withLock { $0.journal.append(entry) } }

    var all: OfflinePorts {
        OfflinePorts(
            time: clock, path: self, ping: self, probe: self, qos: self, canary: self, manualFlag: self,
            lastRun: self, periods: self, recorder: self, pace: self)
    }
}

extension ScriptedPorts: PathMonitoring, Pinging, HubProbing, QoSConsulting, CanaryCalling {
    func statuses() -> AsyncStream<PathStatus> { paths }

    func ping(timeout: Duration) async -> PingResult { .unavailable }

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        get(\.hubResponses) ? .good(roundTrip: .milliseconds(2)) : .failed(.connect)
    }

    func decisions(for services: [String], timeout: Duration) async -> QoSResponse? { get(\.qos) }

    func report(_ report: QoSReport, timeout: Duration) async -> QoSResponse? { get(\.qos) }

    func call(service: String, timeout: Duration) async -> Bool { get(\.canaryIsGood) }
}

extension ScriptedPorts: ManualFlagStorage {
    func load() -> ManualFlagOnDisk { get(\.flagOnDisk) }

    func save(_ flag: ManualFlag?) throws(ManualFlagError) {
        if let failure = get(\.flagFailure) { throw failure }
        script.withLock { script in
            script.flagOnDisk = flag.map(ManualFlagOnDisk.set) ?? .absent
            script.journal.append(flag == nil ? "flag removed" : "flag saved")
        }
    }
}

extension ScriptedPorts: LastRunStorage, OfflinePeriodRecording, EventRecorder, ResumePacing {
    func load() -> LastRunOnDisk? { get(\.lastRun) }
    func save(_ run: LastRunOnDisk) { set { $0.lastRun = run } }
    func openPeriod() -> RecordedOfflinePeriod? { get(\.openPeriod) }
    func append(_ line: String) { set { $0.lines.append(line) } }
    func resume(service: String, at pace: ResumePace) { set { $0.paces.append(pace) } }

    func record(_ period: RecordedOfflinePeriod) {
        script.withLock { script in
            script.periods.removeAll { $0.start == period.start }
            script.periods.append(period)
            script.journal.append(period.end == nil ? "period open" : "period closed")
        }
    }
}

/// A business module that records its notifications, and may never return.
final class NotingParticipant: OfflineModeParticipant {
    private let ports: ScriptedPorts
    private let hangs: Bool

    init(ports: ScriptedPorts, hangs: Bool = false) {
        self.ports = ports
        self.hangs = hangs
    }

    func terminalWillGoOffline(causes: [OfflineCause]) async {
        ports.note("will go offline")
        if hangs { for await _ in AsyncStream<Void>.makeStream().stream {} }
    }

    func terminalDidComeOnline() async { ports.note("did come online") }
}
