internal import Glibc

/// A non-blocking TCP socket on loopback, closed when the last reference is released.
final class TCPSocket {
    /// How reading went.
    enum Reading {
        case bytes([UInt8])
        case nothingYet
        /// The peer will send no more.
        case ended
        case broken
    }

    let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// A socket bound to `port` of 127.0.0.1, 0 for a free one.
    static func bound(port: UInt16) throws(FaultRelayError) -> TCPSocket {
        let socket = try make()
        var yes: Int32 = 1
        setsockopt(
            socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let result = withLoopback(port: port) { bind(socket.descriptor, $0, $1) }
        guard result == 0 else { throw .notStarted(call: "bind", code: errno) }
        return socket
    }

    /// A socket that connects to `port` of 127.0.0.1; nil when that is refused at once.
    static func connecting(to port: UInt16) -> TCPSocket? {
        guard let socket = try? make() else { return nil }
        var yes: Int32 = 1
        setsockopt(
            socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        let result = withLoopback(port: port) { connect(socket.descriptor, $0, $1) }
        return result == 0 || errno == EINPROGRESS ? socket : nil
    }

    func listen() throws(FaultRelayError) {
        guard Glibc.listen(descriptor, 128) == 0 else { throw .notStarted(call: "listen", code: errno) }
    }

    func accept() -> TCPSocket? {
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        var yes: Int32 = 1
        setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return TCPSocket(descriptor: accepted)
    }

    var localPort: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Lets the sender wait with what was not read, but for some KiB.
    func useSmallBuffer() {
        var bytes: Int32 = 4_096
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// How much is read at once by default.
    static let chunk = 64 << 10

    func read(atMost limit: Int) -> Reading {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        if count == 0 { return .ended }
        return errno == EAGAIN || errno == EINTR ? .nothingYet : .broken
    }

    /// The number of bytes that the kernel accepted, 0 when it has no room; nil when the connection is
    /// broken.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR || errno == ENOTCONN ? 0 : nil
    }

    /// Signals to the peer that no more will be sent.
    func finishWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the closing of the socket a reset instead of an orderly end.
    func reset() {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }

    private static func make() throws(FaultRelayError) -> TCPSocket {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw .notStarted(call: "socket", code: errno) }
        return TCPSocket(descriptor: descriptor)
    }

    private static func withLoopback<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
