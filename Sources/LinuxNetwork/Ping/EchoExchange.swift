internal import Glibc
internal import OfflineCore
internal import OfflineMode

/// One echo request and the wait for its reply, in system calls that block.
struct EchoExchange {
    let address: IPAddress
    let timeout: Duration
    let time = LinuxSystemTime()

    /// How an echo ended, one address of several considered.
    enum End: Equatable {
        case answered(Duration)
        case timedOut
        /// No route or no such family here; another address may be reachable.
        case unreachable
        case unavailable
    }

    func run() -> End {
        let socket: EchoSocket
        do throws(EchoSocketError) {
            socket = try EchoSocket(address.family)
        } catch {
            // A kernel without IPv6 is a way that does not exist, not a missing permission.
            return error.code == EAFNOSUPPORT ? .unreachable : .unavailable
        }
        let code = socket.connect(to: address)
        guard code == 0 else { return Self.end(ofSending: code) }
        return exchange(over: socket)
    }

    private func exchange(over socket: borrowing EchoSocket) -> End {
        var generator = SystemRandomNumberGenerator()
        var payload: [UInt8] = []
        for _ in 0..<2 { withUnsafeBytes(of: generator.next() as UInt64) { payload += $0 } }
        let packet = EchoPacket(
            family: address.family, sequence: UInt16(truncatingIfNeeded: generator.next() as UInt64),
            payload: payload)
        let request = packet.request(identifier: UInt16(truncatingIfNeeded: getpid()))
        let sentAt = time.now()
        let sent = request.withUnsafeBytes {
            send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == request.count else { return Self.end(ofSending: errno) }
        return reply(to: packet, over: socket, sentAt: sentAt)
    }

    private func reply(to packet: EchoPacket, over socket: borrowing EchoSocket, sentAt: Instant) -> End {
        let deadline = sentAt + timeout
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            let left = deadline - time.now()
            guard left > .zero else { return .timedOut }
            var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            // Rounded up, so that the last part of a millisecond is not spent in a loop.
            guard poll(&waiting, 1, Int32(clamping: left.wholeMilliseconds + 1)) > 0 else { continue }
            let count = recv(socket.descriptor, &buffer, buffer.count, 0)
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { return Self.end(ofSending: errno) }
                continue
            }
            if packet.isAnswered(by: buffer[..<count], hasIPHeader: socket.givesIPHeader) {
                return .answered(time.now() - sentAt)
            }
        }
    }

    /// What an errno of `connect`, `send` or `recv` says.
    private static func end(ofSending code: Int32) -> End {
        switch code {
        // A firewall that forbids sending says nothing of the network.
        case EACCES, EPERM: .unavailable
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT, ENETDOWN, EINVAL, ENODEV: .unreachable
        default: .timedOut
        }
    }
}
