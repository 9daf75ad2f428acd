internal import OfflineCore

/// The real machine in a world without wires: simulated time, a drawn link, and sales at a steady pace.
///
/// What the machine asks for is answered as the link lets it; what it is told can be kept as a tape. The same
/// seed makes the same run.
struct SimulatedTill {
    private(set) var machine: OfflineMachine
    private(set) var now = Instant(nanoseconds: 0)
    private(set) var events = 0
    private(set) var activeProbes = 0
    /// When the mode changed, and into what.
    private(set) var switches: [(at: Instant, mode: Mode)] = []
    /// When the first push began that got no answer in time.
    private(set) var firstStall: Instant?
    /// Every event with its moment, while it is kept.
    private(set) var tape: [TapedEvent] = []
    private let keepsTape: Bool
    private let link: SimulatedLink
    private let saleInterval: Duration?
    private var nextSale: Instant
    private var random: SplitMix64
    /// What is on its way, the next first.
    private var coming: [TapedEvent] = []

    private static let push = APIRoute(method: "POST", template: "/v1/mutations")

    /// - Parameter saleInterval: time between pushes while online; nil: an idle till.
    init(link: SimulatedLink, saleInterval: Duration? = nil, seed: UInt64, keepsTape: Bool = false) {
        self.link = link
        self.saleInterval = saleInterval
        self.keepsTape = keepsTape
        random = SplitMix64(seed: seed)
        machine = Self.machine(tapedWith: seed)
        nextSale = now + (saleInterval ?? .zero)
        let path = PathStatus(
            isUsable: true, interface: "eth0", transport: .ethernet, isMetered: false, isConstrained: false,
            route: "eth0")
        tell(.pathChanged(path))
    }

    /// The machine that a run with `seed` starts from.
    static func machine(tapedWith seed: UInt64) -> OfflineMachine {
        OfflineMachine(
            settings: OfflineSettings(), apis: .standard, startup: StartupState(), seed: seed,
            at: Instant(nanoseconds: 0))
    }

    var mode: Mode { switches.last?.mode ?? .online }

    /// Lives until `end`, or until `isDone`.
    mutating func run(until end: Instant, unless isDone: (SimulatedTill) -> Bool = { _ in false }) {
        while !isDone(self) {
            let due = machine.deadline ?? end
            let arrival = coming.first?.at ?? end
            let sale = saleInterval == nil ? end : nextSale
            let next = min(due, min(arrival, sale))
            guard next < end else { return now = end }
            now = max(now, next)
            if arrival == next, !coming.isEmpty {
                tell(coming.removeFirst().event)
            } else if due == next {
                tell(.deadlineReached)
            } else {
                sell()
            }
        }
    }

    private mutating func tell(_ event: OfflineEvent) {
        events += 1
        if keepsTape { tape.append(TapedEvent(at: now, event: event)) }
        for effect in machine.handle(event, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: OfflineEffect) {
        switch effect {
        case .sendPing(let tag, let timeout): ping(tag, timeout: timeout)
        case .sendProbe(let tag, let target, let timeout): probe(tag, target, timeout: timeout)
        case .queryQoS(let tag, _), .reportQoS(let tag, _): askQoS(tag)
        case .sendCanary(let tag, let service):
            let end = finish(roundTrips: 1, timeout: .seconds(5))
            arrive(
                .canaryFinished(service: service, tag: tag, good: end != nil), at: end ?? now + .seconds(5))
        case .switchMode(let mode, _): switches.append((now, mode))
        case .saveManualFlag, .confirmManual, .refuseManual, .paceResume, .saveLastRun, .recordPeriod,
            .announceStatus:
            break
        }
    }

    private mutating func ping(_ tag: ProbeTag, timeout: Duration) {
        activeProbes += 1
        if link.answersPing, link.passes(at: now, using: &random) {
            let answer = PingResult.answered(roundTrip: SimulatedLink.roundTrip)
            arrive(.pingFinished(tag, answer), at: now + SimulatedLink.roundTrip)
        } else {
            arrive(.pingFinished(tag, .timedOut), at: now + timeout)
        }
    }

    /// Connect, TLS, request: three round trips.
    private mutating func probe(_ tag: ProbeTag, _ target: ProbeTarget, timeout: Duration) {
        activeProbes += 1
        if let end = finish(roundTrips: 3, connecting: true, timeout: timeout) {
            arrive(.probeFinished(tag, target, .good(roundTrip: end - now)), at: end)
        } else {
            arrive(.probeFinished(tag, target, .failed(.silent)), at: now + timeout)
        }
    }

    private mutating func askQoS(_ tag: UInt64) {
        if let end = finish(roundTrips: 1, timeout: .seconds(3)) {
            let answer = QoSAnswer(issuer: "simulated", decisions: [])
            arrive(.qosAnswered(answer, tag: tag, sentAt: now), at: end)
        } else {
            arrive(.qosFailed(tag: tag), at: now + .seconds(3))
        }
    }

    /// A push over the connection that stands: one round trip, 3 s of silence stall it, 10 s end it.
    private mutating func sell() {
        nextSale = nextSale + (saleInterval ?? .zero)
        guard mode == .online else { return }
        let end = finish(roundTrips: 1, timeout: .seconds(10))
        if end.map({ $0 - now > .seconds(3) }) ?? true {
            if firstStall == nil { firstStall = now }
            arrive(.requestStalled(Self.push, startedAt: now), at: now + .seconds(3))
        }
        let finished = end ?? now + .seconds(10)
        arrive(
            .requestFinished(
                RequestOutcome(
                    api: Self.push, outcome: end == nil ? .network(.silent) : .success, startedAt: now,
                    firstByteAt: end, finishedAt: finished)),
            at: finished)
    }

    private mutating func finish(
        roundTrips: Int, connecting: Bool = false, timeout: Duration
    ) -> Instant? {
        link.finish(of: roundTrips, connecting: connecting, from: now, timeout: timeout, using: &random)
    }

    private mutating func arrive(_ event: OfflineEvent, at moment: Instant) {
        let place = coming.firstIndex { $0.at > moment } ?? coming.endIndex
        coming.insert(TapedEvent(at: moment, event: event), at: place)
    }
}

/// An event and when it was told.
struct TapedEvent {
    let at: Instant
    let event: OfflineEvent
}
