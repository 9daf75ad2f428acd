public import Base
public import EventLoop
internal import Glibc
public import OfflineMode

/// The kernel's clocks.
public struct LinuxSystemTime: SystemTime {
    private let loop: EventLoop?
    private static let boot = readBootId()

    /// - Parameter loop: the loop on which tasks sleep, so that a cancelled sleep costs no wake-up; nil: they
    ///   sleep with `Task.sleep`.
    public init(loop: EventLoop? = nil) {
        self.loop = loop
    }

    /// On the loop where one was given, so that a cancelled sleep leaves no timer; else with `Task.sleep`.
    public func sleep(until instant: Instant) async throws {
        if let loop {
            try await loop.sleep(until: instant)
        } else {
            try await Task.sleep(
                for: max(Duration.zero, instant - now()), tolerance: .zero, clock: .suspending)
        }
    }

    /// CLOCK_MONOTONIC, which stops while the machine is suspended.
    public func now() -> Instant {
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC))
    }

    /// CLOCK_REALTIME in Unix milliseconds; it may be set back.
    public func wallMilliseconds() -> Int64 {
        Self.nanoseconds(of: CLOCK_REALTIME) / 1_000_000
    }

    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC, at most a few microseconds too much.
    public func suspended() -> Duration {
        // The two clocks cannot be read at the same moment. Reading the monotonic clock first never makes the
        // difference too small; a few microseconds too much do not matter.
        let awake = Self.nanoseconds(of: CLOCK_MONOTONIC)
        return .nanoseconds(Self.nanoseconds(of: CLOCK_BOOTTIME) - awake)
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

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
