internal import Glibc
package import LinuxRuntime

/// A socket that other machines connect to.
package final class TCPListener: Sendable {
    private let descriptor: Int32
    private let loop: EventLoop
    /// With the port that the system chose where none was named.
    package let address: SocketAddress

    /// Listens at once.
    ///
    /// - Throws: ``TLSStreamFailure/notConnected(code:)`` with the error number, for example EADDRINUSE.
    package init(_ address: SocketAddress, on loop: EventLoop) throws(TLSStreamFailure) {
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(address.family, Int32(kind), 0)
        guard descriptor >= 0 else { throw .notConnected(code: errno) }
        var isOn: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, size)
        if address.family == AF_INET6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, size)
        }
        guard address.withSystemAddress({ bind(descriptor, $0, $1) }) == 0,
            listen(descriptor, Self.backlog) == 0
        else {
            let code = errno
            close(descriptor)
            throw .notConnected(code: code)
        }
        (self.descriptor, self.loop) = (descriptor, loop)
        self.address = address.with(port: Self.port(of: descriptor) ?? address.port)
    }

    deinit { close(descriptor) }

    /// Twice the tills of a store that start at once; strangers beyond wait in vain.
    private static let backlog: Int32 = 32

    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &size) == 0 ? SocketAddress(address)?.port : nil
            }
        }
    }

    /// The next connection and where it comes from; nil where none can be accepted any more. It does not
    /// block, and belongs to the caller.
    ///
    /// - Throws: ``TLSStreamFailure/notConnected(code:)`` where the system has no descriptor just now.
    package func accept() async throws(TLSStreamFailure) -> (descriptor: Int32, from: SocketAddress)? {
        while !Task.isCancelled {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let (socket, from) = withUnsafeMutablePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let socket = Glibc.accept(descriptor, address, &size)
                    return (socket, socket < 0 ? nil : SocketAddress(address))
                }
            }
            if socket >= 0 {
                guard let from else {
                    close(socket)
                    continue
                }
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                _ = fcntl(socket, F_SETFL, O_NONBLOCK)
                return (socket, from)
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue
            case EAGAIN:
                guard (try? await loop.waitUntilReady(descriptor, for: .read)) != nil else { return nil }
            default: throw .notConnected(code: errno)
            }
        }
        return nil
    }
}
