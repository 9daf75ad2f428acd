import Base
import MachineRuntime
import Synchronization
import TestKit
import Testing

@Suite("A race with a deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
    private struct Broken: Error, Equatable {}

    private let clock = HandClock()
    private var end: Instant { Instant(nanoseconds: 1_000_000_000) }

    @Test("work in time returns its value, and nobody sleeps any longer")
    func inTime() async {
        #expect(await withDeadline(end, on: clock) { 7 } == 7)
        await eventually { clock.alarms.isEmpty }
    }

    @Test("what the work throws in time is thrown")
    func throwing() async {
        await #expect(throws: Broken()) {
            try await withDeadline(end, on: clock) { () async throws(Broken) -> Int in throw Broken() }
        }
    }

    @Test("at the deadline, and not a nanosecond before it, the wait ends and the work is cancelled")
    func late() async {
        let isCancelled = Mutex(false)
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        let isOver = Mutex(false)
        async let value: Int? = {
            let value = await withDeadline(end, on: clock) { () -> Int in
                for await _ in never {}
                isCancelled.withLock { $0 = Task.isCancelled }
                return 1
            }
            isOver.withLock { $0 = true }
            return value
        }()
        await eventually { clock.alarms == [end] }
        clock.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(clock.alarms == [end])
        #expect(!isOver.withLock { $0 })
        clock.advance(by: .nanoseconds(1))
        #expect(await value == nil)
        await eventually { isCancelled.withLock { $0 } }
    }

    @Test("work that ignores cancellation runs on without a waiter")
    func stubborn() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let isDone = Mutex(false)
        async let value = withDeadline(end, on: clock, cancels: false) { () -> Bool in
            for await _ in gate {}
            isDone.withLock { $0 = !Task.isCancelled }
            return true
        }
        await eventually { clock.alarms == [end] }
        clock.advance(by: .seconds(1))
        #expect(await value == nil)
        #expect(!isDone.withLock { $0 })
        open.finish()
        await eventually { isDone.withLock { $0 } }
    }

    @Test("a caller that is cancelled waits no longer")
    func cancelled() async {
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        let caller = Task { [clock, end] in
            await withDeadline(end, on: clock) { () -> Int in
                for await _ in never {}
                return 1
            }
        }
        await eventually { clock.alarms == [end] }
        caller.cancel()
        #expect(await caller.value == nil)
        await eventually { clock.alarms.isEmpty }
    }

    @Test("work that has to end first is cancelled at the deadline and waited for")
    func joined() async {
        let hasEnded = Mutex(false)
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        async let value = untilDeadline(end, on: clock) { () -> Int in
            for await _ in never {}
            // A reader that puts its bytes away although nobody wants them any more.
            for _ in 0..<100 { await Task.yield() }
            hasEnded.withLock { $0 = Task.isCancelled }
            return 1
        }
        await eventually { clock.alarms == [end] }
        clock.advance(by: .seconds(1))
        #expect(await value == nil)
        #expect(hasEnded.withLock { $0 })
    }

    @Test("work that has to end first returns its value or its error in time, and nobody sleeps any longer")
    func joinedInTime() async throws {
        #expect(await untilDeadline(end, on: clock) { 7 } == 7)
        await #expect(throws: Broken()) {
            try await untilDeadline(end, on: clock) { () async throws(Broken) -> Int in throw Broken() }
        }
        #expect(clock.alarms.isEmpty)
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        let caller = Task { [clock, end] in
            await untilDeadline(end, on: clock) { () -> Int in
                for await _ in never {}
                return 1
            }
        }
        await eventually { clock.alarms == [end] }
        caller.cancel()
        _ = await caller.value
        #expect(clock.alarms.isEmpty)
    }

    @Test("a wait in the caller's own task is ended at the deadline, once")
    func waits() async {
        let (waiter, wake) = AsyncStream.makeStream(of: Void.self)
        let expired = Mutex(0)
        async let done: Void = waiting(until: end, on: clock) {
            for await _ in waiter {}
        } expire: {
            expired.withLock { $0 += 1 }
            wake.finish()
        }
        await eventually { clock.alarms == [end] }
        clock.advance(by: .seconds(1))
        await done
        #expect(expired.withLock { $0 } == 1)
    }

    @Test("a wait that ends in time expires never")
    func waitInTime() async {
        let expired = Mutex(0)
        let value = await waiting(until: end, on: clock) {
            3
        } expire: {
            expired.withLock { $0 += 1 }
        }
        #expect(value == 3)
        await eventually { clock.alarms.isEmpty }
        clock.advance(by: .seconds(2))
        #expect(expired.withLock { $0 } == 0)
    }
}
