import Base
import HubCore
import OfflineCore
import Testing

@Suite("QoSDecisionMachine")
struct QoSDecisionMachineTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private static func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    private static func machine(_ change: (inout QoSSettings) -> Void = { _ in }) -> QoSDecisionMachine {
        var settings = QoSSettings()
        change(&settings)
        return QoSDecisionMachine(services: ["order", "payment"], settings: settings, at: start)
    }

    private static func till(_ number: Int, store: Int = 1) -> QoSReporter {
        QoSReporter(terminalId: "t\(number)", storeId: "s\(store)")
    }

    private func state(
        _ machine: QoSDecisionMachine, _ reporter: QoSReporter = till(1), at second: Int
    ) -> String {
        guard let decision = machine.decision(on: "order", for: reporter, at: Self.at(second)) else {
            return "-"
        }
        return "\(decision.state.rawValue) \(decision.scope.rawValue)"
    }

    /// Draws the probes of `order`, one every 5 s (`o` good, `x` bad), and the decision after each:
    /// `-` healthy, `F` faulty, `R` recovering.
    private func probed(_ probes: String) -> String {
        var machine = Self.machine()
        var said = ""
        for (index, probe) in probes.enumerated() {
            let now = Self.at(index * 5)
            _ = machine.handle(.probed(service: "order", succeeded: probe == "o"), at: now)
            switch machine.decision(on: "order", for: Self.till(1), at: now)?.state {
            case .healthy: said += "-"
            case .faulty: said += "F"
            case .recovering: said += "R"
            case nil: said += "?"
            }
        }
        return said
    }

    @Test(
        "Three failed probes confirm a fault; after 15 good seconds terminals return; 30 more and it is healthy"
    )
    func probes() {
        #expect(probed("oxxoxxooo") == "---------")
        #expect(probed("oxxxooooooooooo") == "---FFFRRRRRR---")
    }

    @Test("A failed probe during recovery confirms the fault at once")
    func relapse() {
        #expect(probed("xxxooooxooo") == "--FFFRRFFFR")
    }

    @Test("Three terminals of two stores that fail make the service faulty for everybody, with the evidence")
    func global() {
        var machine = Self.machine()
        for (number, store) in [(1, 1), (2, 1), (3, 2)] {
            _ = machine.handle(
                .reported(service: "order", by: Self.till(number, store: store), ok: 3, failed: 4),
                at: Self.at(number))
        }
        #expect(state(machine, Self.till(9, store: 9), at: 4) == "faulty global")
        let decision = machine.decision(on: "order", for: Self.till(9, store: 9), at: Self.at(4))
        #expect(decision?.source == .reports)
        #expect(decision?.reason == "3 of 3 terminals fail, of 2 stores, in 30 s")
        #expect(machine.decision(on: "payment", for: Self.till(1), at: Self.at(4))?.state == .healthy)
    }

    @Test("A fault of one store is confirmed for that store alone; a fault of one terminal too")
    func narrowScopes() {
        var machine = Self.machine()
        _ = machine.handle(.reported(service: "order", by: Self.till(1), ok: 0, failed: 5), at: Self.at(1))
        #expect(state(machine, Self.till(1), at: 1) == "faulty terminal")
        #expect(state(machine, Self.till(2), at: 1) == "healthy global")
        _ = machine.handle(.reported(service: "order", by: Self.till(2), ok: 1, failed: 5), at: Self.at(2))
        #expect(state(machine, Self.till(3), at: 2) == "faulty store")
        #expect(state(machine, Self.till(4, store: 2), at: 2) == "healthy global")
    }

    @Test("A success keeps a terminal out of a fault; old failures confirm none")
    func notConfirmed() {
        var machine = Self.machine()
        _ = machine.handle(.reported(service: "order", by: Self.till(1), ok: 1, failed: 8), at: Self.at(1))
        #expect(state(machine, at: 1) == "healthy global")
        for second in [0, 40, 80, 120, 160] {
            _ = machine.handle(
                .reported(service: "order", by: Self.till(2), ok: 0, failed: 4), at: Self.at(100 + second))
        }
        #expect(state(machine, Self.till(2), at: 261) == "healthy global")
    }

    @Test("What led to a fault counts no second time once it is over")
    func evidenceIsSpent() {
        var machine = Self.machine {
            $0.letBack = .seconds(5)
            $0.releaseMemory = .seconds(5)
        }
        _ = machine.handle(.reported(service: "order", by: Self.till(1), ok: 0, failed: 9), at: Self.at(0))
        _ = machine.handle(.reported(service: "order", by: Self.till(2), ok: 0, failed: 9), at: Self.at(1))
        #expect(state(machine, Self.till(3), at: 1) == "faulty store")
        for second in [16, 21] { _ = machine.handle(.deadlineReached, at: Self.at(second)) }
        #expect(state(machine, Self.till(3), at: 21) == "healthy global")
        _ = machine.handle(.reported(service: "order", by: Self.till(2), ok: 3, failed: 1), at: Self.at(22))
        #expect(state(machine, Self.till(3), at: 22) == "healthy global")
    }

    @Test("The deadline leads through recovering to healthy, and early wakes do no harm")
    func deadlines() {
        var machine = Self.machine()
        _ = machine.handle(.reported(service: "order", by: Self.till(1), ok: 0, failed: 5), at: Self.at(0))
        #expect(machine.deadline == Self.at(15))
        #expect(machine.handle(.deadlineReached, at: Self.at(14)) == [])
        let effects = machine.handle(.deadlineReached, at: Self.at(15))
        #expect(effects.count == 1)
        #expect(state(machine, at: 15) == "recovering terminal")
        _ = machine.handle(.pending(0, of: "t1"), at: Self.at(16))
        #expect(machine.deadline == Self.at(45))
        _ = machine.handle(.deadlineReached, at: Self.at(45))
        #expect(state(machine, at: 45) == "healthy global")
        #expect(machine.deadline == nil)
    }

    @Test(
        "An operator's override has priority until it is cleared or ends, and every change is a new generation"
    )
    func overrides() {
        var machine = Self.machine()
        let word = QoSOverride(state: .faulty, reason: "tests", by: "jo", until: Self.at(10))
        _ = machine.handle(.overridden(service: "order", word), at: Self.at(0))
        var decision = machine.decision(on: "order", for: Self.till(1), at: Self.at(1))
        #expect(decision?.state == .faulty)
        #expect(decision?.source == .operator)
        #expect(decision?.generation == 2)
        #expect(machine.deadline == Self.at(10))
        _ = machine.handle(.deadlineReached, at: Self.at(10))
        decision = machine.decision(on: "order", for: Self.till(1), at: Self.at(10))
        #expect(decision?.state == .healthy)
        #expect(decision?.generation == 3)
        #expect(machine.handle(.overrideLifted(service: "order"), at: Self.at(11)) == [])
        #expect(machine.handle(.overrideLifted(service: "unknown"), at: Self.at(11)) == [])
    }

    @Test("Another process, or the hub after a restart, shows since when a state lasts as the first one did")
    func since() {
        var machine = Self.machine()
        let word = QoSOverride(state: .faulty, reason: "tests", by: "jo", until: nil)
        let store = Self.till(1).storeId
        _ = machine.handle(.overridden(service: "order", word), at: Self.at(3))
        _ = machine.handle(.overridden(service: "order", word, storeId: store), at: Self.at(4))
        var next = Self.machine()
        for service in ["order", "payment"] {
            if let record = machine.record(of: service) { next.adopt(record, at: Self.at(50)) }
        }
        #expect(next.status(of: "order", at: Self.at(60))?.decision.since == Self.at(3))
        #expect(next.decision(on: "order", for: Self.till(1), at: Self.at(60))?.since == Self.at(4))
        #expect(
            next.status(of: "payment", at: Self.at(60))?.decision.since
                == machine.status(of: "payment", at: Self.at(60))?.decision.since)
    }

    @Test("An override of a store is for its terminals alone, goes before the chain's, and ends by itself")
    func storeOverrides() {
        var machine = Self.machine()
        let store = Self.till(1).storeId
        let word = QoSOverride(state: .faulty, reason: "tests", by: "jo", until: Self.at(10))
        let other = QoSReporter(terminalId: "elsewhere", storeId: "elsewhere")
        _ = machine.handle(.overridden(service: "order", word, storeId: store), at: Self.at(0))
        func decision(_ reporter: QoSReporter) -> QoSDecision? {
            machine.decision(on: "order", for: reporter, at: Self.at(1))
        }
        #expect(decision(Self.till(1))?.state == .faulty)
        #expect(decision(Self.till(1))?.scope == .store)
        #expect(decision(Self.till(1))?.generation == 2)
        #expect(decision(other)?.state == .healthy)
        #expect(decision(other)?.generation == 1)
        let chain = QoSOverride(state: .recovering, reason: "tests", by: "jo", until: nil)
        _ = machine.handle(.overridden(service: "order", chain), at: Self.at(1))
        #expect(decision(Self.till(1))?.state == .faulty)
        #expect(decision(other)?.state == .recovering)
        #expect(machine.deadline == Self.at(10))
        _ = machine.handle(.deadlineReached, at: Self.at(10))
        #expect(decision(Self.till(1))?.state == .recovering)
        #expect(machine.status(of: "order", at: Self.at(10))?.storeOverrides.isEmpty == true)
    }

    @Test("Terminals are let back in cohorts, each at its share of what the service bears")
    func cohorts() {
        var machine = Self.machine { $0.capacityPerMinute = 600 }
        for number in 1...12 {
            _ = machine.handle(
                .reported(service: "payment", by: Self.till(number, store: number), ok: 0, failed: 3),
                at: Self.at(0))
        }
        _ = machine.handle(.deadlineReached, at: Self.at(15))
        let paces = (1...12).compactMap {
            machine.decision(on: "payment", for: Self.till($0, store: $0), at: Self.at(15))?.resume
        }
        #expect(paces.count == 12)
        #expect(paces.allSatisfy { $0.ratePerMinute == 50 })
        #expect(Set(paces.map(\.after)).count > 1)
        #expect(paces.allSatisfy { $0.after < .seconds(30) })
        let later = machine.decision(on: "payment", for: Self.till(1, store: 1), at: Self.at(44))?.resume
        #expect(later?.after == .zero)
    }

    @Test("Outboxes come back one after another: a turn is the work ahead at what the store bears")
    func release() {
        var machine = Self.machine { $0.capacityPerMinute = 6_000 }
        for second in 0..<3 {
            _ = machine.handle(.probed(service: "order", succeeded: false), at: Self.at(second))
        }
        for number in 1...40 { _ = machine.handle(.queried(by: Self.till(number)), at: Self.at(5)) }
        _ = machine.handle(.deadlineReached, at: Self.at(17))
        func paces(at second: Int) -> [ResumePace] {
            (1...40).compactMap {
                machine.decision(on: "order", for: Self.till($0), at: Self.at(second))?.resume
            }
        }
        // 40 terminals of 50 each at 100 a second.
        let first = paces(at: 17)
        #expect(first.count == 40)
        #expect(first.allSatisfy { $0.after < .milliseconds(20_001) })
        #expect(first.contains { $0.after > .seconds(18) })
        #expect(first.contains { $0.after < .seconds(4) })
        for number in 1...20 {
            _ = machine.handle(
                .intakeEnded(results: 1, sent: 1, of: "t\(number)", since: Self.at(20)), at: Self.at(20))
            _ = machine.handle(.pending(0, of: "t\(number)"), at: Self.at(20))
        }
        let later = paces(at: 20)
        #expect(later[..<20].allSatisfy { $0.after == .zero })
        #expect(zip(first, later).allSatisfy { $0.after >= $1.after })
        #expect((later.map(\.after).max() ?? .zero) < .milliseconds(11_112))
    }

    @Test("The recovery lasts until the last outbox is empty, and nobody waits for one that does not come")
    func releaseEnds() {
        var machine = Self.machine()
        for second in 0..<3 {
            _ = machine.handle(.probed(service: "order", succeeded: false), at: Self.at(second))
        }
        for number in 1...2 { _ = machine.handle(.queried(by: Self.till(number)), at: Self.at(3)) }
        _ = machine.handle(.deadlineReached, at: Self.at(17))
        #expect(state(machine, at: 17) == "recovering global")
        for second in stride(from: 20, to: 100, by: 5) {
            _ = machine.handle(.queried(by: Self.till(2)), at: Self.at(second))
            if second == 60 {
                _ = machine.handle(
                    .intakeEnded(results: 0, sent: 0, of: "t1", since: Self.at(second)), at: Self.at(second))
            }
            if second == 75 { #expect(state(machine, at: second) == "recovering global") }
        }
        _ = machine.handle(.deadlineReached, at: Self.at(100))
        #expect(state(machine, at: 100) == "healthy global")
        #expect(machine.deadline == nil)
    }

    @Test("A fault survives a restart and has to be quiet again; generations go on")
    func restart() throws {
        var machine = Self.machine()
        for second in 0..<3 {
            _ = machine.handle(.probed(service: "order", succeeded: false), at: Self.at(second))
        }
        let record = try #require(machine.record(of: "order"))
        var restarted = QoSDecisionMachine(
            services: ["order"], settings: QoSSettings(), generations: ["order": record.generation],
            at: Self.at(100))
        restarted.adopt(record, at: Self.at(100))
        #expect(state(restarted, at: 100) == "faulty global")
        #expect(restarted.deadline == Self.at(115))
        _ = restarted.handle(.deadlineReached, at: Self.at(115))
        #expect(restarted.decision(on: "order", for: Self.till(1), at: Self.at(115))?.generation == 3)
    }

    @Test("A flood of terminals and absurd counts stay within bounds")
    func bounds() {
        var machine = Self.machine()
        for number in 0..<2_000 {
            _ = machine.handle(
                .reported(service: "order", by: Self.till(number), ok: Int.max, failed: 0), at: Self.at(1))
        }
        _ = machine.handle(
            .reported(service: "order", by: Self.till(1), ok: 0, failed: Int.max), at: Self.at(1))
        #expect(machine.status(of: "order", at: Self.at(2))?.terminals == 2_000)
    }
}
