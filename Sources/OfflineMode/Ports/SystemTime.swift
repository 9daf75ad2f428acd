public import OfflineCore

/// The clocks of the machine; the one place where a driver reads them.
public protocol SystemTime: Sendable {
    /// CLOCK_MONOTONIC.
    func now() -> Instant
    /// Unix milliseconds of the wall clock, for display and for identifiers.
    func wallMilliseconds() -> Int64
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC: grows by the time that was suspended.
    func suspended() -> Duration
}
