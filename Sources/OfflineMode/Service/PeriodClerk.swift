import OfflineCore

/// Writes offline periods down in wall-clock time.
///
/// A period is named by its start, so the start is turned into wall-clock time once and kept.
struct PeriodClerk {
    private let storage: any OfflinePeriodRecording
    private var named: (start: Instant, wall: Int64)?
    private var takenOver: RecordedOfflinePeriod?

    init(storage: any OfflinePeriodRecording) {
        self.storage = storage
    }

    /// The period that the last run left open, as an instant of this run's clock.
    mutating func takeOver(_ open: RecordedOfflinePeriod, startedAt: Instant) {
        named = (startedAt, open.start)
        takenOver = open
    }

    mutating func record(_ period: OfflinePeriod, wall: (Instant) -> Int64) {
        let isKnown = named?.start == period.start
        let start = isKnown ? (named?.wall ?? wall(period.start)) : wall(period.start)
        if !isKnown { takenOver = nil }
        let before = takenOver?.evidence ?? []
        let causes = Set(period.causes).union(takenOver?.causes ?? []).sorted()
        let evidence = before + period.evidence.filter { !before.contains($0) }
        named = period.end == nil ? (period.start, start) : nil
        storage.record(
            RecordedOfflinePeriod(
                start: start, end: period.end.map(wall), causes: causes, evidence: evidence))
        if period.end != nil { takenOver = nil }
    }
}
