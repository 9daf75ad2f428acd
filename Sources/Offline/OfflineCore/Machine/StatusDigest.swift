import Base

/// What the machine published last: the causes, when the mode began, the open offline period.
struct StatusDigest: Hashable, Codable, Sendable {
    /// Revision numbers of everything that a status shows, cheap to compare.
    struct Revisions: Hashable, Codable, Sendable {
        let network: UInt64
        let evidence: UInt64
        let manual: UInt64
        let delivery: DeliveryState
        let throttledUntil: Instant?
        let isDegraded: Bool
        let failing: ConnectivitySnapshot.Reason?
        /// While this does not change, neither does what the services show.
        var services: UInt64
    }

    /// Nil until the first event, which publishes everything.
    private(set) var revisions: Revisions?
    private var services: [ServiceStatus] = []
    private(set) var causes: [OfflineCause] = []
    /// When the present mode began.
    private(set) var since: Instant
    /// Nil while online.
    private(set) var period: OfflinePeriod?
    private static let evidenceCapacity = 16

    private let offlineSince: Instant?

    init(startedAt now: Instant, offlineSince: Instant?) {
        since = now
        self.offlineSince = offlineSince
    }

    var mode: Mode { causes.isEmpty ? .online : .offline }

    /// Stores the revisions and the services that are published from now on.
    ///
    /// - Returns: whether any of it has changed.
    mutating func takeRevisions(_ next: Revisions, services shown: [ServiceStatus]) -> Bool {
        var last = revisions
        last?.services = next.services
        let hasChanged = last != next || services != shown
        revisions = next
        services = shown
        return hasChanged
    }

    /// Sets the causes that hold at the start: an offline period that was open continues.
    mutating func begin(causes: [OfflineCause]) {
        self.causes = causes
        if !causes.isEmpty { since = offlineSince ?? since }
    }

    /// Updates causes and period.
    mutating func update(
        causes: [OfflineCause], evidence: [String], at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        let was = mode
        self.causes = causes
        if was != mode { since = now }
        switch (period, mode) {
        case (nil, .online): break
        case (nil, .offline):
            let empty = OfflinePeriod(start: since, end: nil, causes: [], evidence: [])
            open(
                empty.merging(causes: causes, evidence: evidence, limit: Self.evidenceCapacity), &effects)
        case (let running?, .offline):
            let merged = running.merging(causes: causes, evidence: evidence, limit: Self.evidenceCapacity)
            if merged != running { open(merged, &effects) }
        case (let running?, .online):
            period = nil
            effects.append(.recordPeriod(running.ending(at: now)))
        }
        if was != mode { effects.append(.switchMode(to: mode, causes: causes)) }
    }

    private mutating func open(_ next: OfflinePeriod, _ effects: inout [OfflineEffect]) {
        period = next
        effects.append(.recordPeriod(next))
    }
}
