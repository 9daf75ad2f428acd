import Base
import Foundation
import Testing

@testable import OfflineCore

/// Walks every state that the network cause can reach, in a world with steps of one second.
///
/// Two states count as one when they differ only in counters and in moments long past. In each state every
/// event that could come next is tried: each result of what is pending, path changes, requests that
/// fail, stall and succeed, a person's retry, suspension, the timer on time and late. The other two
/// causes are walked together with it, in larger steps, by ``CauseSpaceTests``.
@Suite("State space of the network cause")
struct StateSpaceTests {
    @Test(
        "Offline holds exactly while a cause does, T1 is kept, and no state is permanent",
        arguments: [false, true])
    func walk(probesInternet: Bool) throws {
        var walker = Walker(probesInternet: probesInternet)
        walker.walk()
        let (isComplete, complaints) = (walker.isComplete, walker.complaints)
        #expect(isComplete, "the walk ended before the state space did")
        #expect(complaints == [])
        let phases = walker.seenPhases.map(String.init).sorted().joined()
        #expect(phases == "-BDUs")
        let drawn = try Self.drawnSteps()
        #expect(walker.seenSteps.subtracting(drawn).sorted() == [], "docs/concepts/idea.md lacks them")
        // The walk with two probed addresses reaches every phase in every way that there is.
        if probesInternet {
            #expect(drawn.subtracting(walker.seenSteps).sorted() == [], "no machine takes them")
        }
    }

    /// The arrows of the diagram in docs/concepts/idea.md.
    private static func drawnSteps() throws -> Set<String> {
        let page = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs/concepts/idea.md")
        let text = try String(contentsOf: page.standardized, encoding: .utf8)
        let diagram = try #require(
            text.components(separatedBy: "```mermaid\n").last?.components(separatedBy: "```").first)
        let arrows = diagram.matches(of: #/(\w+) --> (\w+)/#)
        return Set(arrows.map { "\($0.1) --> \($0.2)" })
    }
}

/// One state with its pending results.
private struct Node {
    var machine: OfflineMachine
    var now: Instant
    /// Pending pings, probes, queries and canaries.
    var owed: [OfflineEffect] = []
    /// When the last success ended a run of failures, or the last verification began.
    var lastWell: Instant
    /// Since when HTTP has failed without a verified response, watched without a break on one path.
    var darkSince: Instant?

    /// Records what `event` shows of the hub's responses; `before` is the machine before it.
    mutating func noteHub(_ event: OfflineEvent, before: OfflineMachine) {
        switch event {
        case .requestFinished(let request):
            if request.outcome == .success { darkSince = nil } else { darkSince = darkSince ?? now }
        case .requestStalled: darkSince = darkSince ?? now
        case .probeFinished(let tag, .hub, let result) where tag.epoch == before.network.probes.epoch:
            if case .good = result { darkSince = nil }
            // A probe from before the last response is no evidence on the time after it.
            if case .failed = result, tag.sequence > before.network.probes.voidThrough {
                darkSince = darkSince ?? now
            }
        case .pathChanged, .clockGapObserved: darkSince = nil
        case .deadlineReached:
            // Time that nobody watched confirms no fault.
            if let due = before.deadline, now - due > .seconds(1) { darkSince = nil }
        default: break
        }
        if machine.network.probes.epoch != before.network.probes.epoch || !machine.causes.isEmpty {
            darkSince = nil
        }
    }
}

private struct Walker {
    static let t1 = Duration.seconds(2)
    /// A confirmation round, with the settling of a path and the second that a timer may be late.
    static let round = Duration.seconds(4)
    private(set) var complaints: [String] = []
    private(set) var seenPhases: Set<Character> = []
    /// `reachable --> suspect`: every change of the phase that an event made.
    private(set) var seenSteps: Set<String> = []
    private(set) var isComplete = false
    private var visited: Set<[Int64]> = []
    private var frontier: [Node] = []
    private let limit = 60_000

    init(probesInternet: Bool) {
        let network = NetworkSettings(
            debounce: Self.t1, pathDebounce: Self.t1, pingInterval: .seconds(2), pingTimeout: .seconds(1),
            roundPings: probesInternet ? [] : [.zero], probeInterval: .seconds(2), probeTimeout: .seconds(1),
            intervalJitterPerMille: 0, outageProbeFirst: .seconds(1), outageProbeCap: .seconds(1),
            requestTimeout: .seconds(2), outageJitterPerMille: 0, recoveryHold: .seconds(1),
            recoveryHoldCap: .seconds(1), recoveryProbeInterval: .seconds(1), flapWindow: .zero,
            settle: .seconds(1), clockTolerance: .seconds(1), probesInternet: probesInternet)
        let start = Bench.start
        let machine = OfflineMachine(
            settings: OfflineSettings(network: network), apis: CoreAPIs(services: [:], core: []),
            startup: StartupState(),
            seed: 1, at: start)
        push(Node(machine: machine, now: start, lastWell: start))
    }

    mutating func walk() {
        while let node = frontier.popLast() {
            guard visited.count < limit, complaints.isEmpty else { return }
            for (event, moment) in events(after: node) { step(node, event, at: moment) }
        }
        isComplete = true
    }

    private mutating func step(_ node: Node, _ event: OfflineEvent, at now: Instant) {
        var next = node
        next.now = now
        let wasOffline = !node.machine.causes.isEmpty
        let wasNetwork = node.machine.network.networkCauseHolds
        let effects = next.machine.handle(event, at: now)
        let (before, after) = (node.machine.network.phaseName, next.machine.network.phaseName)
        if before != after { seenSteps.insert("\(before) --> \(after)") }
        next.settleDebts(event, effects)
        next.noteHub(event, before: node.machine)
        if next.machine.network.isReachable || next.machine.network.isVerifying { next.lastWell = now }
        check(next, after: event, effects, wasOffline: wasOffline, wasNetwork: wasNetwork)
        push(next)
    }

    private mutating func check(
        _ node: Node, after event: OfflineEvent, _ effects: [OfflineEffect], wasOffline: Bool,
        wasNetwork: Bool
    ) {
        let status = node.machine.status(at: node.now)
        let holds = node.machine.network.networkCauseHolds || node.machine.network.backendCauseHolds
        if (status.mode == .offline) != holds || status.causes.isEmpty == holds {
            complaints.append("mode \(status.mode) with causes \(status.causes) after \(event)")
        }
        let switches = effects.filter { if case .switchMode = $0 { true } else { false } }.count
        if switches != (wasOffline == holds ? 0 : 1) {
            complaints.append("\(switches) switches after \(event)")
        }
        let confirms = node.machine.network.networkCauseHolds && !wasNetwork
        let fromBackend = wasOffline && node.machine.network.isInPhase("D")
        if confirms, !fromBackend, node.now - node.lastWell < Self.t1 {
            complaints.append("confirmed after \(node.now - node.lastWell) by \(event)")
        }
        if let since = node.darkSince, status.causes.isEmpty {
            // No verified HTTP response of any status for T1, and a failed round: offline.
            if node.now - since > Self.t1 + Self.round {
                complaints.append("online \(node.now - since) after the hub went dark, by \(event)")
            }
            if node.machine.network.isReachable {
                complaints.append("believed in without a response of the hub, by \(event)")
            }
        }
        guard let deadline = node.machine.deadline, deadline - node.now <= .seconds(60) else {
            return complaints.append("no deadline after \(event)")
        }
    }

    private mutating func push(_ node: Node) {
        seenPhases.insert(node.machine.network.letter)
        if visited.insert(node.key).inserted { frontier.append(node) }
    }

    /// What could come next, and when.
    private func events(after node: Node) -> [(OfflineEvent, Instant)] {
        var events = node.owed.flatMap(node.responses).map { ($0, node.now) }
        let deadline = max(node.machine.deadline ?? node.now, node.now)
        events.append((.deadlineReached, deadline))
        events.append((.deadlineReached, deadline + .seconds(5)))
        let path = node.machine.network.path.view == .usable ? Bench.noPath : node.way
        events.append((.pathChanged(path), node.now))
        events.append((.requestStalled(Bench.push, startedAt: node.now), node.now))
        for outcome in [OutcomeClass.success, .network(.connect)] {
            let request = RequestOutcome(
                api: Bench.push, outcome: outcome, startedAt: node.now, firstByteAt: node.now,
                finishedAt: node.now)
            events.append((.requestFinished(request), node.now))
        }
        events.append((.retryRequested, node.now))
        events.append((.clockGapObserved(.seconds(60)), node.now))
        return events
    }
}

extension Node {
    /// Removes results that came from the pending ones and adds new ones; those of an older path id are void.
    fileprivate mutating func settleDebts(_ event: OfflineEvent, _ effects: [OfflineEffect]) {
        let kept = owed.filter { !responses($0).contains(event) && !isVoid($0) }
        owed = kept + effects.filter { !responses($0).isEmpty && !isVoid($0) }
        // Lost results are faults of the adapters; the newest few of each kind are enough to try them all.
        if owed.count > 4 { owed.removeFirst(owed.count - 4) }
    }

    private func isVoid(_ effect: OfflineEffect) -> Bool {
        switch effect {
        case .sendPing(let tag, _), .sendProbe(let tag, _, _): tag.epoch != machine.network.probes.epoch
        case .saveManualFlag, .queryQoS, .reportQoS, .sendCanary, .confirmManual, .refuseManual, .paceResume,
            .saveLastRun, .recordPeriod, .switchMode, .announceStatus:
            false
        }
    }

    /// On loopback nothing is pinged, which keeps the walk with two probed addresses small.
    fileprivate var way: PathStatus {
        PathStatus(
            isUsable: true, interface: machine.network.settings.probesInternet ? "lo" : "eth0",
            transport: .ethernet, isMetered: false, isConstrained: false, route: "way")
    }

    fileprivate func responses(_ effect: OfflineEffect) -> [OfflineEvent] {
        switch effect {
        case .sendPing(let tag, _):
            [.pingFinished(tag, .responded(roundTrip: .zero)), .pingFinished(tag, .timedOut)]
        case .sendProbe(let tag, .hub, _):
            [
                .probeFinished(tag, .hub, .good(roundTrip: .zero)),
                .probeFinished(tag, .hub, .failed(.silent)),
            ]
        case .sendProbe(let tag, .internet, _):
            [
                .probeFinished(tag, .internet, .good(roundTrip: .zero)),
                .probeFinished(tag, .internet, .failed(.silent)),
            ]
        case .saveManualFlag, .queryQoS, .reportQoS, .sendCanary, .confirmManual, .refuseManual, .paceResume,
            .saveLastRun, .recordPeriod,
            .switchMode, .announceStatus:
            []
        }
    }

    /// The state without counters: moments count from now in full seconds, those long past as one.
    fileprivate var key: [Int64] {
        let network = machine.network
        var key: [Int64] = []
        // With two probed addresses this would make the walk too long: there the rule is checked on the way.
        if !network.settings.probesInternet {
            key.append(darkSince.map { min(7, (now - $0).wholeMilliseconds / 1_000) } ?? -1)
        }
        func add(_ moment: Instant?) {
            guard let moment else { return key.append(.min) }
            key.append(max(-3, min(9, (moment - now).wholeMilliseconds / 1_000)))
        }
        key.append(Int64(network.path.view.rank))
        if case .returning(let settlesAt) = network.path.view { add(settlesAt) }
        key.append(network.path.pings == .responded ? 1 : 0)
        key.append(machine.stalls.isEmpty ? 0 : 1)
        switch network.phase {
        case .reachable(let watch):
            key += [0, watch.ping == nil ? 0 : 1]
            add(watch.trailingProbe?.failsAt)
            add(watch.nextPing)
            add(watch.nextProbe)
        case .suspect(let suspicion):
            key += [1, Int64(suspicion.kinds.rawValue), suspicion.roundFailed ? 1 : 0]
            key += [suspicion.internetResponded ? 1 : 0, suspicion.isBackendDown ? 1 : 0]
            key.append(suspicion.echoResponded ? 1 : 0)
            key.append(suspicion.lateness == .punctual ? 0 : suspicion.lateness == .restarted ? 1 : 2)
            add(suspicion.commitsAt)
            suspicion.step.describe(to: &key, from: now)
        case .unreachable(let outage):
            key += [2, outage.isTakenOver ? 1 : 0]
            outage.step.describe(to: &key, from: now)
        case .backendDown(let outage):
            key.append(3)
            outage.step.describe(to: &key, from: now)
        case .recovering(let recovery):
            key += [4, Int64(recovery.results), Int64(recovery.made), recovery.isBackendDown ? 1 : 0]
            key.append(recovery.probe == nil ? 0 : 1)
            add(recovery.holdEnds)
        }
        let voidThrough = network.settings.probesInternet ? 0 : network.probes.voidThrough
        key += Set(owed.map { $0.rank(voidThrough: voidThrough) }).sorted()
        return key
    }
}

extension ProbeStep {
    fileprivate func describe(to key: inout [Int64], from now: Instant) {
        switch self {
        case .waiting(let until):
            key += [0, max(-1, min(9, (until - now).wholeMilliseconds / 1_000))]
        case .round(let round):
            key += [1, round.hub == .awaited ? 1 : 0, round.internet == .responded ? 1 : 0]
            key += [round.internet == .awaited ? 1 : 0, Int64(round.pingsAwaited), Int64(round.pingsLeft)]
            key.append(round.echoResponded ? 1 : 0)
            guard round.internetSequence == nil else { break }
            key.append(max(-1, (round.hubFailsAt - now).wholeMilliseconds / 1_000))
        }
    }
}

extension PathWatch.View {
    fileprivate var rank: Int {
        switch self {
        case .unknown: 0
        case .usable: 1
        case .lost: 2
        case .returning: 3
        }
    }
}

extension OfflineEffect {
    fileprivate func rank(voidThrough: UInt64) -> Int64 {
        switch self {
        case .sendPing: 1
        case .sendProbe(let tag, .hub, _) where tag.sequence <= voidThrough: 4
        case .sendProbe(_, .hub, _): 2
        case .sendProbe(_, .internet, _): 3
        case .saveManualFlag, .queryQoS, .reportQoS, .sendCanary, .confirmManual, .refuseManual, .paceResume,
            .saveLastRun, .recordPeriod,
            .switchMode, .announceStatus:
            8
        }
    }
}

extension NetworkFaultDetector {
    fileprivate var isVerifying: Bool {
        switch phase {
        case .suspect(let suspicion): suspicion.isVerifying
        case .reachable, .unreachable, .backendDown, .recovering: false
        }
    }

    fileprivate func isInPhase(_ letter: Character) -> Bool { self.letter == letter }

    fileprivate var letter: Character {
        switch phase {
        case .reachable: "-"
        case .suspect: "s"
        case .unreachable: "D"
        case .backendDown: "B"
        case .recovering: "U"
        }
    }

    fileprivate var phaseName: String {
        switch phase {
        case .reachable: "reachable"
        case .suspect: "suspect"
        case .unreachable: "unreachable"
        case .backendDown: "backendDown"
        case .recovering: "recovering"
        }
    }
}
