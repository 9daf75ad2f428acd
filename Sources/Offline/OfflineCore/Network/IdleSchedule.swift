import Base

/// When an idle till pings and probes a network that works. Every response of the hub postpones both.
struct IdleSchedule: Hashable, Codable, Sendable {
    private(set) var nextPing: Instant
    private(set) var nextProbe: Instant
    /// Nanoseconds from a response to the next ping and probe, jitter included.
    private var pingSpan: Int64 = 0
    private var probeSpan: Int64 = 0
    /// The pending idle ping; its silence counts only if no response came after it was sent.
    private(set) var ping: UInt64?
    /// The hub probe of a suspicion that a ping has ended; its silence opens a suspicion that no ping ends.
    private(set) var trailingProbe: ProbeInFlight?

    init(
        trailingProbe: ProbeInFlight?, _ intervals: IdleIntervals, _ random: inout SplitMix64,
        at now: Instant
    ) {
        (nextPing, nextProbe) = (now, now)
        self.trailingProbe = trailingProbe
        drawSpans(intervals, &random)
        postpone(from: now)
    }

    /// When a working network is checked next.
    func deadline(isPinging: Bool) -> Instant {
        let next = isPinging ? min(nextPing, nextProbe) : nextProbe
        return trailingProbe.map { min(next, $0.failsAt) } ?? next
    }

    /// Whether the probe of the suspicion before got no response in its time.
    func trailingProbeFailed(at now: Instant) -> Bool {
        trailingProbe.map { now >= $0.failsAt } ?? false
    }

    /// The hub responded: nothing must be sent for one interval.
    mutating func responded(at now: Instant) {
        (ping, trailingProbe) = (nil, nil)
        postpone(from: now)
    }

    /// - Returns: whether a probe is due; the next one then waits for its interval.
    mutating func takeDueProbe(
        _ intervals: IdleIntervals, _ random: inout SplitMix64, at now: Instant
    ) -> Bool {
        guard now >= nextProbe else { return false }
        probeSpan = intervals.drawProbeSpan(&random)
        nextProbe = now.advanced(by: probeSpan)
        return true
    }

    /// - Returns: whether a ping is due; the next one then waits for its interval.
    mutating func takeDuePing(
        _ intervals: IdleIntervals, _ random: inout SplitMix64, at now: Instant
    ) -> Bool {
        guard now >= nextPing else { return false }
        pingSpan = intervals.drawPingSpan(&random)
        nextPing = now.advanced(by: pingSpan)
        return true
    }

    mutating func pingWasSent(_ tag: ProbeTag) { ping = tag.sequence }

    /// - Parameter redraw: new intervals, since this response was the first one on its path.
    mutating func pingResponded(
        redraw: IdleIntervals?, _ random: inout SplitMix64, at now: Instant
    ) {
        ping = nil
        if let redraw { drawSpans(redraw, &random) }
        nextPing = now.advanced(by: pingSpan)
    }

    /// - Returns: whether it was the pending one, after whose sending no response came.
    mutating func pingTimedOut(_ tag: ProbeTag) -> Bool {
        guard ping == tag.sequence else { return false }
        ping = nil
        return true
    }

    mutating func pingsAreUnavailable(
        _ intervals: IdleIntervals, _ random: inout SplitMix64, at now: Instant
    ) {
        ping = nil
        drawSpans(intervals, &random)
        nextProbe = min(nextProbe, now.advanced(by: probeSpan))
    }

    /// Brings the next probe, and the next ping if `pings`, to `now`.
    mutating func checkNow(pings: Bool, at now: Instant) {
        nextProbe = now
        if pings { nextPing = now }
    }

    /// Checks again at `moment`, once a changed path has settled.
    mutating func lookAgain(at moment: Instant) {
        (ping, trailingProbe) = (nil, nil)
        (nextPing, nextProbe) = (moment, moment)
    }

    /// Computes new random waits, because pings and probes change places as the frequent check. With the old
    /// waits an idle till would go unchecked for the longer of both.
    private mutating func drawSpans(_ intervals: IdleIntervals, _ random: inout SplitMix64) {
        pingSpan = intervals.drawPingSpan(&random)
        probeSpan = intervals.drawProbeSpan(&random)
    }

    private mutating func postpone(from now: Instant) {
        nextPing = now.advanced(by: pingSpan)
        nextProbe = now.advanced(by: probeSpan)
    }
}

/// The times between two checks of an idle network. Where pings get responses they are the frequent check
/// and probes are rare; elsewhere it is the reverse.
struct IdleIntervals {
    private let ping: Duration
    private let probe: Duration
    private let jitter: Int64

    init(_ settings: NetworkSettings, pingsWatch: Bool) {
        ping = pingsWatch ? settings.pingInterval : max(settings.pingInterval, settings.probeInterval)
        probe = pingsWatch ? settings.probeInterval : min(settings.pingInterval, settings.probeInterval)
        jitter = settings.intervalJitterPerMille
    }

    fileprivate func drawPingSpan(_ random: inout SplitMix64) -> Int64 {
        random.jittered(ping, perMille: jitter).wholeNanoseconds
    }

    fileprivate func drawProbeSpan(_ random: inout SplitMix64) -> Int64 {
        random.jittered(probe, perMille: jitter).wholeNanoseconds
    }
}
