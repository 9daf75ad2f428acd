import Glibc

extension LoopbackClient.Address {
    /// A socket connected to the address; its reader closes it.
    func connectedSocket() throws -> Int32 {
        switch self {
        case .tcp(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let socket = try opened(AF_INET)
            var yes: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            return try connected(socket, &address)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
            return try connected(opened(AF_UNIX), &address)
        }
    }

    private func opened(_ family: Int32) throws -> Int32 {
        let socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw LoopbackError.notConnected(errno: errno) }
        return socket
    }

    private func connected(_ socket: Int32, _ address: inout some Any) throws -> Int32 {
        let code = withUnsafeBytes(of: &address) {
            Glibc.connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard code == 0 else {
            let reason = errno
            close(socket)
            throw LoopbackError.notConnected(errno: reason)
        }
        return socket
    }
}
