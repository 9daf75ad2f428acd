public import Base

/// The clocks of the machine; the one place where a driver reads them.
public protocol SystemTime: Sendable {
    /// CLOCK_MONOTONIC.
    func now() -> Instant
    /// Unix milliseconds of the wall clock, for display and for identifiers.
    func wallMilliseconds() -> Int64
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC: grows by the time that the machine was suspended.
    func suspended() -> Duration
    /// An identifier of the machine's boot, another one after each restart. Default: empty, unknown.
    var bootId: String { get }
    /// Returns once ``now()`` has reached `instant`, or throws when the task is cancelled before.
    func sleep(until instant: Instant) async throws
}

extension SystemTime {
    public var bootId: String { "" }

    /// Sleeps on the clock that does not count while the machine is suspended, as ``now()`` does not.
    public func sleep(until instant: Instant) async throws {
        let remaining = instant - now()
        guard remaining > .zero else { return }
        try await Task.sleep(for: remaining, tolerance: .zero, clock: .suspending)
    }
}
