import Base
@testable import OfflineCore

/// A world around the machine in virtual time: it responds to pings, probes and QoS as set, and takes what
/// the machine sends. Worlds and states are strings, one character a step.
struct Bench {
    /// How the hub behaves.
    enum Hub: Character {
        /// It responds after 20 ms.
        case responses = "o"
        /// Nothing comes back; probes end at their timeout.
        case silent = "x"
        /// The connection is refused at once.
        case refuses = "r"
        /// A login page responds.
        case portal = "p"
        /// It responds 503.
        case unwell = "5"
    }

    enum Echo { case responded, lost, unavailable }

    var machine: OfflineMachine
    var now: Instant
    var hub = Hub.responses
    /// Nil: echoes get responses while the hub responds.
    var echo: Echo?
    var internetResponds = false
    /// Whether a push to a silent hub connects: it stalls after 3 s then, else it fails at its deadline only.
    var pushStalls = true
    /// How long a silent hub takes to respond to a probe; nil: it never responds.
    var probeTakes: Duration?
    /// The immediate result of every probe of the hub; nil: as the hub behaves.
    var probeResult: ProbeResult?
    var effects: [(at: Instant, effect: OfflineEffect)] = []
    private var queue: [(at: Instant, event: OfflineEvent)] = []

    static let start = Instant(nanoseconds: 1_000_000_000_000)
    static let push = APIRoute(method: "POST", template: "/v1/mutations")
    static let apis = CoreAPIs(
        services: [push: "order", APIRoute(method: "GET", template: "/v1/members"): "member"], core: ["order"]
    )
    static let ethernet = PathStatus(
        isUsable: true, interface: "eth0", transport: .ethernet, isMetered: false, isConstrained: false,
        route: "eth0 192.0.2.2 via 192.0.2.1")
    static let noPath = PathStatus(
        isUsable: false, interface: nil, transport: .unknown, isMetered: false, isConstrained: false,
        route: "")

    init(
        _ network: NetworkSettings = NetworkSettings(), startup: StartupState = StartupState(),
        seed: UInt64 = 1
    ) {
        now = Self.start
        machine = OfflineMachine(
            settings: OfflineSettings(network: network), apis: Self.apis, startup: startup, seed: seed,
            at: now)
    }

    /// A bench whose machine has a path and responses of the hub to probes and pings.
    static func reachable(
        _ network: NetworkSettings = NetworkSettings(), startup: StartupState = StartupState(),
        seed: UInt64 = 1, echo: Echo? = nil
    ) -> Bench {
        var bench = Bench(network, startup: startup, seed: seed)
        bench.echo = echo
        bench.feed(.pathChanged(ethernet))
        bench.run(for: .seconds(1))
        bench.feed(
            .pingFinished(bench.tag, echo == .unavailable ? .unavailable : .responded(roundTrip: .zero)))
        bench.effects = []
        return bench
    }

    /// A new tag of the present path id, of a probe that was not sent.
    var tag: ProbeTag { mutating get { machine.network.nextTag() } }
    var state: NetworkStatus.State { machine.status(at: now).network.state }
    var causes: [OfflineCause] { machine.causes }
    var evidence: [String] { machine.status(at: now).network.evidence }

    /// A sale's push over the open connection, with 10 s to succeed.
    mutating func push() {
        func finished(_ outcome: OutcomeClass, after wait: Duration) -> OfflineEvent {
            .requestFinished(
                RequestOutcome(
                    api: Self.push, outcome: outcome, startedAt: now,
                    firstByteAt: outcome == .success ? now + wait : nil, finishedAt: now + wait))
        }
        switch hub {
        case .responses, .unwell, .portal:
            later(.milliseconds(20), finished(.success, after: .milliseconds(20)))
        case .refuses: later(.milliseconds(1), finished(.network(.connect), after: .milliseconds(1)))
        case .silent:
            if pushStalls { later(.seconds(3), .requestStalled(Self.push, startedAt: now)) }
            let failure = OutcomeClass.network(pushStalls ? .silent : .connectTimeout)
            later(.seconds(10), finished(failure, after: .seconds(10)))
        }
    }

    mutating func feed(_ event: OfflineEvent) {
        for effect in machine.handle(event, at: now) {
            effects.append((now, effect))
            response(effect)
        }
    }

    /// Runs the world for `duration`.
    mutating func run(for duration: Duration) {
        let end = now + duration
        while let next = nextMoment, next <= end {
            now = max(now, next)
            if let index = queue.firstIndex(where: { $0.at <= now }) {
                feed(queue.remove(at: index).event)
            } else {
                feed(.deadlineReached)
            }
        }
        now = end
    }

    /// Plays one character of `world` a step and draws the state at each step's end: `-` reachable, `s`
    /// suspect, `D` unreachable, `B` silent hub, `U` coming back.
    ///
    /// - Parameter pushEvery: a push begins with every so many-th step, from the first on.
    mutating func play(_ world: String, step: Duration = .seconds(1), pushEvery: Int? = nil) -> String {
        String(
            world.enumerated().map { index, character in
                if let behaviour = Hub(rawValue: character) { hub = behaviour }
                if character == "|" { feed(.pathChanged(Self.noPath)) }
                if character == "_", machine.network.path.reported?.isUsable == false {
                    feed(.pathChanged(Self.ethernet))
                }
                if let pushEvery, index % pushEvery == 0, causes.isEmpty { push() }
                run(for: step)
                return letter
            })
    }

    /// Runs until the machine is in `state`; returns how long it took, nil if not within `limit`.
    mutating func time(until state: NetworkStatus.State, limit: Duration = .seconds(120)) -> Duration? {
        let began = now
        while now - began < limit {
            if self.state == state { return now - began }
            guard let next = nextMoment else { return nil }
            run(for: max(.zero, next - now))
        }
        return nil
    }

    var letter: Character {
        switch machine.network.phase {
        case .reachable: "-"
        case .suspect: "s"
        case .unreachable: "D"
        case .backendDown: "B"
        case .recovering: "U"
        }
    }

    var switches: [Mode] {
        effects.compactMap { if case .switchMode(let mode, _) = $0.effect { mode } else { nil } }
    }

    func sent(_ matches: (OfflineEffect) -> Bool) -> [Instant] {
        effects.filter { matches($0.effect) }.map(\.at)
    }

    private var nextMoment: Instant? {
        let response = queue.map(\.at).min()
        guard let deadline = machine.deadline else { return response }
        return response.map { min($0, deadline) } ?? deadline
    }

    private mutating func response(_ effect: OfflineEffect) {
        switch effect {
        case .sendPing(let tag, let timeout):
            switch echo ?? (hub == .responses || hub == .unwell ? .responded : .lost) {
            case .responded:
                later(.milliseconds(5), .pingFinished(tag, .responded(roundTrip: .milliseconds(5))))
            case .lost: later(timeout, .pingFinished(tag, .timedOut))
            case .unavailable: later(.zero, .pingFinished(tag, .unavailable))
            }
        case .sendProbe(let tag, .internet, let timeout):
            let result: ProbeResult =
                internetResponds ? .good(roundTrip: .milliseconds(9)) : .failed(.connectTimeout)
            later(internetResponds ? .milliseconds(9) : timeout, .probeFinished(tag, .internet, result))
        case .sendProbe(let tag, .hub, let timeout): probe(tag, timeout)
        case .queryQoS(let tag, _), .reportQoS(let tag, _): later(.seconds(1), .qosFailed(tag: tag))
        case .sendCanary(let tag, let service):
            later(.seconds(1), .canaryFinished(service: service, tag: tag, good: hub == .responses))
        case .saveManualFlag(_, let ticket): later(.milliseconds(3), .manualFlagSaved(ticket: ticket))
        case .confirmManual, .refuseManual, .paceResume, .saveLastRun, .recordPeriod,
            .switchMode,
            .announceStatus:
            break
        }
    }

    private mutating func probe(_ tag: ProbeTag, _ timeout: Duration) {
        if let probeResult { return later(.milliseconds(1), .probeFinished(tag, .hub, probeResult)) }
        switch hub {
        case .responses:
            later(.milliseconds(20), .probeFinished(tag, .hub, .good(roundTrip: .milliseconds(20))))
        case .silent where probeTakes.map { $0 < timeout } ?? false:
            let takes = probeTakes ?? .zero
            later(takes, .probeFinished(tag, .hub, .good(roundTrip: takes)))
        case .silent: later(timeout, .probeFinished(tag, .hub, .failed(.connectTimeout)))
        case .refuses: later(.milliseconds(1), .probeFinished(tag, .hub, .failed(.connect)))
        case .portal: later(.milliseconds(20), .probeFinished(tag, .hub, .portal(.redirect)))
        case .unwell:
            let result = ProbeResult.respondedBadly(status: 503, roundTrip: .milliseconds(20))
            later(.milliseconds(20), .probeFinished(tag, .hub, result))
        }
    }

    private mutating func later(_ wait: Duration, _ event: OfflineEvent) {
        queue.append((now + wait, event))
        queue.sort { $0.at < $1.at }
    }
}

extension OfflineEffect {
    var isHubProbe: Bool { if case .sendProbe(_, .hub, _) = self { true } else { false } }
    var isPing: Bool { if case .sendPing = self { true } else { false } }
}
