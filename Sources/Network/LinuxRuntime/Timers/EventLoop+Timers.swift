internal import Glibc
public import Base

/// Timers of the loop. Everything here is for the loop's thread.
extension EventLoop {
    /// Identifies a timer.
    public struct TimerToken: Hashable, Sendable {
        let sequence: UInt64
    }

    /// Calls `handler` once ``OfflineCore/Instant`` `instant` of CLOCK_MONOTONIC has come, never before.
    @discardableResult
    public func schedule(at instant: Instant, _ handler: @escaping () -> Void) -> TimerToken {
        precondition(isCurrent, "a timer is set on the loop's thread")
        return TimerToken(sequence: timers.schedule(at: instant.nanoseconds, handler))
    }

    /// Cancels a timer; it causes no wake-up any more. One that has fired is no error.
    public func cancel(_ timer: TimerToken) {
        precondition(isCurrent, "a timer is cancelled on the loop's thread")
        timers.cancel(timer.sequence)
    }

    /// A timer that is never cancelled, for the runtime's sleeping tasks.
    ///
    /// - Parameter countsSuspension: whether the clock advances while the machine is suspended.
    func schedule(after delay: Duration, countsSuspension: Bool, _ handler: @escaping () -> Void) {
        precondition(isCurrent, "a timer is set on the loop's thread")
        if countsSuspension {
            _ = sleepProofTimers.schedule(after: delay.wholeNanoseconds, handler)
        } else {
            _ = timers.schedule(after: delay.wholeNanoseconds, handler)
        }
    }

    func runDueTimers() {
        timers.noteRang()
        while let handler = timers.takeDue() { handler() }
    }

    func runDueSleepProofTimers() {
        sleepProofTimers.noteRang()
        while let handler = sleepProofTimers.takeDue() { handler() }
    }
}
