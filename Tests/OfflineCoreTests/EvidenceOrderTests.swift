import Base
import Testing

@testable import OfflineCore

/// The same evidence in any order: late, doubled, mixed with results from before the path changed.
@Suite("The order of evidence")
struct EvidenceOrderTests {
    /// The responses to the probes of one confirmation round.
    enum World: CaseIterable { case silent, hubResponses, allRespond }

    /// How a run ended: the state, when the fault was confirmed, and the causes that hold.
    struct Outcome: Hashable {
        let state: NetworkStatus.State
        let confirmedAt: Instant?
        let causes: [OfflineCause]
    }

    @Test(
        "Any interleaving of a round's responses, doubled and late, gives the same state",
        arguments: World.allCases)
    func interleavings(world: World) {
        let results = Set((0..<300).map { Self.result(in: world, order: UInt64($0)) })
        #expect(results.count == 1)
        #expect(results.first?.state == (world == .silent ? .unreachable : .reachable))
        #expect(results.first?.confirmedAt == (world == .silent ? Self.opened + .seconds(8) : nil))
    }

    @Test(
        "Responses from before a path change, whatever they are, do not change the state",
        arguments: World.allCases)
    func staleResponses(world: World) {
        for order in UInt64(0)..<200 {
            let without = Self.result(in: world, order: order, stale: false)
            #expect(Self.result(in: world, order: order, stale: true) == without)
        }
    }

    // MARK: One run

    private static let opened = Bench.start + .seconds(60)

    private static func result(in world: World, order: UInt64, stale: Bool = true) -> Outcome {
        var random = SplitMix64(seed: order)
        var run = Run(world: world)
        run.moveToNewPath()
        let old = run.queries
        run.queries = []
        run.openSuspicion()
        run.collectRound()
        var evidence = run.queries.map(run.response)
        // Some of it is reported twice.
        evidence += run.queries.filter { _ in random.below(2) == 0 }.map(run.response)
        if world == .silent { evidence.append(run.successFromBefore) }
        if stale { evidence += old.map(run.opposite) }
        // Reported one by one in some order, while T1 runs.
        var drawn = SplitMix64(seed: order)
        for event in evidence.filter({ !run.isStale($0) }).shuffled(using: &drawn) { run.later(event) }
        for event in evidence.filter(run.isStale).shuffled(using: &drawn) { run.slipIn(event, using: &drawn) }
        run.feedAll()
        run.live(for: .seconds(30))
        return Outcome(state: run.state, confirmedAt: run.confirmedAt, causes: run.machine.causes)
    }

    /// A machine, the probes it has sent, and the events that are still to be reported.
    private struct Run {
        let world: World
        var machine: OfflineMachine
        var now = Bench.start
        var queries: [OfflineEffect] = []
        var confirmedAt: Instant?
        private var queue: [OfflineEvent] = []

        init(world: World) {
            self.world = world
            machine = Bench.reachable(seed: 5).machine
            now = Bench.start + .seconds(1)
        }

        var state: NetworkStatus.State { machine.status(at: now).network.state }

        mutating func feed(_ event: OfflineEvent) {
            for effect in machine.handle(event, at: now) {
                switch effect {
                case .sendPing, .sendProbe: queries.append(effect)
                case .switchMode(.offline, _): confirmedAt = now
                case .switchMode, .saveManualFlag, .confirmManual, .refuseManual, .queryQoS, .reportQoS,
                    .sendCanary, .paceResume, .saveLastRun, .recordPeriod, .announceStatus:
                    break
                }
            }
        }

        /// Probes on the old path, then moves to another: the earlier probes are void from then on.
        mutating func moveToNewPath() {
            now = opened - .seconds(20)
            feed(.retryRequested)
            feed(.deadlineReached)
            feed(
                .pathChanged(
                    PathStatus(
                        isUsable: true, interface: "eth1", transport: .ethernet, isMetered: false,
                        isConstrained: false, route: "eth1")))
            // The probes and pings on the new path get responses.
            let before = queries
            while let deadline = machine.deadline, deadline < opened - .seconds(2) {
                now = max(now, deadline)
                feed(.deadlineReached)
                for case .sendProbe(let tag, _, _) in queries where tag.epoch == machine.network.probes.epoch
                {
                    feed(.probeFinished(tag, .hub, .good(roundTrip: .milliseconds(9))))
                }
                for case .sendPing(let tag, _) in queries where tag.epoch == machine.network.probes.epoch {
                    feed(.pingFinished(tag, .responded(roundTrip: .milliseconds(2))))
                }
                queries = before
            }
        }

        mutating func openSuspicion() {
            now = opened
            feed(
                .requestFinished(
                    RequestOutcome(
                        api: Bench.push, outcome: .network(.silent), startedAt: now - .seconds(3),
                        firstByteAt: nil, finishedAt: now)))
        }

        /// Lets the round send all its pings.
        mutating func collectRound() {
            for step in [500, 1_250, 2_375] {
                now = opened + .milliseconds(step)
                feed(.deadlineReached)
            }
        }

        /// The response of the world to `query`.
        func response(_ query: OfflineEffect) -> OfflineEvent {
            switch query {
            case .sendProbe(let tag, let target, _):
                .probeFinished(
                    tag, target, world == .silent ? .failed(.silent) : .good(roundTrip: .milliseconds(9)))
            case .sendPing(let tag, _):
                .pingFinished(tag, world == .allRespond ? .responded(roundTrip: .milliseconds(2)) : .timedOut)
            case .saveManualFlag, .confirmManual, .refuseManual, .queryQoS, .reportQoS, .sendCanary,
                .paceResume, .saveLastRun, .recordPeriod, .switchMode, .announceStatus:
                .deadlineReached
            }
        }

        /// A response to `query` that this world would never give.
        func opposite(_ query: OfflineEffect) -> OfflineEvent {
            Run(world: world == .silent ? .allRespond : .silent).response(query)
        }

        /// A push with a response from before the silence, reported late.
        var successFromBefore: OfflineEvent {
            .requestFinished(
                RequestOutcome(
                    api: Bench.push, outcome: .success, startedAt: opened - .seconds(2),
                    firstByteAt: opened - .seconds(1), finishedAt: opened - .seconds(1)))
        }

        func isStale(_ event: OfflineEvent) -> Bool {
            switch event {
            case .pingFinished(let tag, _), .probeFinished(let tag, _, _):
                tag.epoch != machine.network.probes.epoch
            case .pathChanged, .requestFinished, .requestStalled, .requestMoves, .manualRequested,
                .manualFlagSaved, .manualFlagSaveFailed, .qosResponded, .qosFailed, .canaryFinished,
                .deliveryChanged, .retryRequested,
                .settingsChanged, .clockGapObserved, .deadlineReached:
                false
            }
        }

        mutating func later(_ event: OfflineEvent) { queue.append(event) }

        mutating func slipIn(_ event: OfflineEvent, using random: inout SplitMix64) {
            queue.insert(event, at: Int(random.below(UInt64(queue.count + 1))))
        }

        /// Reports what is queued, all of it before T1 ends.
        mutating func feedAll() {
            now = opened + .milliseconds(3_000)
            for event in queue { feed(event) }
            queue = []
            queries = []
        }

        /// Continues with the world as it is: probes from here on get their results at once.
        mutating func live(for duration: Duration) {
            let end = now + duration
            while let deadline = machine.deadline, max(now, deadline) < end {
                now = max(now, deadline)
                feed(.deadlineReached)
                while !queries.isEmpty {
                    let queried = queries
                    queries = []
                    for query in queried { feed(response(query)) }
                }
            }
            now = end
        }
    }
}
