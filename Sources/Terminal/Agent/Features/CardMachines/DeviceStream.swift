import Base

internal import Dispatch
internal import Glibc
internal import Printing
internal import Synchronization

/// Where a device is on the shop's network.
package struct DeviceAddress: Hashable, Sendable {
    package let host: String
    package let port: UInt16
    /// As configured.
    package let text: String

    /// Nil for anything but `tcp:HOST:PORT`.
    init?(_ text: String) {
        guard case .tcp(let host, let port)? = try? PrinterAddress(text) else { return nil }
        (self.host, self.port, self.text) = (host, port, text)
    }
}

/// A connection of bytes to a device, which ends with its last reference.
package protocol DeviceLine: Sendable {
    /// - Returns: whether all of it is on its way.
    func send(_ bytes: [UInt8], until end: ContinuousClock.Instant) async -> Bool

    /// What has arrived, at least one byte; nil at the connection's end; empty at the deadline, and where the
    /// task was cancelled.
    func receive(until end: ContinuousClock.Instant) async -> [UInt8]?
}

/// A TCP connection to a device. Its calls wait on a thread of their own, since a device may take minutes.
/// A cancelled task ends its wait; the connection stays.
final class DeviceStream: DeviceLine {
    private let descriptor: Int32
    private static let queue = DispatchQueue(label: "device", attributes: .concurrent)

    /// How long a cancellation may go unnoticed, in milliseconds. A cashier who gives up sees no difference;
    /// halved, a waiting sale wakes its thread twice as often.
    private static let step: Int64 = 100

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Nil where nobody accepts the connection in time.
    static func connect(to address: DeviceAddress, within limit: Duration) async -> DeviceStream? {
        let end = ContinuousClock.now + limit
        return await onThread { isCancelled in open(address, until: end, isCancelled) }
    }

    func send(_ bytes: [UInt8], until end: ContinuousClock.Instant) async -> Bool {
        await Self.onThread { [self] isCancelled in
            var sent = 0
            while sent < bytes.count {
                guard Self.isReady(descriptor, for: POLLOUT, until: end, isCancelled) else { return false }
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    func receive(until end: ContinuousClock.Instant) async -> [UInt8]? {
        await Self.onThread { [self] isCancelled in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while Self.isReady(descriptor, for: POLLIN, until: end, isCancelled) {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                // A device that sends two messages in a row holds the second one back until the kernel has
                // acknowledged the first, 40 ms later. The option ends with each receipt.
                Self.set(TCP_QUICKACK, on: descriptor)
                return count > 0 ? Array(buffer[..<count]) : nil
            }
            return []
        }
    }

    /// Without it messages only come later.
    private static func set(_ option: Int32, on descriptor: Int32) {
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), option, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: borrowing Atomic<Bool>) -> Value
    ) async -> Value {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body(cancellation.isCancelled)) }
            }
        } onCancel: {
            cancellation.isCancelled.store(true, ordering: .releasing)
        }
    }

    private final class Cancellation: Sendable {
        let isCancelled = Atomic(false)
    }

    /// Waits until the descriptor can be used; false at the deadline and after a cancellation.
    private static func isReady(
        _ descriptor: Int32, for events: Int32, until end: ContinuousClock.Instant,
        _ isCancelled: borrowing Atomic<Bool>
    ) -> Bool {
        while !isCancelled.load(ordering: .acquiring) {
            let left = ContinuousClock.now.duration(to: end).wholeMilliseconds
            guard left > 0 else { return false }
            var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&waiting, 1, Int32(min(left, step)))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
        return false
    }

    private static func open(
        _ address: DeviceAddress, until end: ContinuousClock.Instant, _ isCancelled: borrowing Atomic<Bool>
    ) -> DeviceStream? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let info = found else {
            return nil
        }
        defer { freeaddrinfo(found) }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(info.pointee.ai_family, flags, 0)
        guard descriptor >= 0 else { return nil }
        set(TCP_NODELAY, on: descriptor)
        set(TCP_QUICKACK, on: descriptor)
        let stream = DeviceStream(descriptor: descriptor)
        if Glibc.connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 { return stream }
        guard errno == EINPROGRESS, isReady(descriptor, for: POLLOUT, until: end, isCancelled) else {
            return nil
        }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0 ? stream : nil
    }
}
