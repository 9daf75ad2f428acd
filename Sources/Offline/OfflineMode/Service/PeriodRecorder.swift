import Base
import OfflineCore

/// Writes offline periods down in wall-clock time.
///
/// A period is identified by its start, so the start is converted to wall-clock time once and kept. Its end
/// is the start plus the time of the monotonic clock and the suspended time: setting the wall clock while the
/// terminal is offline makes no period longer or shorter.
struct PeriodRecorder {
    private struct Named {
        let start: Instant
        let wall: Int64
        /// The total of suspended time when the start was noted.
        let suspended: Duration
    }

    private let storage: any OfflinePeriodRecording
    private var named: Named?
    private var takenOver: RecordedOfflinePeriod?

    init(storage: any OfflinePeriodRecording) {
        self.storage = storage
    }

    /// The period that the last run left open, as an instant of this run's clock.
    mutating func takeOver(_ open: RecordedOfflinePeriod, startedAt: Instant, suspended: Duration) {
        named = Named(start: startedAt, wall: open.start, suspended: suspended)
        takenOver = open
    }

    /// - Parameters:
    ///   - wall: converts an instant to Unix milliseconds; called only for the start of a new period.
    ///   - suspended: the total of suspended time as of now.
    mutating func record(_ period: OfflinePeriod, suspended: Duration, wall: (Instant) -> Int64) {
        let isKnown = named?.start == period.start
        if !isKnown { takenOver = nil }
        let known =
            (isKnown ? named : nil)
            ?? Named(start: period.start, wall: wall(period.start), suspended: suspended)
        let before = takenOver?.evidence ?? []
        let causes = Set(period.causes).union(takenOver?.causes ?? []).sorted()
        let evidence = before + period.evidence.filter { !before.contains($0) }
        let end = period.end.map { end in
            let length = end - known.start + (suspended - known.suspended)
            return known.wall + max(0, length.wholeMilliseconds)
        }
        named = period.end == nil ? known : nil
        storage.record(
            RecordedOfflinePeriod(start: known.wall, end: end, causes: causes, evidence: evidence))
        if period.end != nil { takenOver = nil }
    }
}
