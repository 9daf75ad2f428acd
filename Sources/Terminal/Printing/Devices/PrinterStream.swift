internal import Base
internal import Glibc
internal import LinuxRuntime
internal import MachineRuntime

/// A descriptor that leads to a printer, with a deadline for every wait. It blocks its thread.
struct PrinterStream: ~Copyable {
    private let descriptor: Int32
    private let canRead: Bool
    private static let time = LinuxSystemTime()

    /// Takes `descriptor` over, which must not block. The process ignores SIGPIPE, as `pos` does.
    init(owning descriptor: Int32, canRead: Bool) {
        self.descriptor = descriptor
        self.canRead = canRead
    }

    deinit { close(descriptor) }

    /// - Parameter limit: the longest time without progress.
    /// - Throws: the system's text. Some of `bytes` may have been sent.
    func write(_ bytes: [UInt8], limit: Duration) throws(PrinterFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard wait(for: Int16(POLLOUT), limit) else {
                throw .noResponse("the printer takes no data")
            }
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count > 0 else { throw .system("write") }
            rest = rest.dropFirst(count)
        }
    }

    /// Requests the paper sensor; a printer that is silent, or sends something else, has none.
    ///
    /// - Throws: for a connection that the printer has closed.
    func paperState(limit: Duration) throws(PrinterFault) -> PaperState {
        guard canRead else { return .unknown }
        guard discardInput() == .nothing else { throw .closed }
        try write(EscPosEncoder.paperStatusRequest, limit: limit)
        guard wait(for: Int16(POLLIN), limit) else { return .unknown }
        var status: UInt8 = 0
        let count = read(descriptor, &status, 1)
        guard count >= 0 || errno != ECONNRESET else { throw .closed }
        return count == 1 ? PaperState(statusByte: status) : .unknown
    }

    /// Waits until the other side's system has confirmed everything that was written.
    func waitUntilSent(limit: Duration) throws(PrinterFault) {
        let end = Self.time.now() + limit
        while true {
            var queued: Int32 = 0
            // A device without a queue of its own cannot report one.
            guard ioctl(descriptor, UInt(TIOCOUTQ), &queued) == 0, queued > 0, !isReset else { break }
            guard Self.time.now() < end else { throw .noResponse("the printer confirms no data") }
            // The kernel wakes nobody up for this. Halved, more wake-ups for each receipt; doubled, no harm.
            usleep(20_000)
        }
        guard !isReset else { throw .closed }
    }

    /// Reads until the other side ends too, so that nothing on its way to the printer is thrown away.
    func finish(limit: Duration) {
        guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { return }
        let end = Self.time.now() + limit
        while Self.time.now() < end, wait(for: Int16(POLLIN), end - Self.time.now()) {
            var bytes = [UInt8](repeating: 0, count: 64)
            guard read(descriptor, &bytes, bytes.count) > 0 else { return }
        }
    }

    private var isReset: Bool {
        var waiting = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&waiting, 1, 0) == 1 && waiting.revents & Int16(POLLERR) != 0
    }

    /// What the printer has sent by itself.
    private enum Input {
        case nothing
        /// It ended the connection in order.
        case end
        case reset
    }

    /// Whether the printer has ended the connection in order.
    var hasEnded: Bool { discardInput() == .end }

    private func discardInput() -> Input {
        guard canRead else { return .nothing }
        var bytes = [UInt8](repeating: 0, count: 64)
        while wait(for: Int16(POLLIN), .zero) {
            let count = read(descriptor, &bytes, bytes.count)
            if count == 0 { return .end }
            if count < 0 { return errno == ECONNRESET ? .reset : .nothing }
        }
        return .nothing
    }

    /// Whether the descriptor is ready, also for its error, before `limit`.
    func wait(for events: Int16, _ limit: Duration) -> Bool {
        let end = Self.time.now() + limit
        while true {
            var waiting = pollfd(fd: descriptor, events: events, revents: 0)
            let rest = max(0, (end - Self.time.now()).wholeMilliseconds)
            let count = poll(&waiting, 1, Int32(clamping: rest))
            if count > 0 { return true }
            guard count < 0 && errno == EINTR else { return false }
        }
    }

    /// The result of a connection that was begun.
    var connectionError: Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }
}

extension PaperState {
    /// The byte of `DLE EOT 4`: bits 2 and 3 for the near end, 5 and 6 for the end, bits 0, 1, 4 and 7 fixed.
    init(statusByte: UInt8) {
        guard statusByte & 0b1001_0011 == 0b0001_0010 else {
            self = .unknown
            return
        }
        self = statusByte & 0x60 != 0 ? .out : statusByte & 0x0C != 0 ? .low : .enough
    }
}

extension PrinterFault {
    static let closed = PrinterFault.noResponse("the printer closed the connection")

    /// The call that just failed, with the system's text for it.
    static func system(_ call: String, code: Int32 = errno) -> PrinterFault {
        .noResponse("\(call): " + String(cString: strerror(code)))
    }
}
