import Base
import LinuxRuntime
import MachineRuntime
import Synchronization

/// The clocks of one till: the world's, and what is wrong with its own.
final class SimulatedTime: SystemTime {
    let base: LinuxSystemTime
    /// `zero` is what the world's clock had when the machine booted last.
    private let state = Mutex(
        (wall: Int64(0), suspended: Duration.zero, boot: 0, zero: Duration.zero, asleep: Int64(0)))

    init(loop: EventLoop) { base = LinuxSystemTime(.awake, loop: loop) }

    func now() -> Instant { base.now() - state.withLock(\.zero) }
    func wallMilliseconds() -> Int64 { base.wallMilliseconds() + state.withLock(\.wall) }
    func suspended() -> Duration { state.withLock(\.suspended) }
    /// Milliseconds that really passed for its people: the world's, and those in which the machine slept. No
    /// clock of the till that somebody sets changes it.
    var passedMilliseconds: Int64 { base.wallMilliseconds() + state.withLock(\.asleep) }
    var bootId: String { "boot-\(state.withLock(\.boot))" }
    func sleep(until instant: Instant) async throws {
        try await base.sleep(until: instant + state.withLock(\.zero))
    }

    /// Sets the wall clock forward by milliseconds, or back.
    func leap(by milliseconds: Int64) { state.withLock { $0.wall += milliseconds } }

    /// The machine begins anew, and its monotonic clock from zero.
    func reboot() {
        let now = base.now() - Instant(nanoseconds: 0)
        state.withLock { ($0.boot, $0.suspended, $0.zero) = ($0.boot + 1, .zero, now) }
    }

    /// The machine slept, and its clocks went on meanwhile but the monotonic one.
    func wake(after duration: Duration) {
        state.withLock { state in
            state.suspended += duration
            state.wall += duration.wholeMilliseconds
            state.asleep += duration.wholeMilliseconds
        }
    }
}
