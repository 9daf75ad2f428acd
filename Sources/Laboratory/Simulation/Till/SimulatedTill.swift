package import Base
package import OfflineCore

/// The real machine with simulated time, random or recorded links, and sales.
///
/// Responses come as the links allow. The events can be kept as a recording. A sale made while the till shows
/// online is pushed, and its cashier waits for the response within the budget. After a spent budget nobody
/// waits until a push gets its response inside it. Sales made offline are not pushed.
package struct SimulatedTill {
    /// The machine in its present state.
    package private(set) var machine: OfflineMachine
    /// The simulated time; it starts at the plan's.
    package private(set) var now: Instant
    /// Events that the machine has handled.
    package private(set) var events = 0
    /// Pings and probes that the machine sent; pushes and queries do not count.
    package private(set) var activeProbes = 0
    /// When the mode changed, and the new mode.
    package private(set) var switches: [(at: Instant, mode: Mode)] = []
    /// When the first request to the hub began that got no response in time: a probe, a query or a push.
    package private(set) var firstWithoutResponse: Instant?
    /// How long cashiers waited, all sales together.
    package private(set) var waiting = Duration.zero
    /// Every event with its moment, if events are kept.
    package private(set) var handled: [RecordedEvent] = []
    private let keepsEvents: Bool
    private let ways: Ways
    private let budget: Duration
    private var sales: SalePace
    private var nextSale: Instant?
    private var waitBudget = CashierWaitBudget()
    private var random: SplitMix64
    /// Pending events, the next first.
    private var coming: [RecordedEvent]

    static let push = APIRoute(method: "POST", template: "/v1/mutations")
    private static let query = APIRoute(method: "GET", template: "/v1/qos/decisions")

    /// Makes a till that has not run yet. By default no events are kept.
    package init(_ plan: TillPlan, keepsEvents: Bool = false) {
        machine = plan.machine
        now = plan.start
        ways = plan.ways
        budget = plan.budget
        sales = plan.sales
        self.keepsEvents = keepsEvents
        random = SplitMix64(seed: plan.seed)
        coming = plan.script
        nextSale = sales.first(from: now)
        if machine.causes.contains(.network) { switches.append((now, .offline)) }
    }

    /// The mode after the last switch; online before the first.
    package var mode: Mode { switches.last?.mode ?? .online }

    package mutating func run(until end: Instant, unless isDone: (SimulatedTill) -> Bool = { _ in false }) {
        while !isDone(self) {
            let due = machine.deadline ?? end
            let arrival = coming.first?.at ?? end
            let sale = nextSale ?? end
            let next = min(due, min(arrival, sale))
            guard next < end else { return now = end }
            now = max(now, next)
            if arrival == next, !coming.isEmpty {
                feed(coming.removeFirst().event)
            } else if due == next {
                feed(.deadlineReached)
            } else {
                nextSale = sales.next(after: sale)
                sell()
            }
        }
    }

    private mutating func feed(_ event: OfflineEvent) {
        events += 1
        if keepsEvents { handled.append(RecordedEvent(at: now, event: event)) }
        for effect in machine.handle(event, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: OfflineEffect) {
        switch effect {
        case .sendPing(let tag, let timeout): ping(tag, timeout: timeout)
        case .sendProbe(let tag, let target, let timeout): probe(tag, target, timeout: timeout)
        case .queryQoS(let tag, _), .reportQoS(let tag, _): queryQoS(tag)
        case .sendCanary(let tag, let service):
            let end = finish(roundTrips: 1, timeout: .seconds(5))
            arrive(
                .canaryFinished(service: service, tag: tag, good: end != nil), at: end ?? now + .seconds(5))
        case .switchMode(let mode, _): switches.append((now, mode))
        case .saveManualFlag, .confirmManual, .refuseManual, .paceResume, .saveLastRun,
            .recordPeriod,
            .announceStatus:
            break
        }
    }

    private mutating func ping(_ tag: ProbeTag, timeout: Duration) {
        activeProbes += 1
        let roundTrip = ways.echo.roundTrip(at: now)
        if ways.echo.respondsToPing, roundTrip < timeout, ways.echo.echoPasses(at: now, using: &random) {
            arrive(.pingFinished(tag, .responded(roundTrip: roundTrip)), at: now + roundTrip)
        } else {
            arrive(.pingFinished(tag, .timedOut), at: now + timeout)
        }
    }

    /// Connect, TLS, request: three round trips.
    private mutating func probe(_ tag: ProbeTag, _ target: ProbeTarget, timeout: Duration) {
        activeProbes += 1
        let way = target == .hub ? ways.hub : ways.internet
        let end = way.finish(of: 3, connecting: true, from: now, timeout: timeout, using: &random)
        if let end {
            arrive(.probeFinished(tag, target, .good(roundTrip: end - now)), at: end)
        } else {
            if target == .hub { noteMissingResponses() }
            arrive(.probeFinished(tag, target, .failed(.silent)), at: now + timeout)
        }
    }

    private mutating func queryQoS(_ tag: UInt64) {
        if let end = finish(roundTrips: 1, timeout: .seconds(3)) {
            let response = QoSResponse(issuer: "simulated", decisions: [])
            arrive(.qosResponded(response, tag: tag, sentAt: now), at: end)
            arrive(finished(Self.query, .success, firstByteAt: end, at: end), at: end)
        } else {
            noteMissingResponses()
            let end = now + .seconds(3)
            arrive(.qosFailed(tag: tag), at: end)
            arrive(finished(Self.query, .network(.silent), firstByteAt: nil, at: end), at: end)
        }
    }

    private func finished(
        _ api: APIRoute, _ outcome: OutcomeClass, firstByteAt: Instant?, at end: Instant
    ) -> OfflineEvent {
        .requestFinished(
            RequestOutcome(
                api: api, outcome: outcome, startedAt: now, firstByteAt: firstByteAt, finishedAt: end))
    }

    /// A push over the open connection: one round trip, 3 s of silence stall it, 10 s end it.
    private mutating func sell() {
        guard mode == .online else { return }
        let end = finish(roundTrips: 1, timeout: .seconds(10))
        wait(untilPushIsBack: end.map { $0 - now })
        if end.map({ $0 - now > .seconds(3) }) ?? true {
            noteMissingResponses()
            arrive(.requestStalled(Self.push, startedAt: now), at: now + .seconds(3))
        }
        let finished = end ?? now + .seconds(10)
        let outcome = end == nil ? OutcomeClass.network(.silent) : .success
        arrive(self.finished(Self.push, outcome, firstByteAt: end, at: finished), at: finished)
    }

    private mutating func noteMissingResponses() { firstWithoutResponse = firstWithoutResponse ?? now }

    private mutating func wait(untilPushIsBack elapsed: Duration?) {
        waiting += waitBudget.wait(forPushOf: elapsed, budget)
    }

    private mutating func finish(roundTrips: Int, timeout: Duration) -> Instant? {
        ways.hub.finish(of: roundTrips, connecting: false, from: now, timeout: timeout, using: &random)
    }

    private mutating func arrive(_ event: OfflineEvent, at moment: Instant) {
        let place = coming.firstIndex { $0.at > moment } ?? coming.endIndex
        coming.insert(RecordedEvent(at: moment, event: event), at: place)
    }
}
