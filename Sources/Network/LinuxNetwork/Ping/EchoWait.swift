import Base
internal import LinuxRuntime
internal import MachineRuntime
internal import Glibc
internal import OfflineCore

/// The wait for the reply to one echo request. The loop's watch and timer keep it until the first of them
/// fires.
final class EchoWait {
    private let socket: EchoSocket
    private let packet: EchoPacket
    private let sentAt: Instant
    private let loop: EventLoop
    private let completion: (EchoExchange.End) -> Void
    private let time = LinuxSystemTime()
    private var watch: EventLoop.WatchToken?
    private var timer: EventLoop.TimerToken?

    init(
        socket: consuming EchoSocket, packet: EchoPacket, sentAt: Instant, loop: EventLoop,
        completion: @escaping (EchoExchange.End) -> Void
    ) {
        self.socket = socket
        self.packet = packet
        self.sentAt = sentAt
        self.loop = loop
        self.completion = completion
    }

    func begin(timeout: Duration) {
        do throws(EventLoopError) {
            watch = try loop.watch(socket.descriptor, for: .read) { [self] _ in receive() }
        } catch {
            return completion(.unavailable)
        }
        timer = loop.schedule(at: sentAt + timeout) { [self] in end(.timedOut) }
    }

    private func end(_ end: EchoExchange.End) {
        if let watch { loop.ignore(watch) }
        if let timer { loop.cancel(timer) }
        completion(end)
    }

    /// Reads the received datagrams; a raw socket gets the echoes of other processes as well.
    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            let count = recv(socket.descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else {
                if errno == EINTR { continue }
                if errno != EAGAIN { end(EchoExchange.end(ofSending: errno)) }
                return
            }
            if packet.hasResponse(by: buffer[..<count], hasIPHeader: socket.givesIPHeader) {
                return end(.responded(time.now() - sentAt))
            }
        }
    }
}
