import Base
import Testing

@testable import OfflineCore

/// A complete outage and its end, through every phase, with the responses of each moment in another order,
/// some of them twice, some again later, and with responses from before a path change among them.
@Suite("The order of evidence, through an outage and back")
struct EvidenceLifeTests {
    /// What is wrong between the 60th and the 200th second.
    enum Outage: CaseIterable {
        /// Nothing comes back from anywhere.
        case silence
        /// The internet responds, the hub does not.
        case hubAlone
        /// A login page responds in the hub's place, pings pass.
        case portal
        /// The cable is unplugged; with it plugged in everything works.
        case cable
    }

    @Test("Any order gives the same state in each part of a simulation run", arguments: Outage.allCases)
    func lives(outage: Outage) {
        let lives = (0..<80).map { order in
            var life = Life(outage, order: UInt64(order))
            return life.live()
        }
        #expect(Set(lives) == [expected(of: outage)])
    }

    private func expected(of outage: Outage) -> [String] {
        switch outage {
        case .silence, .portal: ["reachable", "unreachable network", "reachable"]
        case .cable: ["reachable", "unreachable network", "reachable"]
        case .hubAlone: ["reachable", "reachable service", "reachable"]
        }
    }
}

/// One machine in one world; responses come in time and are reported out of order.
private struct Life {
    private let outage: EvidenceLifeTests.Outage
    private var machine: OfflineMachine
    private var random: SplitMix64
    private var now = Bench.start
    private var due: [(at: Instant, event: OfflineEvent)] = []
    /// Recent events, to be reported again.
    private var reported: [OfflineEvent] = []
    private var switches: [Mode] = []

    private static let step = Duration.milliseconds(100)

    init(_ outage: EvidenceLifeTests.Outage, order: UInt64) {
        self.outage = outage
        random = SplitMix64(seed: order)
        var network = NetworkSettings()
        network.probesInternet = true
        machine = OfflineMachine(
            settings: OfflineSettings(network: network), apis: Bench.apis, startup: StartupState(), seed: 9,
            at: now)
    }

    private var isOut: Bool {
        now >= Bench.start + .seconds(60) && now < Bench.start + .seconds(200)
    }

    /// The state and its causes at the end of each part: before the outage, in it, after it.
    mutating func live() -> [String] {
        feed(.pathChanged(Bench.ethernet))
        return [59, 199, 300].map { second in
            while now < Bench.start + .seconds(second) { passStep() }
            let status = machine.status(at: now)
            let causes = status.causes.map(\.rawValue)
            #expect(status.mode == (causes.isEmpty ? .online : .offline))
            #expect(switches.count <= 2, "no more than away and back")
            return ([status.network.state.rawValue] + causes).joined(separator: " ")
        }
    }

    private mutating func passStep() {
        let wasOut = isOut
        now = now + Self.step
        var batch: [OfflineEvent] = []
        if outage == .cable, wasOut != isOut {
            batch.append(.pathChanged(isOut ? Bench.noPath : Bench.ethernet))
        }
        batch += due.filter { $0.at <= now }.map(\.event)
        due.removeAll { $0.at <= now }
        batch += batch.filter { _ in random.below(3) == 0 }
        batch += reported.filter { _ in random.below(40) == 0 }
        reported = Array((reported + batch).suffix(12))
        for event in batch.shuffled(using: &random) { feed(event) }
        if let deadline = machine.deadline, deadline <= now { feed(.deadlineReached) }
    }

    private mutating func feed(_ event: OfflineEvent) {
        for effect in machine.handle(event, at: now) {
            switch effect {
            case .sendPing(let tag, let timeout):
                let isLost = isOut && outage != .portal
                later(
                    isLost ? timeout : .milliseconds(8),
                    .pingFinished(tag, isLost ? .timedOut : .responded(roundTrip: .milliseconds(8))))
            case .sendProbe(let tag, .internet, let timeout):
                let responses = !isOut || outage == .hubAlone
                later(
                    responses ? .milliseconds(30) : timeout,
                    .probeFinished(
                        tag, .internet, responses ? .good(roundTrip: .milliseconds(30)) : .failed(.silent)))
            case .sendProbe(let tag, .hub, let timeout):
                let result = hubsResponse
                later(
                    result == .failed(.silent) ? timeout : .milliseconds(40),
                    .probeFinished(tag, .hub, result))
            case .queryQoS(let tag, _), .reportQoS(let tag, _): later(.seconds(1), .qosFailed(tag: tag))
            case .sendCanary(let tag, let service):
                later(.milliseconds(50), .canaryFinished(service: service, tag: tag, good: !isOut))
            case .switchMode(let mode, _): switches.append(mode)
            case .saveManualFlag, .confirmManual, .refuseManual, .paceResume, .saveLastRun,
                .recordPeriod, .announceStatus:
                break
            }
        }
    }

    private var hubsResponse: ProbeResult {
        guard isOut else { return .good(roundTrip: .milliseconds(40)) }
        return outage == .portal ? .portal(.foreignBody) : .failed(.silent)
    }

    private mutating func later(_ wait: Duration, _ event: OfflineEvent) {
        due.append((now + wait, event))
    }
}
