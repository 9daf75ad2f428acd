internal import LinuxRuntime
internal import MachineRuntime
internal import Glibc
internal import OfflineCore

/// Sends one echo request and starts the wait for its reply, on the loop's thread.
struct EchoExchange {
    let address: IPAddress
    /// What it leaves by; nil: as the kernel's routes lead.
    let interface: String?
    let timeout: Duration
    let loop: EventLoop
    private let time = LinuxSystemTime()

    init(address: IPAddress, interface: String? = nil, timeout: Duration, loop: EventLoop) {
        self.address = address
        self.interface = interface
        self.timeout = timeout
        self.loop = loop
    }

    /// How an echo to one of several addresses ended.
    enum End: Equatable {
        case responded(Duration)
        case timedOut
        /// No route or no such family here; another address may be reachable.
        case unreachable
        case unavailable
    }

    /// Calls `completion` once, before this returns where nothing could be sent.
    func run(_ completion: @escaping (End) -> Void) {
        do throws(EchoSocketError) {
            try exchange(over: EchoSocket(address.family), completion)
        } catch {
            // A kernel without IPv6 means a missing path, not a missing permission.
            completion(error.code == EAFNOSUPPORT ? .unreachable : .unavailable)
        }
    }

    private func exchange(over socket: consuming EchoSocket, _ completion: @escaping (End) -> Void) {
        if let interface {
            let code = socket.bind(to: interface)
            guard code == 0 else { return completion(Self.end(ofSending: code)) }
        }
        let code = socket.connect(to: address)
        guard code == 0 else { return completion(Self.end(ofSending: code)) }
        let packet = makePacket()
        let request = packet.request(identifier: UInt16(truncatingIfNeeded: getpid()))
        let sentAt = time.now()
        let sent = request.withUnsafeBytes {
            send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == request.count else { return completion(Self.end(ofSending: errno)) }
        EchoWait(socket: socket, packet: packet, sentAt: sentAt, loop: loop, completion: completion)
            .begin(timeout: timeout)
    }

    private func makePacket() -> EchoPacket {
        var generator = SystemRandomNumberGenerator()
        var payload: [UInt8] = []
        for _ in 0..<2 { withUnsafeBytes(of: generator.next() as UInt64) { payload += $0 } }
        return EchoPacket(
            family: address.family, sequence: UInt16(truncatingIfNeeded: generator.next() as UInt64),
            payload: payload)
    }

    /// The result for an errno of `connect`, `send` or `recv`.
    static func end(ofSending code: Int32) -> End {
        switch code {
        // A firewall that forbids sending is no evidence on the network.
        case EACCES, EPERM: .unavailable
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT, ENETDOWN, EINVAL, ENODEV: .unreachable
        default: .timedOut
        }
    }
}
