public import Base

/// Decides over which of two ways the terminal reaches its hub: the main one, which the kernel's routes
/// prefer, or the one that stands by.
///
/// The standby is used only once the fault of the main path is confirmed, which the network detector alone
/// decides. One rule leads both ways: the path that is not in use is probed. While the one in use is
/// confirmed as faulty, one good probe of the other is enough to change over; the detector then verifies it
/// as it does every path that has changed. While the standby works, the main path has to be good three times
/// in a row.
///
/// Where nothing stands by, or the main path works, nothing is probed and nothing is due.
public struct StandbyMachine: Machine, Hashable, Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// What the kernel has now, at first and after each change.
        case pathsChanged(HubPaths)
        /// The state of the network detector, which watches the path in use.
        case networkChanged(NetworkStatus.State)
        /// The probe `tag` has ended; `isGood`: the verified hub responded.
        case probeFinished(tag: UInt64, isGood: Bool)
        case deadlineReached
    }

    /// What is to be done.
    public enum Effect: Hashable, Sendable {
        /// Send everything over this path from now on.
        case use(HubPath)
        /// Probe the hub over a path that is not in use.
        case probe(tag: UInt64, HubPath)
    }

    private enum Probing: Hashable, Sendable {
        case none
        case waiting(until: Instant)
        case pending(tag: UInt64, failsAt: Instant)
    }

    /// Nil before the kernel's first report.
    private var paths: HubPaths?
    /// Nil before the detector's first report.
    private var network: NetworkStatus.State?
    /// Nothing is probed before: a fault that the last run found is one of now only when the detector's own
    /// first probe has failed as well.
    private var earliest: Instant?
    private var isOnStandby = false
    private var probing = Probing.none
    private var lastTag: UInt64 = 0
    /// Good probes of the main path in a row.
    private var goods = 0
    /// Probes without success since the network was reachable.
    private var failures = 0
    /// When the main path was used again after the standby, in the last ``flapWindow``.
    private var returns: [Instant] = []

    /// How long a probe may take: a modem that sleeps needs seconds for its first packet. Halved, such a
    /// standby is found at the second probe; doubled, one that is dark is tried half as often.
    public static let probeTimeout = Duration.seconds(5)
    /// The first wait after a probe that failed while the path in use is faulty; it doubles. Halved, a dark
    /// standby costs twice the bytes of its first half minute; doubled, one that attaches late waits longer.
    static let firstWait = Duration.seconds(5)
    /// The longest such wait. Halved, a day's outage costs a metered standby twice its 9 MB of handshakes;
    /// doubled, a standby that comes up is used a minute later.
    static let longestWait = Duration.seconds(60)
    /// Between probes of a main path that is still bad while the standby works. Halved, it costs the hub two
    /// probes more a minute; doubled, a metered standby is used for half a minute longer.
    static let mainInterval = Duration.seconds(30)
    /// Between the probes that confirm a main path that is good again, doubled by each return of the last ten
    /// minutes. Halved, a path that works for 10 s is returned to; doubled, the return takes 40 s.
    static let confirmationInterval = Duration.seconds(10)
    /// So many good probes in a row confirm it: one of three that fails keeps a path with losses out.
    static let confirmations = 3
    /// As the detector's window for flaps.
    static let flapWindow = Duration.seconds(600)
    /// Up to this many returns count: the confirmation takes 320 s then. With one more, a main path that is
    /// well again would wait for eleven minutes.
    static let countedReturns = 4
    /// How late the result of a probe may be before it counts as lost.
    private static let resultDelay = Duration.seconds(1)

    /// Nothing is known yet: the main path is used as soon as the kernel reports it.
    public init() {}

    /// The path that everything is sent over; nil before the kernel's first report.
    public var inUse: HubPath? { isOnStandby ? paths?.standby : paths?.main }

    /// The interface of the main path; nil where no route leads to the hub.
    public var mainInterface: String? { paths?.main.status.interface }

    /// When the next probe is due or the pending one counts as failed; nil while nothing is probed.
    public var deadline: Instant? {
        switch probing {
        case .none: nil
        case .waiting(let until): until
        case .pending(_, let failsAt): failsAt
        }
    }

    /// Handles one event at the moment `now`, never earlier than the one before.
    ///
    /// - Returns: the effects to perform, in order.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        let before = inUse
        var effects: [Effect] = []
        switch event {
        case .pathsChanged(let next): pathsChanged(next, at: now)
        case .networkChanged(let state): networkChanged(state, at: now)
        case .probeFinished(let tag, let isGood):
            guard case .pending(tag, _) = probing else { break }
            probeEnded(isGood: isGood, at: now)
        case .deadlineReached: deadlineReached(at: now, &effects)
        }
        if let path = inUse, path != before { effects.insert(.use(path), at: 0) }
        return effects
    }

    /// The path that is to be probed: the one that is not in use, where a response over it could change that.
    private var candidate: HubPath? {
        guard let paths else { return nil }
        if isOnStandby { return paths.main.status.isUsable ? paths.main : nil }
        return isFaulty ? paths.standby : nil
    }

    /// Whether the fault of the path in use is confirmed.
    private var isFaulty: Bool {
        switch network {
        case .unreachable: true
        case .reachable, .suspect, .recovering, nil: false
        }
    }

    private mutating func pathsChanged(_ next: HubPaths, at now: Instant) {
        let before = candidate
        paths = next
        if isOnStandby, next.standby == nil { isOnStandby = false }
        guard candidate != before else { return }
        goods = 0
        probe(at: now)
    }

    private mutating func networkChanged(_ state: NetworkStatus.State, at now: Instant) {
        guard state != network else { return }
        let wasFaulty = isFaulty
        if network == nil { earliest = now + Self.firstWait }
        network = state
        if state == .reachable { failures = 0 }
        guard isFaulty != wasFaulty else { return }
        // The main path of a standby that has begun to work is not urgent any more.
        probe(at: isFaulty ? now : now + Self.mainInterval)
    }

    /// Probes the path that is not in use at `moment`, if there is one to probe.
    private mutating func probe(at moment: Instant) {
        probing = candidate == nil ? .none : .waiting(until: max(moment, earliest ?? moment))
    }

    private mutating func deadlineReached(at now: Instant, _ effects: inout [Effect]) {
        switch probing {
        case .none: break
        case .waiting(let until):
            guard now >= until, let candidate else { return }
            lastTag += 1
            probing = .pending(tag: lastTag, failsAt: now + Self.probeTimeout + Self.resultDelay)
            effects.append(.probe(tag: lastTag, candidate))
        case .pending(_, let failsAt):
            guard now >= failsAt else { return }
            probeEnded(isGood: false, at: now)
        }
    }

    private mutating func probeEnded(isGood: Bool, at now: Instant) {
        guard isGood else {
            goods = 0
            failures += 1
            return probe(at: now + (isFaulty ? faultWait : Self.mainInterval))
        }
        goods += 1
        guard isFaulty || goods >= Self.confirmations else {
            return probe(at: now + confirmationWait(at: now))
        }
        changeOver(at: now)
    }

    /// The network's state is still that of the path before, until the detector has probed this one.
    private mutating func changeOver(at now: Instant) {
        if isOnStandby { returns.append(now) }
        isOnStandby.toggle()
        goods = 0
        failures += 1
        probe(at: now + faultWait)
    }

    private var faultWait: Duration {
        var wait = Self.firstWait
        for _ in 1..<max(1, min(failures, 8)) where wait < Self.longestWait { wait = wait * 2 }
        return min(wait, Self.longestWait)
    }

    private mutating func confirmationWait(at now: Instant) -> Duration {
        returns.removeAll { now - $0 > Self.flapWindow }
        var wait = Self.confirmationInterval
        for _ in 0..<min(returns.count, Self.countedReturns) { wait = wait * 2 }
        return wait
    }
}
