public import Base
public import MachineRuntime
internal import CLinux
internal import Glibc
internal import Synchronization

/// The kernel's clocks. Every program here reads them through this type and no other.
public struct LinuxSystemTime: SystemTime {
    /// What ``SystemTime/now()`` shows.
    public enum Clock: Sendable {
        /// CLOCK_MONOTONIC, which stands still while the machine is suspended: for a terminal, whose machines
        /// get a suspension as an event of its own.
        case awake
        /// CLOCK_BOOTTIME, which counts it: for a hub, whose decisions expire for terminals that were awake.
        case withSuspension
    }

    private let clock: Clock
    private let loop: EventLoop?
    private static let boot = readBootId()

    /// - Parameters:
    ///   - clock: default ``Clock/awake``.
    ///   - loop: the loop on which tasks sleep, so that a cancelled sleep costs no wake-up; nil: they sleep
    ///     with `Task.sleep`. A loop's timers are on CLOCK_MONOTONIC, so ``Clock/withSuspension`` has none.
    public init(_ clock: Clock = .awake, loop: EventLoop? = nil) {
        precondition(clock == .awake || loop == nil, "a loop sleeps on the clock that stands still")
        self.clock = clock
        self.loop = loop
    }

    /// On the loop where one was given, so that a cancelled sleep leaves no timer; else with `Task.sleep`.
    public func sleep(until instant: Instant) async throws {
        if let loop { return try await loop.sleep(until: instant) }
        let remaining = max(Duration.zero, instant - now())
        switch clock {
        case .awake: try await Task.sleep(for: remaining, tolerance: .zero, clock: .suspending)
        case .withSuspension: try await Task.sleep(for: remaining, clock: .continuous)
        }
    }

    /// CLOCK_MONOTONIC, which stops while the machine is suspended.
    public func now() -> Instant {
        switch clock {
        case .awake: Instant(nanoseconds: kernelNanoseconds(of: CLOCK_MONOTONIC))
        case .withSuspension: Instant(nanoseconds: kernelNanoseconds(of: CLOCK_BOOTTIME))
        }
    }

    /// CLOCK_REALTIME in Unix milliseconds; it may be set back.
    public func wallMilliseconds() -> Int64 {
        kernelNanoseconds(of: CLOCK_REALTIME) / 1_000_000
    }

    /// By a distance between the two clocks that is kept: they cannot be read at the same moment, so a
    /// distance that is measured anew differs by some microseconds, and a moment that was shown before would
    /// seem to have changed. It is measured again when somebody has set the wall clock, or the machine was
    /// suspended.
    public func wallMilliseconds(of instant: Instant) -> Int64 {
        let now = now()
        let measured = kernelNanoseconds(of: CLOCK_REALTIME) - now.nanoseconds
        let distance = Self.distances.withLock { kept in
            if let known = kept[clock], abs(measured - known) < Self.setBy { return known }
            kept[clock] = measured
            return measured
        }
        return (instant.nanoseconds + distance) / 1_000_000
    }

    /// The wall clock minus ``now()``, in nanoseconds, for the whole process.
    private static let distances = Mutex<[Clock: Int64]>([:])
    /// A smaller difference, in nanoseconds, is the time between two readings, also of a thread that had to
    /// wait for a processor. With a tenth, a busy machine would move what was shown before; with ten times as
    /// much, moments behind a small correction of the clock are up to 5 s off.
    private static let setBy: Int64 = 500_000_000

    /// Zero with ``Clock/withSuspension``.
    public func suspended() -> Duration {
        guard clock == .awake else { return .zero }
        // The two clocks cannot be read at the same moment. Reading the monotonic clock first never makes the
        // difference too small; a few microseconds too much do not matter.
        let awake = kernelNanoseconds(of: CLOCK_MONOTONIC)
        return .nanoseconds(kernelNanoseconds(of: CLOCK_BOOTTIME) - awake)
    }

    /// `/proc/sys/kernel/random/boot_id` of random(4), a UUID.
    public var bootId: String { Self.boot }

    private static func readBootId() -> String {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 36)
        let count = read(descriptor, &bytes, bytes.count)
        return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : ""
    }
}

/// `clock_gettime` in nanoseconds; it fails for no clock that is named here.
func kernelNanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
