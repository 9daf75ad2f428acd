import Base
import Testing

@testable import OfflineCore

/// Walks every combination of the three causes that a world of hub, network, QoS and person can bring about.
@Suite("State space of the three causes")
struct CauseSpaceTests {
    @Test(
        "Offline holds exactly while a cause does, in all eight combinations and on every transition"
    )
    func walk() {
        var walker = CauseWalker()
        walker.walk()
        #expect(walker.complaints == [])
        #expect(walker.causes.count == 8)
        #expect(walker.states > 40)
    }
}

/// What can happen next, in steps long enough for a detector to decide.
private enum Turn: CaseIterable {
    case hubResponses, hubFallsSilent, hubRefuses, portalResponses
    case internetResponds, internetFallsSilent
    case pathLost, pathBack
    case qosSaysFaulty, qosSaysHealthy, qosFallsSilent
    case ordersFail, personGoesOffline, personComesBack, diskFills, diskRecovers
    case secondPasses, minutePasses, suspends
}

private struct World {
    var machine: OfflineMachine
    var now = Bench.start
    var hub = Bench.Hub.responses
    var internet = true
    var qos: ServiceDecision.State? = .healthy
    var diskIsFull = false
    /// The manual flag on disk, separate from the machine.
    var flagOnDisk = false
    var wanted = false
    var generation: Int64 = 0
    var lastWell = Bench.start
    var queue: [(at: Instant, event: OfflineEvent)] = []
}

private struct CauseWalker {
    private(set) var complaints: [String] = []
    private(set) var causes: Set<[OfflineCause]> = []
    private var visited: Set<[String]> = []
    private var frontier: [World] = []

    var states: Int { visited.count }

    init() {
        let network = NetworkSettings(probesInternet: true)
        let settings = OfflineSettings(
            network: network, service: ServiceSettings(consecutiveFailures: 2, lease: .seconds(30)))
        let machine = OfflineMachine(
            settings: settings, apis: Bench.apis, startup: StartupState(), seed: 3, at: Bench.start)
        push(World(machine: machine))
    }

    mutating func walk() {
        while let world = frontier.popLast(), complaints.isEmpty {
            for turn in Turn.allCases {
                var next = world
                next.take(turn) { complaints.append("\(turn): \($0)") }
                push(next)
            }
        }
    }

    private mutating func push(_ world: World) {
        causes.insert(world.machine.causes)
        if visited.insert(world.key).inserted { frontier.append(world) }
    }
}

extension World {
    /// A short key: the state of the world, and the status of the machine.
    fileprivate var key: [String] {
        let status = machine.status(at: now)
        return [
            "\(hub)\(internet)", qos?.rawValue ?? "silent", "\(diskIsFull)\(flagOnDisk)",
            "\(machine.network.path.isLost)", "\(status.causes)", status.network.state.rawValue,
            status.services.filter(\.isCore).map(\.state.rawValue).joined(),
        ]
    }

    fileprivate mutating func take(_ turn: Turn, complain: (String) -> Void) {
        var wait = Duration.seconds(15)
        switch turn {
        case .hubResponses: hub = .responses
        case .hubFallsSilent: hub = .silent
        case .hubRefuses: hub = .refuses
        case .portalResponses: hub = .portal
        case .internetResponds: internet = true
        case .internetFallsSilent: internet = false
        case .pathLost: feed(.pathChanged(Bench.noPath), complain)
        case .pathBack: feed(.pathChanged(Bench.ethernet), complain)
        case .qosSaysFaulty: say(.faulty)
        case .qosSaysHealthy: say(.healthy)
        case .qosFallsSilent: qos = nil
        case .ordersFail: for _ in 0..<3 { feed(.requestFinished(failure), complain) }
        case .personGoesOffline: switchManual(ManualFlag(since: 0, by: nil, reason: nil), complain)
        case .personComesBack: switchManual(nil, complain)
        case .diskFills: diskIsFull = true
        case .diskRecovers: diskIsFull = false
        case .secondPasses: wait = .seconds(1)
        case .minutePasses: wait = .seconds(60)
        case .suspends: feed(.clockGapObserved(.seconds(3_600)), complain)
        }
        run(for: wait, complain)
    }

    private mutating func say(_ state: ServiceDecision.State) {
        qos = state
        generation += 1
    }

    private mutating func switchManual(_ flag: ManualFlag?, _ complain: (String) -> Void) {
        feed(.manualRequested(ManualRequest(ticket: 1, flag: flag)), complain)
    }

    private var failure: RequestOutcome {
        RequestOutcome(
            api: Bench.push, outcome: .service(.status(503)), startedAt: now, firstByteAt: now,
            finishedAt: now)
    }

    private mutating func run(for duration: Duration, _ complain: (String) -> Void) {
        let end = now + duration
        while true {
            queue.sort { $0.at < $1.at }
            let deadline = machine.deadline ?? end
            let next = min(queue.first?.at ?? deadline, deadline)
            guard next <= end else { break }
            now = max(now, next)
            if let first = queue.first, first.at <= now {
                queue.removeFirst()
                feed(first.event, complain)
            } else {
                feed(.deadlineReached, complain)
            }
        }
        now = end
    }

    private mutating func feed(_ event: OfflineEvent, _ complain: (String) -> Void) {
        let wasNetwork = machine.network.networkCauseHolds
        let wasOffline = !machine.causes.isEmpty
        if case .manualFlagSaved = event { flagOnDisk = wanted }
        let effects = machine.handle(event, at: now)
        for effect in effects { response(effect) }
        switch machine.network.phase {
        case .reachable, .backendDown, .recovering: lastWell = now
        case .suspect(let suspicion): if suspicion.isVerifying { lastWell = now }
        case .unreachable: break
        }
        let causes = machine.causes
        if causes.contains(.manual) != flagOnDisk { complain("the manual cause is not what lies on disk") }
        if (machine.status(at: now).mode == .offline) == causes.isEmpty { complain("mode without cause") }
        let switched = effects.contains { if case .switchMode = $0 { true } else { false } }
        if switched != (wasOffline == causes.isEmpty) { complain("wrong switch announced") }
        if machine.network.networkCauseHolds, !wasNetwork, now - lastWell < .seconds(5) {
            complain("confirmed after \(now - lastWell)")
        }
        if machine.deadline.map({ $0 - now > .seconds(330) }) ?? true { complain("no deadline") }
    }

    private mutating func response(_ effect: OfflineEffect) {
        switch effect {
        case .saveManualFlag(let flag, let ticket):
            wanted = flag != nil
            let full = ManualFlagError.notDurable(path: "flag", call: "fsync", code: 28)
            later(
                1, diskIsFull ? .manualFlagSaveFailed(ticket: ticket, full) : .manualFlagSaved(ticket: ticket)
            )
        case .sendPing(let tag, _):
            let responses = hub == .responses
            later(
                responses ? 2 : 1_000,
                .pingFinished(tag, responses ? .responded(roundTrip: .zero) : .timedOut))
        case .sendProbe(let tag, .internet, _):
            let result: ProbeResult = internet ? .good(roundTrip: .zero) : .failed(.connectTimeout)
            later(internet ? 9 : 3_000, .probeFinished(tag, .internet, result))
        case .sendProbe(let tag, .hub, _):
            switch hub {
            case .responses, .unwell: later(9, .probeFinished(tag, .hub, .good(roundTrip: .zero)))
            case .silent: later(3_000, .probeFinished(tag, .hub, .failed(.silent)))
            case .refuses: later(1, .probeFinished(tag, .hub, .failed(.connect)))
            case .portal: later(9, .probeFinished(tag, .hub, .portal(.redirect)))
            }
        case .queryQoS(let tag, _), .reportQoS(let tag, _):
            guard let qos else { return later(3_000, .qosFailed(tag: tag)) }
            let decision = ServiceDecision(
                service: "order", state: qos, scope: .global, generation: generation, reason: nil,
                source: .reports, validity: .seconds(90), pollAfter: .seconds(5), resume: nil)
            let response = QoSResponse(issuer: nil, decisions: [decision])
            later(9, .qosResponded(response, tag: tag, sentAt: now))
        case .sendCanary(let tag, let service):
            let isGood = hub == .responses && qos != .faulty
            later(50, .canaryFinished(service: service, tag: tag, good: isGood))
        case .confirmManual, .refuseManual, .paceResume, .saveLastRun, .recordPeriod,
            .switchMode,
            .announceStatus:
            break
        }
    }

    private mutating func later(_ milliseconds: Int64, _ event: OfflineEvent) {
        queue.append((now + .milliseconds(milliseconds), event))
    }
}
