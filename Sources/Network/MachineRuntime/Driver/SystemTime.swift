public import Base

/// The clocks of the machine; the one place where a driver reads them.
public protocol SystemTime: Sendable {
    /// The moment by the clock that drivers stamp events with: CLOCK_MONOTONIC, unless the clock says
    /// otherwise.
    func now() -> Instant
    /// Unix milliseconds of the wall clock, for display and for identifiers.
    func wallMilliseconds() -> Int64
    /// Unix milliseconds of the machine's own wall clock, for a clock whose ``wallMilliseconds()`` follows
    /// another one. Default: the same.
    func machineWallMilliseconds() -> Int64
    /// By how much the machine was suspended while ``now()`` did not advance: CLOCK_BOOTTIME minus the clock
    /// of ``now()``.
    func suspended() -> Duration
    /// Unix milliseconds of `instant`, for display; the same at every call, until the wall clock is set.
    func wallMilliseconds(of instant: Instant) -> Int64
    /// An identifier of the machine's boot, another one after each restart. Default: empty, unknown.
    var bootId: String { get }
    /// Returns once ``now()`` has reached `instant`, or throws when the task is cancelled before.
    func sleep(until instant: Instant) async throws
}

extension SystemTime {
    /// The same: most clocks follow no other.
    public func machineWallMilliseconds() -> Int64 { wallMilliseconds() }

    /// Empty: a clock of tests and simulations knows no boot.
    public var bootId: String { "" }

    /// Sleeps on the clock that does not count while the machine is suspended, as ``now()`` does not.
    public func sleep(until instant: Instant) async throws {
        let remaining = instant - now()
        guard remaining > .zero else { return }
        try await Task.sleep(for: remaining, tolerance: .zero, clock: .suspending)
    }

    /// As exact as the wall clock is now: for clocks that only a test moves.
    public func wallMilliseconds(of instant: Instant) -> Int64 {
        wallMilliseconds() + (instant - now()).wholeMilliseconds
    }
}
