internal import CLinux
internal import Glibc

/// Wakes a thread that sleeps in `poll`, through an eventfd.
final class Wakeup: Sendable {
    private let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Safe from any thread, and remembered when nobody sleeps yet.
    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Sleeps until a signal, until `socket` has something to read, or until `duration` has passed.
    ///
    /// - Returns: false when the time passed.
    @discardableResult
    func wait(besides socket: Int32?, for duration: Duration) -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let socket { descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
        let (seconds, attoseconds) = max(duration, .zero).components
        let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        guard ready != 0 else { return false }
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        return true
    }
}
