public import OfflineCore

/// The ports of a program that has no such thing: no ping, no QoS service, no disk.
///
/// The machines then decide by probes and requests alone, and a start begins without a past. Nothing here
/// fails and nothing is sent.
public struct AbsentPorts: Sendable {
    /// One value serves as any number of ports.
    public init() {}
}

extension AbsentPorts: Pinging {
    /// Always `.unavailable`: the HTTP probe takes the place of the echoes, every 15 s while idle.
    public func ping(timeout: Duration) async -> PingResult { .unavailable }
}

extension AbsentPorts: QoSConsulting {
    /// Always nil: what this program has seen itself decides.
    public func decisions(for services: [String], timeout: Duration) async -> QoSResponse? { nil }

    /// Always nil; the counts are lost.
    public func report(_ report: QoSReport, timeout: Duration) async -> QoSResponse? { nil }
}

extension AbsentPorts: CanaryCalling {
    /// Always true: a service that is due for its trial call resumes, paced, and its own requests are the
    /// trial.
    public func call(service: String, timeout: Duration) async -> Bool { true }
}

extension AbsentPorts: ResumePacing {
    /// Limits nothing.
    public func resume(service: String, at pace: ResumePace) {}
}

extension AbsentPorts: ManualFlagStorage, LastRunStorage {
    /// No flag is kept: a start is never manually offline.
    public func load() -> ManualFlagOnDisk { .absent }

    /// Returns at once: the flag holds until the program ends.
    public func save(_ flag: ManualFlag?) async throws(ManualFlagError) {}

    /// No last run.
    public func load() -> LastRunOnDisk? { nil }

    /// Keeps nothing.
    public func save(_ run: LastRunOnDisk) {}
}

extension AbsentPorts: OfflinePeriodRecording, EventRecorder {
    /// No period was left open.
    public func openPeriod() -> RecordedOfflinePeriod? { nil }

    /// Keeps nothing.
    public func record(_ period: RecordedOfflinePeriod) {}

    /// Keeps nothing.
    public func append(_ line: String) {}
}
