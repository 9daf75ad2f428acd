import Base
import OfflineCore
import Testing

@Suite("Errors never postpone the drain")
struct DrainPostponementTests {
    private let trouble = OutboxEvent.pushFinished(.hubTrouble(.service(.status(503)), retryAfter: nil))

    /// A machine whose push fails at the end of each of `failures` steps, and the moment of the last failure.
    private func troubled(
        seed: UInt64, failures: Int = 1, retryAfter: Duration? = nil
    ) -> (machine: OutboxMachine, now: Instant) {
        var machine = OutboxMachine(seed: seed)
        var now = at(0)
        _ = machine.handle(.rowsChanged, at: now)
        _ = machine.handle(.loaded((1...5).map { .row($0) }, reachedEnd: true), at: now)
        // Until the empty push has failed too, it is not known whose trouble it is.
        for _ in 0..<3 {
            _ = machine.handle(trouble, at: now)
            now = machine.deadline ?? now
            _ = machine.handle(.deadlineReached, at: now)
        }
        for _ in 1..<failures {
            _ = machine.handle(trouble, at: now)
            now = machine.deadline ?? now
            _ = machine.handle(.deadlineReached, at: now)
        }
        let last = PushOutcome.hubTrouble(.service(.status(503)), retryAfter: retryAfter)
        _ = machine.handle(.pushFinished(last), at: now)
        return (machine, now)
    }

    private func sends(_ effects: [OutboxEffect]) -> Bool {
        effects.contains { if case .push = $0 { true } else { false } }
    }

    @Test("attempts that sales brought forward leave the backoff where it was")
    func salesLeaveTheStep() throws {
        for seed in UInt64(1)...50 {
            var (machine, now) = troubled(seed: seed, failures: 8)
            let end = try #require(machine.rows(at: now).first?.nextAttempt)
            for attempt in 1...40 {
                now = now + .seconds(1)
                guard now + .seconds(1) < end else { break }
                var effects = machine.handle(.rowAdded, at: now)
                effects += machine.handle(.loaded([.row(5 + attempt)], reachedEnd: true), at: now)
                guard sends(effects) else { continue }
                _ = machine.handle(trouble, at: now)
                #expect(machine.rows(at: now).first?.nextAttempt == end, "seed \(seed), attempt \(attempt)")
            }
        }
    }

    @Test("after a minute of sales into errors the next attempt is minutes away at most, not hours")
    func minuteOfSales() {
        var waits: [Duration] = []
        for seed in UInt64(1)...200 {
            var (machine, _) = troubled(seed: seed)
            for second in 1...60 {
                while let deadline = machine.deadline, deadline < at(Double(second)) {
                    if sends(machine.handle(.deadlineReached, at: deadline)) {
                        _ = machine.handle(trouble, at: deadline)
                    }
                }
                _ = machine.handle(.rowAdded, at: at(Double(second)))
                _ = machine.handle(.loaded([.row(5 + second)], reachedEnd: true), at: at(Double(second)))
                _ = machine.handle(trouble, at: at(Double(second)))
            }
            waits.append((machine.deadline ?? at(60)) - at(60))
        }
        waits.sort()
        #expect(waits[100] <= .seconds(64))
        // Steps of 512 s are reached only after five short random waits out of nine.
        #expect(waits[199] <= .seconds(512))
    }

    @Test("a response of the hub to another call causes the next attempt within 2 s")
    func responseBringsNear() throws {
        for seed in UInt64(1)...200 {
            var (machine, now) = troubled(seed: seed, failures: 12)
            guard let end = machine.deadline, end > now + .seconds(3) else { continue }
            _ = machine.handle(.hubResponded(toProbe: false), at: now + .seconds(1))
            let next = try #require(machine.deadline)
            #expect(next <= now + .seconds(3), "seed \(seed)")
            #expect(sends(machine.handle(.deadlineReached, at: next)), "seed \(seed)")
        }
    }

    @Test("after a failed attempt of this kind, responses cause the next one 4 s later")
    func responsesInVain() throws {
        var (machine, now) = troubled(seed: 3, failures: 12)
        _ = machine.handle(.hubResponded(toProbe: false), at: now)
        for _ in 0..<5 {
            now = try #require(machine.deadline)
            _ = machine.handle(.deadlineReached, at: now)
            _ = machine.handle(trouble, at: now)
            _ = machine.handle(.hubResponded(toProbe: false), at: now + .milliseconds(10))
            #expect(machine.deadline == now + .seconds(4))
        }
        _ = machine.handle(.hubResponded(toProbe: false), at: now + .milliseconds(3_900))
        #expect(try #require(machine.deadline) <= now + .milliseconds(4_900))
    }

    @Test("a response causes no attempt inside a Retry-After, nor where nothing waits")
    func responseInsideRetryAfter() {
        var (machine, failed) = troubled(seed: 1, retryAfter: .seconds(60))
        let end = failed + .seconds(60)
        #expect(machine.handle(.hubResponded(toProbe: false), at: failed + .seconds(1)).isEmpty)
        #expect(machine.deadline == end)
        #expect(machine.retryAfterEnds(at: end - .seconds(1)) == end)
        #expect(machine.retryAfterEnds(at: end) == nil)
        var idle = OutboxMachine(seed: 1)
        _ = idle.handle(.rowsChanged, at: at(0))
        _ = idle.handle(.loaded([], reachedEnd: true), at: at(0))
        #expect(idle.handle(.hubResponded(toProbe: false), at: at(1)).isEmpty)
        #expect(idle.deadline == nil)
    }

    @Test("a good probe causes an attempt from 15 s after the last failed push on")
    func probes() throws {
        var (machine, failed) = troubled(seed: 3, failures: 12)
        let before = try #require(machine.deadline)
        #expect(before > failed + .seconds(20))
        _ = machine.handle(.hubResponded(toProbe: true), at: failed + .milliseconds(14_999))
        #expect(machine.deadline == before)
        _ = machine.handle(.hubResponded(toProbe: true), at: failed + .seconds(15))
        #expect(try #require(machine.deadline) <= failed + .seconds(17))
    }

    @Test("a Retry-After is an hour at most, and ends at its end")
    func longestRetryAfter() {
        var (machine, failed) = troubled(seed: 1, retryAfter: .seconds(400_000))
        let end = failed + .seconds(3_600)
        #expect(machine.retryAfterEnds(at: failed) == end)
        #expect(machine.handle(.deadlineReached, at: end - .milliseconds(1)).isEmpty)
        #expect(sends(machine.handle(.deadlineReached, at: end)))
    }
}
