internal import Glibc
internal import HubServer

/// Whether the hub can listen where it is to: found out before anything is started, so that a port in use is
/// one line with its remedy. The web server would first log the end of everything that it had begun.
enum ListenCheck {
    /// Binds a socket to `address` and closes it again. Another program may take the port in between; that
    /// ends the start as before.
    ///
    /// - Throws: kind `unusable` where no address of the host can be bound.
    static func requireFree(_ address: ListenAddress) throws(CommandFailure) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, "\(address.port)", &hints, &found)
        guard status == 0, let found else {
            throw .unusable(
                "the host of \(address) is not known (\(String(cString: gai_strerror(status)))); "
                    + "choose another with --listen")
        }
        defer { freeaddrinfo(found) }
        guard let code = firstError(found) else { return }
        let remedy =
            switch code {
            case EADDRINUSE: "end the program that listens there, or choose another port with --listen"
            case EACCES: "a port below 1024 needs CAP_NET_BIND_SERVICE; choose another with --listen"
            case _: "choose an address of this machine with --listen"
            }
        throw .unusable("cannot listen on \(address): \(String(cString: strerror(code))); \(remedy)")
    }

    /// Nil when the first address, the one that a server takes, can be bound.
    private static func firstError(_ address: UnsafeMutablePointer<addrinfo>) -> Int32? {
        let descriptor = socket(
            address.pointee.ai_family, address.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As the server does: connections of before that are closing do not keep the port.
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        return bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 ? nil : errno
    }
}
