package import Base
import MachineRuntime
import Synchronization

/// A clock that a test moves, and that wakes those who sleep on it.
package final class HandClock: SystemTime {
    private struct State {
        var now = Instant(nanoseconds: 0)
        var suspended = Duration.zero
        var wallStep: Int64 = 0
        var sleepers: [UInt64: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var nextToken: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A clock that shows zero.
    package init() {}

    package func now() -> Instant { state.withLock { $0.now } }

    /// The wall clock showed `epoch` when this one showed zero.
    package func wallMilliseconds() -> Int64 {
        let (now, step) = state.withLock { ($0.now, $0.wallStep) }
        return Self.epoch + step + (now - Instant(nanoseconds: 0)).wholeMilliseconds
    }
    package func suspended() -> Duration { state.withLock { $0.suspended } }

    /// The moments that tasks sleep for, the earliest first.
    package var alarms: [Instant] { state.withLock { $0.sleepers.values.map(\.until).sorted() } }

    /// Unix milliseconds of the clock's zero.
    package static let epoch: Int64 = 1_700_000_000_000

    /// Somebody sets the wall clock.
    package func setWall(forwardBy milliseconds: Int64) { state.withLock { $0.wallStep += milliseconds } }

    /// The machine was suspended: this clock did not count meanwhile.
    package func suspend(for duration: Duration) { state.withLock { $0.suspended += duration } }

    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now + duration
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for token in due.keys { state.sleepers[token] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    package func sleep(until instant: Instant) async throws {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.now < instant, !Task.isCancelled else { return true }
                    state.sleepers[token] = (instant, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: token) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
