import Base

/// The hub responds again: three good probes of four, and T2, before the network counts as reachable.
struct Recovery: Hashable, Codable, Sendable {
    /// Where the probes so far lead.
    enum Course: Hashable, Sendable {
        case undecided
        case complete
        /// Three of the last four probes were bad.
        case failed
    }

    /// The last four probes, the newest in the lowest bit, set when good.
    private(set) var results: UInt8 = 1
    /// How many of them were sent, at most four.
    private(set) var made = 1
    let holdEnds: Instant
    private var nextProbe: Instant
    /// The pending probe.
    private(set) var probe: ProbeInFlight?
    /// The `service` cause of a silent hub holds, else the `network` cause.
    let isBackendDown: Bool

    /// The response that begins it counts as the first good probe.
    ///
    /// - Parameter hold: T2.
    init(hold: Duration, isBackendDown: Bool, _ settings: NetworkSettings, at now: Instant) {
        holdEnds = now + hold
        nextProbe = now + settings.recoveryProbeInterval
        self.isBackendDown = isBackendDown
    }

    var deadline: Instant {
        let step = probe?.failsAt ?? nextProbe
        return good >= 3 ? min(step, holdEnds) : step
    }

    func course(at now: Instant) -> Course {
        if good >= 3, now >= holdEnds || PlantedBug.recoveryWithoutHold.isPlanted { return .complete }
        return made - good >= 3 ? .failed : .undecided
    }

    func awaits(_ tag: ProbeTag) -> Bool { probe?.sequence == tag.sequence }

    /// The pending probe has ended.
    mutating func probeEnded(good isGood: Bool) {
        probe = nil
        results = (results << 1 | (isGood ? 1 : 0)) & 0b1111
        made = min(4, made + 1)
    }

    /// A person requests a retry: the next probe is due now, unless one is pending.
    mutating func retry(at now: Instant) {
        if probe == nil { nextProbe = now }
    }

    /// Counts a pending probe whose time is over as bad, and sends the next one when it is due.
    mutating func advance(
        _ settings: NetworkSettings, _ probes: inout ProbeNumbers, at now: Instant,
        _ effects: inout [NetworkEffect]
    ) {
        if let probe, now >= probe.failsAt { probeEnded(good: false) }
        guard probe == nil, now >= nextProbe else { return }
        let tag = probes.next()
        effects.append(.sendProbe(tag, .hub, timeout: settings.probeTimeout))
        probe = ProbeInFlight(
            sequence: tag.sequence, failsAt: now + settings.probeTimeout + settings.clockTolerance)
        nextProbe = now + settings.recoveryProbeInterval
    }

    private var good: Int { results.nonzeroBitCount }
}

/// When faults of the network were confirmed lately; repeated flaps lengthen the recovery hold.
struct FlapHistory: Hashable, Codable, Sendable {
    /// Enough to reach the longest hold from any allowed one.
    private static let capacity = 16
    private var confirmations: [Instant] = []

    mutating func note(at now: Instant) {
        if confirmations.count == Self.capacity { confirmations.removeFirst() }
        confirmations.append(now)
    }

    /// T2, half as long again for each confirmed fault beyond two within the window, up to the cap.
    func hold(at now: Instant, settings: NetworkSettings) -> Duration {
        let since = now - settings.flapWindow
        let recent = confirmations.count { $0 > since }
        var hold = settings.recoveryHold
        for _ in 0..<max(0, recent - 2) {
            hold = min(settings.recoveryHoldCap, hold + hold / 2)
        }
        return hold
    }
}
