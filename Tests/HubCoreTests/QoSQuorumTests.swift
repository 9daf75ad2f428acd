import HubCore
import OfflineCore
import Testing

/// The quorum of docs/concepts/security.md at its edges.
@Suite("The quorum of the QoS service")
struct QoSQuorumTests {
    private var timeline = QoSTimeline()

    @Test(
        "One terminal is one vote, whatever its volume: a hundred thousand failures change nothing elsewhere")
    mutating func oneTerminal() {
        timeline.report("bad", of: "A", failed: 100_000, at: 1)
        for (number, store) in ["B", "B", "C", "D"].enumerated() {
            timeline.report("t\(number)", of: store, ok: 5_000, at: 2)
        }
        timeline.report("bad", of: "A", failed: 100_000, at: 7)
        #expect(timeline.state("bad", of: "A", at: 7) == "faulty terminal")
        for (number, store) in ["B", "B", "C", "D"].enumerated() {
            #expect(timeline.state("t\(number)", of: store, at: 7) == "healthy global")
        }
    }

    @Test("A terminal fails with half of at least three requests, not with less and not with two")
    mutating func votes() {
        // Two failing terminals of two stores, and a third whose counts are tried.
        for (ok, failed, isFailing) in [(0, 2, false), (1, 2, true), (2, 2, true), (3, 2, false)] {
            var timeline = QoSTimeline()
            timeline.report("a", of: "A", ok: 1, failed: 9, at: 1)
            timeline.report("b", of: "B", ok: 1, failed: 9, at: 1)
            timeline.report("c", of: "A", ok: ok, failed: failed, at: 2)
            let expected = isFailing ? "faulty global" : "healthy global"
            #expect(timeline.state("x", of: "X", at: 2) == expected, "\(ok) good, \(failed) failed")
        }
    }

    @Test("Everybody's fault needs three terminals of two stores and more than half of all that have a vote")
    mutating func diversity() {
        var oneStore = QoSTimeline()
        for number in 1...5 { oneStore.report("a\(number)", of: "A", ok: 1, failed: 9, at: number) }
        #expect(oneStore.state("a1", of: "A", at: 6) == "faulty store")
        #expect(oneStore.state("x", of: "X", at: 6) == "healthy global")

        var half = QoSTimeline()
        for number in 1...3 { half.report("good\(number)", of: "G", ok: 3, at: 1) }
        half.report("a1", of: "A", ok: 1, failed: 9, at: 2)
        half.report("b1", of: "B", ok: 1, failed: 9, at: 2)
        half.report("c1", of: "C", ok: 1, failed: 9, at: 2)
        #expect(half.state("x", of: "X", at: 2) == "healthy global")
        // Two requests are no vote, so they are nobody's majority; the fourth failing terminal is.
        half.report("quiet", of: "G", ok: 2, at: 3)
        half.report("d1", of: "D", ok: 1, failed: 9, at: 3)
        #expect(half.state("x", of: "X", at: 3) == "faulty global")
    }

    @Test("Of one terminal ten requests count: 20 in 30 s for all, 10 in 60 s for a store")
    mutating func requests() {
        for (third, isFaulty) in [(3, false), (4, true)] {
            var timeline = QoSTimeline()
            // 10 counted of a thousand, 6 and 3 or 4.
            timeline.report("a", of: "A", ok: 1, failed: 999, at: 1)
            timeline.report("b", of: "B", ok: 1, failed: 5, at: 2)
            timeline.report("c", of: "C", ok: 1, failed: third - 1, at: 3)
            #expect(timeline.state("x", of: "X", at: 3) == (isFaulty ? "faulty global" : "healthy global"))
        }
        for (second, isFaulty) in [(3, false), (4, true)] {
            var timeline = QoSTimeline()
            timeline.report("a", of: "A", ok: 1, failed: 5, at: 1)
            timeline.report("b", of: "A", ok: 1, failed: second - 1, at: 40)
            #expect(timeline.state("x", of: "A", at: 40) == (isFaulty ? "faulty store" : "healthy global"))
        }
    }

    @Test("A store with one terminal has a fault of that terminal alone, at its fifth failure in 30 s")
    mutating func oneTerminalStore() {
        timeline.report("a", of: "A", failed: 4, at: 1)
        #expect(timeline.state("a", of: "A", at: 1) == "healthy global")
        timeline.report("a", of: "A", failed: 1, at: 29)
        #expect(timeline.state("a", of: "A", at: 29) == "faulty terminal")
        for second in stride(from: 30, to: 120, by: 5) {
            timeline.report("a", of: "A", failed: 100, at: second)
        }
        #expect(timeline.state("b", of: "A", at: 120) == "healthy global")
    }

    @Test("A terminal whose own fault is older than the window has no vote any more")
    mutating func knownBad() {
        for second in stride(from: 0, through: 60, by: 5) {
            timeline.report("a", of: "A", failed: 9, at: second)
        }
        #expect(timeline.state("a", of: "A", at: 60) == "faulty terminal")
        timeline.report("b", of: "B", ok: 1, failed: 9, at: 60)
        timeline.report("c", of: "C", ok: 1, failed: 9, at: 60)
        #expect(timeline.state("x", of: "X", at: 60) == "healthy global")
        timeline.report("d", of: "D", ok: 1, failed: 9, at: 60)
        #expect(timeline.state("x", of: "X", at: 60) == "faulty global")
    }

    @Test("Good probes of the hub outweigh three terminals of two stores, not six of four, and grow old")
    mutating func probes() {
        func fail(_ timeline: inout QoSTimeline, _ count: Int, stores: Int, at second: Int) {
            for number in 0..<count {
                timeline.report("t\(number)", of: "S\(number % stores)", ok: 1, failed: 9, at: second)
            }
        }
        for second in [0, 5, 10] { timeline.probe(true, at: second) }
        fail(&timeline, 5, stores: 4, at: 11)
        #expect(timeline.state("x", of: "X", at: 11) == "healthy global")
        fail(&timeline, 6, stores: 4, at: 12)
        #expect(timeline.state("x", of: "X", at: 12) == "faulty global")

        var twoGood = QoSTimeline()
        for second in [5, 10] { twoGood.probe(true, at: second) }
        fail(&twoGood, 3, stores: 2, at: 11)
        #expect(twoGood.state("x", of: "X", at: 11) == "faulty global")

        var old = QoSTimeline()
        for second in [0, 5, 10] { old.probe(true, at: second) }
        fail(&old, 3, stores: 2, at: 41)
        #expect(old.state("x", of: "X", at: 41) == "faulty global")
    }

    @Test("A report counts once; the same window again adds only what it holds more")
    mutating func repeated() {
        timeline.report("a", of: "A", failed: 4, window: 1_000, at: 1)
        timeline.report("a", of: "A", failed: 4, window: 1_001, at: 6)
        #expect(timeline.state("a", of: "A", at: 6) == "healthy global")
        timeline.report("a", of: "A", failed: 5, window: 1_000, at: 11)
        #expect(timeline.state("a", of: "A", at: 11) == "faulty terminal")
    }

    @Test("Another window counts anew, and absurd times and counts of a report are bounded")
    mutating func bounded() {
        timeline.report("a", of: "A", failed: 4, window: .min, at: 1)
        timeline.report("a", of: "A", failed: 4, window: -5, at: 2)
        #expect(timeline.state("a", of: "A", at: 2) == "healthy global")
        timeline.report("a", of: "A", failed: Int.max, window: .max, at: 3)
        #expect(timeline.state("a", of: "A", at: 3) == "faulty terminal")
        timeline.report("b", of: "A", ok: Int.max, failed: Int.max, window: .max, at: 3)
        #expect(timeline.machine.status(of: "order", at: QoSTimeline.at(3))?.failedPercent == 66)
    }

    @Test("A fault of all ends in 15 s by the rule that began it, although one terminal goes on failing")
    mutating func oneGoesOn() {
        for number in 1...3 { timeline.report("t\(number)", of: "S\(number % 2)", ok: 1, failed: 9, at: 0) }
        #expect(timeline.state("x", of: "X", at: 0) == "faulty global")
        for second in 1...14 { timeline.report("t1", of: "S1", ok: 1, failed: 50, at: second) }
        #expect(timeline.state("x", of: "X", at: 14) == "faulty global")
        timeline.report("t1", of: "S1", ok: 1, failed: 50, at: 15)
        #expect(timeline.state("x", of: "X", at: 15) == "recovering global")
        // The queue waits a minute for who does not come, and for nobody longer.
        for second in 16...90 { timeline.report("t1", of: "S1", ok: 1, failed: 50, at: second) }
        #expect(timeline.state("x", of: "X", at: 90) == "healthy global")
    }

    @Test("It goes on while the same quorum fails, and for 15 s after the last of it")
    mutating func quorumGoesOn() {
        for second in 0...40 {
            for number in 1...3 {
                timeline.report("t\(number)", of: "S\(number % 2)", ok: 1, failed: 3, at: second)
            }
        }
        #expect(timeline.state("x", of: "X", at: 40) == "faulty global")
        #expect(timeline.states("x", of: "X", from: 41, through: 58) == "FFFFFFFFFFFFFFFRRR")
    }

    @Test("With a recovery longer than the rule looks back nothing in between is passed over")
    mutating func longRecovery() {
        timeline = QoSTimeline { $0.recovery = .seconds(120) }
        for second in [0, 60] {
            for number in 1...3 {
                timeline.report("t\(number)", of: "S\(number % 2)", ok: 1, failed: 9, at: second)
            }
        }
        #expect(timeline.state("x", of: "X", at: 121) == "faulty global")
        #expect(timeline.state("x", of: "X", at: 181) == "recovering global")
    }

    @Test("The evidence names the terminals and stores that failed, with their counts")
    mutating func evidence() throws {
        timeline.report("good", of: "A", ok: 7, at: 0)
        for (id, store) in [("b", "B"), ("a", "A"), ("c", "B")] {
            timeline.report(id, of: store, ok: 1, failed: 9, at: 1)
        }
        let status = try #require(timeline.machine.status(of: "order", at: QoSTimeline.at(1)))
        let evidence = try #require(status.scopes.first?.record.evidence)
        #expect(status.scopes.first?.record.scope == .global)
        #expect(evidence.terminals.map(\.terminalId) == ["a", "b", "c"])
        #expect(evidence.terminals.allSatisfy { $0.ok == 1 && $0.failed == 9 })
        #expect(evidence.stores == [.init(storeId: "A", failing: 1), .init(storeId: "B", failing: 2)])
        #expect(evidence.voting == 4)
        #expect(evidence.requests == 37)
    }

    @Test("What happens in one store changes not even the generation of a decision elsewhere")
    mutating func generations() {
        let before = timeline.generation("x", of: "X", at: 0)
        for number in 1...2 { timeline.report("t\(number)", of: "A", ok: 1, failed: 9, at: number) }
        #expect(timeline.state("t1", of: "A", at: 2) == "faulty store")
        #expect(timeline.generation("x", of: "X", at: 2) == before)
        #expect(timeline.generation("t1", of: "A", at: 2) == before + 1)
        for second in 0...2 { timeline.probe(false, at: 3 + second) }
        #expect(timeline.generation("x", of: "X", at: 5) == before + 2)
    }
}
