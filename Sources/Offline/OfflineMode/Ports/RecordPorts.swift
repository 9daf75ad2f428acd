public import OfflineCore

/// Keeps the offline periods for `pos history`.
public protocol OfflinePeriodRecording: Sendable {
    /// The newest period if it has no end yet; nil when there is none or it cannot be read.
    func openPeriod() -> RecordedOfflinePeriod?

    /// Writes `period`, in place of the one with the same `start`. Best effort, one call at a time.
    func record(_ period: RecordedOfflinePeriod)
}

/// One offline period in wall-clock time.
public struct RecordedOfflinePeriod: Hashable, Sendable {
    /// Unix milliseconds; names the period.
    public let start: Int64
    /// Unix milliseconds; nil while it lasts.
    public let end: Int64?
    /// Every cause that was active at some time in it.
    public let causes: [OfflineCause]
    /// Descriptions of what was seen, oldest first.
    public let evidence: [String]

    /// Makes a period; both times are Unix milliseconds, `end` nil while it lasts.
    public init(start: Int64, end: Int64?, causes: [OfflineCause], evidence: [String]) {
        self.start = start
        self.end = end
        self.causes = causes
        self.evidence = evidence
    }
}

/// The event recording: every event of the machines, bounded on disk.
public protocol EventRecorder: Sendable {
    /// Appends one line. Best effort: a recorder that cannot write never blocks the terminal.
    func append(_ line: String)
}
