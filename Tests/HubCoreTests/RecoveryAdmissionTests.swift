import OfflineCore
import Base
import HubCore
import Testing

/// The admission queue beside terminals that report what they do not have.
@Suite("The admission queue")
struct RecoveryAdmissionTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    private static let capacity: Int64 = 6_000

    private static func at(_ second: Int) -> Instant { start + .seconds(second) }

    private func wait(_ queue: RecoveryAdmission, _ id: String) -> Duration {
        queue.pace(for: id, capacity: Self.capacity).after
    }

    /// Six terminals with three sales each, and one that claims to hold a million.
    private func queue(measured: Bool, liarFirst: Bool) -> RecoveryAdmission {
        var queue = RecoveryAdmission()
        func lie() {
            if measured {
                queue.note("liar", measured: .max, at: Self.at(0))
            } else {
                queue.note("liar", pending: .max, at: Self.at(0))
            }
        }
        if liarFirst { lie() }
        for number in 0..<6 { queue.note("t\(number)", pending: 3, at: Self.at(0)) }
        if !liarFirst { lie() }
        return queue
    }

    @Test("A claim counts ten times the median at most, whoever reports first, and so does what was measured")
    func bounded() {
        for (measured, liarFirst) in [(false, true), (false, false), (true, true), (true, false)] {
            let queue = queue(measured: measured, liarFirst: liarFirst)
            // 30 of the liar and 18 of the others at a hundred a second.
            let waits = (0..<6).map { wait(queue, "t\($0)") }
            #expect(waits.allSatisfy { $0 <= .milliseconds(480) }, "\(waits)")
            #expect(wait(queue, "liar") <= .milliseconds(480))
        }
    }

    @Test("Ten times the median counts in full, one more does not")
    func edge() {
        func work(_ claim: Int64) -> Duration {
            var queue = RecoveryAdmission()
            for number in 0..<9 { queue.note("t\(number)", pending: 20, at: Self.at(0)) }
            queue.note("big", pending: claim, at: Self.at(0))
            // One a millisecond; of many places in the queue the last has nearly all of it ahead.
            return (0..<2_000).map { queue.pace(for: "x\($0)", capacity: 60_000).after }.max() ?? .zero
        }
        #expect(work(200) == work(199) + .milliseconds(1))
        #expect(work(201) == work(200))
        #expect(work(1_000_000) == work(200))
    }

    @Test("One liar before anybody else has reported counts as ten of the usual")
    func alone() {
        var queue = RecoveryAdmission()
        queue.note("liar", pending: 1_000_000, at: Self.at(0))
        for number in 0..<40 { queue.expect("t\(number)", at: Self.at(0)) }
        // Forty silent terminals of the mean, 140 while the liar is one of five, and five hundred of its own.
        let longest = (0..<40).map { wait(queue, "t\($0)") }.max() ?? .zero
        #expect(longest <= .seconds(61), "\(longest)")
    }

    @Test("What was claimed goes down with what was accepted and never up again")
    func neverUp() {
        var queue = RecoveryAdmission()
        queue.note("t", pending: 100, at: Self.at(0))
        queue.tookIn("t", 60, isEmpty: false, at: Self.at(1))
        queue.note("t", pending: 1_000_000, at: Self.at(1))
        queue.tookIn("t", 40, isEmpty: false, at: Self.at(2))
        #expect(queue.isOver)
        queue.note("t", pending: 1_000_000, at: Self.at(3))
        #expect(queue.isOver)
    }

    @Test("What the hub measured replaces a claim, and later claims are not used")
    func measured() {
        var queue = RecoveryAdmission()
        queue.note("t", pending: 100, at: Self.at(0))
        queue.note("t", measured: 0, at: Self.at(1))
        #expect(queue.isOver)
        var late = RecoveryAdmission()
        late.note("t", pending: 1, at: Self.at(0))
        late.note("t", measured: 100, at: Self.at(1))
        late.tookIn("t", 1, isEmpty: false, at: Self.at(2))
        late.note("t", pending: 0, at: Self.at(2))
        #expect(!late.isOver)
        late.note("t", measured: 0, at: Self.at(3))
        #expect(late.isOver)
    }

    @Test("Who pushes without an end, result or not, is waited for no longer than its claim can take")
    func endless() {
        for results in [0, 1] {
            var queue = RecoveryAdmission()
            for number in 0..<9 { queue.note("t\(number)", pending: 0, at: Self.at(0)) }
            queue.note("liar", pending: 1_000_000, at: Self.at(0))
            var second = 0
            while !queue.isOver, second < 3_600 {
                second += 5
                queue.noteQuery("liar", capacity: Self.capacity, at: Self.at(second))
                queue.tookIn("liar", results, isEmpty: false, at: Self.at(second))
                queue.note("liar", pending: 1_000_000, at: Self.at(second))
                queue.sweep(at: Self.at(second))
            }
            // A minute, and twice five hundred at ten a second.
            #expect(second <= 175, "\(results) results a push")
        }
    }

    @Test("Only pushes with results for at least half of what they hold show what the store bears")
    func capacity() {
        var machine = QoSDecisionMachine(services: ["order"], settings: QoSSettings(), at: Self.at(0))
        let before = machine.measuredCapacity
        for second in 1...100 {
            _ = machine.handle(
                .intakeEnded(results: 0, sent: 200, of: "liar", since: Self.at(0)), at: Self.at(second))
            _ = machine.handle(
                .intakeEnded(results: 99, sent: 200, of: "liar", since: Self.at(0)), at: Self.at(second))
        }
        #expect(machine.measuredCapacity == before)
        _ = machine.handle(
            .intakeEnded(results: 100, sent: 200, of: "t", since: Self.at(100)), at: Self.at(101))
        #expect(machine.measuredCapacity < before)
    }
}
