import OfflineCore
import Base
import HubCore
import Testing

/// Nothing that one terminal or one store's terminals report changes what terminals of other stores are sent.
@Suite("Hostile reports to the QoS service")
struct QoSHostileTests {
    /// A terminal and what share of its requests fails, in percent.
    private struct Honest {
        let id: String
        let store: String
        let failing: UInt64
    }

    /// Six stores of three terminals that work; one store with a real fault of its own, and one terminal.
    private static let honest: [Honest] =
        (0..<18).map { Honest(id: "w\($0)", store: "W\($0 / 3)", failing: 30) }
        + (0..<2).map { Honest(id: "b\($0)", store: "B", failing: 100) }
        + [Honest(id: "c0", store: "C", failing: 100), Honest(id: "c1", store: "C", failing: 0)]

    private static let last = 240

    /// What each terminal of another store is sent in each second of four minutes.
    ///
    /// - Parameter hostile: how many terminals of store H report whatever comes into their mind.
    private func decisions(_ seed: UInt64, hostile: Int) -> [[String]] {
        var timeline = QoSTimeline()
        var random = SplitMix64(seed: seed)
        var evil = SplitMix64(seed: seed &+ 1_000)
        return (0..<Self.last).map { second in
            for terminal in Self.honest where random.below(4) == 0 {
                let failed = (0..<6).count { _ in random.below(100) < terminal.failing }
                // Below half of what it sent, but for those whose requests all fail from some time on.
                let kept = terminal.failing == 100 ? (second < 20 ? 0 : 6) : min(failed, 2)
                timeline.report(terminal.id, of: terminal.store, ok: 6 - kept, failed: kept, at: second)
            }
            // Once the shops are open: before that a few would be the majority of those at work.
            for number in 0..<hostile where second >= 30 { lie(number, &timeline, &evil, at: second) }
            if second % 5 == 0 { timeline.probe(true, at: second) }
            return Self.honest.map { sent($0, timeline, at: second) }
        }
    }

    private func lie(_ number: Int, _ timeline: inout QoSTimeline, _ random: inout SplitMix64, at second: Int)
    {
        let counts = [0, 1, 3, 9, 100_000, Int.max, -7]
        for _ in 0..<random.below(4) {
            timeline.report(
                "h\(number)", of: "H", ok: random.below(3) == 0 ? counts[Int(random.below(7))] : 0,
                failed: counts[Int(random.below(7))],
                window: random.below(2) == 0 ? nil : Int64(bitPattern: random.next()), at: second)
        }
        let id = "h\(number)"
        switch random.below(5) {
        case 0: timeline.handle(.pending(Int64(bitPattern: random.next()), of: id), at: second)
        case 1: timeline.handle(.backlogMeasured(Int64(bitPattern: random.next()), of: id), at: second)
        case 2: timeline.handle(.queried(by: QoSReporter(terminalId: id, storeId: "H")), at: second)
        case _:
            timeline.handle(
                .intakeEnded(results: 0, sent: 200, of: id, since: QoSTimeline.at(second - 9)), at: second)
        }
    }

    private func sent(_ terminal: Honest, _ timeline: QoSTimeline, at second: Int) -> String {
        let reporter = QoSReporter(terminalId: terminal.id, storeId: terminal.store)
        guard let decision = timeline.machine.decision(on: "order", for: reporter, at: QoSTimeline.at(second))
        else { return "-" }
        // One counter numbers the decisions of all scopes. Where nothing changes, it does not either.
        let generation = terminal.store.hasPrefix("W") ? "\(decision.generation)" : ""
        return
            "\(terminal.id) \(decision.state) \(decision.scope) \(decision.reason ?? "") \(decision.source) "
            + "\(decision.since) \(String(describing: decision.resume?.after)) \(generation)"
    }

    @Test("Terminals of other stores are sent the same with and without them", arguments: 1...12)
    func sameDecisions(_ seed: Int) {
        let seed = UInt64(seed)
        let alone = decisions(seed, hostile: 0)
        #expect(alone.contains { $0.contains { $0.contains("faulty store") } }, "nothing happened")
        for hostile in [1, 8] {
            let beside = decisions(seed, hostile: hostile)
            let first = zip(alone, beside).first { $0 != $1 }
            #expect(first == nil, "\(hostile) hostile terminals")
        }
    }

    @Test(
        "A fault that an honest quorum caused begins and ends although one store's terminals do as they like",
        arguments: 1...12)
    func honestQuorum(_ seed: Int) {
        for hostile in [0, 1, 3] {
            var timeline = QoSTimeline()
            var random = SplitMix64(seed: UInt64(seed))
            for second in 0..<260 {
                for terminal in Self.honest where random.below(3) == 0 {
                    let fails = second < 60
                    timeline.report(
                        terminal.id, of: terminal.store, ok: fails ? 1 : 6, failed: fails ? 5 : 0, at: second)
                }
                for number in 0..<hostile { lie(number, &timeline, &random, at: second) }
                if second == 50 {
                    #expect(timeline.state("w0", of: "W0", at: second) == "faulty global", "\(hostile)")
                }
            }
            #expect(timeline.state("w0", of: "W0", at: 260) == "healthy global", "\(hostile) hostile")
        }
    }
}
