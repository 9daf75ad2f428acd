/// What was last told of the machine: the causes, the mode's beginning, the open offline period.
struct StatusDigest: Hashable, Codable, Sendable {
    /// All that a status shows, cheap to compare.
    struct Face: Hashable, Codable, Sendable {
        let network: UInt64
        let evidence: UInt64
        let manual: UInt64
        let account: AccountState
        let throttledUntil: Instant?
        let isDegraded: Bool
        let failing: ConnectivitySnapshot.Reason?
        /// While this stands still, so does what the services show.
        var services: UInt64
    }

    /// Nil until the first event: the first one tells everything.
    private(set) var face: Face?
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

    /// Takes what is to be shown from now on.
    ///
    /// - Returns: whether any of it is news.
    mutating func show(_ next: Face, services shown: [ServiceStatus]) -> Bool {
        var last = face
        last?.services = next.services
        let isNews = last != next || services != shown
        face = next
        services = shown
        return isNews
    }

    /// Takes over what holds at the start: an offline period that was open goes on.
    mutating func begin(causes: [OfflineCause]) {
        self.causes = causes
        if !causes.isEmpty { since = offlineSince ?? since }
    }

    /// Brings causes and period up to date.
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

extension OfflinePeriod {
    func ending(at end: Instant) -> OfflinePeriod {
        OfflinePeriod(start: start, end: end, causes: causes, evidence: evidence)
    }

    /// With what holds now added; what was seen first is kept when there is too much.
    func merging(causes more: [OfflineCause], evidence seen: [String], limit: Int) -> OfflinePeriod {
        var words = evidence
        for word in seen where words.count < limit && !words.contains(word) { words.append(word) }
        let held = Set(causes).union(more).sorted()
        return OfflinePeriod(start: start, end: end, causes: held, evidence: words)
    }
}
