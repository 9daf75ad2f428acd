/// Decides what of the outbox goes to the hub next, and when.
///
/// One thing is in hand at a time: a read, a request or a write. Rows go oldest first. The hub's trouble
/// holds the whole outbox back on one backoff; a lane's trouble holds back that lane alone. A row leaves only
/// when its verdict is durable. An event changes what is known, and ``proceed(at:)`` then takes up the next
/// thing, if nothing stands against it.
public struct OutboxMachine: Hashable, Sendable {
    let settings: OutboxSettings
    var generator: SplitMix64
    var window = OutboxWindow()
    var activity = Activity.resting
    var hubWait: RetryWait
    var storeWait: RetryWait
    /// The lanes in trouble. A lane leaves by a verdict of one of its rows.
    var keyWaits: [String: RetryWait] = [:]
    var pace: DrainPace?
    var halt: Halt?
    var isManualOffline: Bool
    var routeIsLost = false
    var linkIsDegraded = false
    var largePackets = LargePackets()
    var canaryIsWanted = false
    /// Asking the hub how far it has come is due. Ended by any answer that tells it.
    var checkInIsDue = false
    /// Verdicts so far of the `sync now` that runs; nil while none does.
    var syncedVerdicts: Int?
    /// How many rows the next request may hold; doubled with each that came through.
    var batchSize = 1
    /// When a push last met the hub's trouble.
    var lastTrouble: Instant?
    /// Whether a response to another call has brought an attempt forward since the hub last served a push.
    var hasTriedForResponse = false
    /// Forks of the journal since the hub last took something in.
    var forksInARow = 0

    /// What is in hand.
    enum Activity: Hashable, Sendable {
        /// Leaves to `loading` or `sending` when something may go.
        case resting
        /// Leaves to `resting`.
        case loading(fromStart: Bool)
        /// A request is in flight. Leaves to `writing` with what must be kept of its answer, else to
        /// `resting`.
        case sending(Shipment)
        /// Leaves to `resting` after the last write, to `rewriting` when one fails.
        case writing(OutboxWrite, then: [OutboxWrite])
        /// A write failed and its content is kept. Leaves to `writing` when the store's wait ends.
        case rewriting(OutboxWrite, then: [OutboxWrite])
    }

    struct Shipment: Hashable, Sendable {
        let ids: [String]
        let isCanary: Bool
    }

    /// Syncing stands still. Leaves at `retryAt` where there is one, by a person's or the route's event.
    struct Halt: Hashable, Sendable {
        let stop: DrainStop
        let retryAt: Instant?
    }

    /// - Parameters:
    ///   - seed: of the jitter; the same seed and events give the same effects.
    ///   - isManualOffline: whether the manual flag counts as set until the machine is told of it.
    public init(settings: OutboxSettings = OutboxSettings(), seed: UInt64, isManualOffline: Bool = false) {
        self.isManualOffline = isManualOffline
        self.settings = settings
        generator = SplitMix64(seed: seed)
        hubWait = RetryWait(settings)
        storeWait = RetryWait(settings)
    }

    public mutating func handle(_ event: OutboxEvent, at now: Instant) -> [OutboxEffect] {
        var effects: [OutboxEffect] = []
        switch event {
        case .rowAdded:
            window.expectMore()
            hubWait.tryAtOnce()
            storeWait.tryAtOnce()
        case .hubResponded(let toProbe): tryAgainSoon(afterProbe: toProbe, at: now)
        case .rowsChanged:
            window.invalidate()
            tryAllAtOnce()
        case .loaded(let entries, let reachedEnd): finishLoading(entries, reachedEnd: reachedEnd)
        case .pushFinished(let outcome): finishSending(outcome, at: now, &effects)
        case .written: finishWriting(&effects)
        case .storeFailed: failStore(at: now, &effects)
        case .routeLost: routeIsLost = true
        case .routeRestored:
            routeIsLost = false
            if case .signInNeeded? = halt?.stop { halt = nil }
            tryAllAtOnce()
        case .syncRequested: beginSync(at: now, &effects)
        case .checkInDue: checkInIsDue = true
        case .canaryRequested: canaryIsWanted = true
        case .canaryWithdrawn: canaryIsWanted = false
        case .manualOfflineChanged(let isOn): switchManual(isOn, &effects)
        case .linkQualityChanged(let isDegraded): linkIsDegraded = isDegraded
        case .pathMeasured(let largePass): largePackets.measured(largePass: largePass, at: now)
        case .paced(let resume): pace = DrainPace(resume, after: pace, at: now)
        case .identityRenewed:
            halt = nil
            window.invalidate()
            tryAllAtOnce()
        case .deadlineReached: break
        }
        proceed(at: now, &effects)
        return effects
    }

    /// When the machine acts next by itself; nil while it waits for an answer or has nothing to do.
    public var deadline: Instant? {
        switch activity {
        case .loading, .sending, .writing: return nil
        case .rewriting: return storeWait.until
        case .resting: break
        }
        guard !isManualOffline else { return nil }
        if let halt { return halt.retryAt }
        guard !routeIsLost, !window.isDrained else { return paceEnd }
        guard mustRead || !window.goingRows.isEmpty else { return nil }
        let whole = [hubWait.until, storeWait.until, pace?.next].compactMap { $0 }.max()
        guard !mustRead, let orderingKey = earliestKeyEnd else { return whole }
        return whole.map { max($0, orderingKey) } ?? orderingKey
    }

    /// Lets go of everything that only time holds back, what the hub told excepted.
    mutating func tryAllAtOnce() {
        hubWait.tryAtOnce()
        storeWait.tryAtOnce()
        for orderingKey in keyWaits.keys { keyWaits[orderingKey]?.tryAtOnce() }
    }

    /// A hub that responds to other calls is tried again soon, whatever step the backoff has reached.
    ///
    /// A failed push makes the terminal probe and ask QoS, and their good responses say nothing of pushes. So
    /// an attempt that failed all the same keeps the next of its kind ``responseGap`` away, and a probe
    /// brings none within ``probeGap`` of a failure: else the terminal would push and probe in a circle.
    private mutating func tryAgainSoon(afterProbe: Bool, at now: Instant) {
        guard let until = hubWait.until, until > now, !hubWait.isServerWait(at: now) else { return }
        var moment = now + generator.upTo(Self.soon)
        if let lastTrouble {
            if afterProbe, now < lastTrouble + Self.probeGap { return }
            if hasTriedForResponse { moment = max(moment, lastTrouble + Self.responseGap) }
        }
        guard moment < until else { return }
        hasTriedForResponse = true
        hubWait.bringNear(to: moment)
    }

    /// Within which a good response brings the next attempt (the contract allows 2 s). Spread, so that tills
    /// that hear of a hub's return at one moment do not all push at it; halved, they come twice as dense;
    /// doubled, it is the contract's limit.
    private static let soon = Duration.seconds(1)
    /// Between an attempt of this kind that failed and the next: with it a backlog is sent within 5 s of the
    /// hub's return. Halved, a hub in trouble gets twice the pushes; doubled, the 5 s are missed.
    private static let responseGap = Duration.seconds(4)
    /// How long after a failed push a good probe brings no attempt: longer than a confirmation round and its
    /// repetitions take, no longer than an idle till's interval between two looks at the hub.
    private static let probeGap = Duration.seconds(15)

    private mutating func switchManual(_ isOn: Bool, _ effects: inout [OutboxEffect]) {
        guard isOn != isManualOffline else { return }
        isManualOffline = isOn
        if isOn {
            endSync(.manualOffline, &effects)
            effects.append(.endAllWaits)
        } else {
            tryAllAtOnce()
        }
    }
}
