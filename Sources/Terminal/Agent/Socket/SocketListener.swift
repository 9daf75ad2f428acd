internal import Glibc

/// The socket that the agent accepts connections on, and its name in the data folder.
struct SocketListener: Equatable, Sendable {
    let descriptor: Int32
    private let path: String
    /// Of the file that the socket was bound to.
    private let identity: FileIdentity?

    /// Listens at `path` in place of whatever lies there, open to the owner alone.
    ///
    /// - Throws: kind `unusable` for a path that no socket can have.
    init(at path: String) throws(TerminalError) {
        guard path.utf8.count < 108 else {
            throw TerminalError(.unusable, code: "home_path_too_long") { $0.socketNameTooLong(path) }
        }
        unlink(path)
        guard let descriptor = Self.listen(at: path) else {
            let words = String(cString: strerror(errno))
            throw TerminalError(.unusable, code: "socket_unusable") { $0.socketUnusable(path, words) }
        }
        self.descriptor = descriptor
        self.path = path
        identity = FileIdentity(named: path)
    }

    /// Whether its name leads to it.
    var isNamed: Bool { identity != nil && FileIdentity(named: path) == identity }

    /// Takes the name away where it is still its own.
    func close() {
        if isNamed { unlink(path) }
        Glibc.close(descriptor)
    }

    private static func listen(at path: String) -> Int32? {
        let socket = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        // Nobody can connect before it listens, so that its mode is never another one to them.
        guard isBound, chmod(path, 0o600) == 0, Glibc.listen(socket, 128) == 0 else {
            let code = errno
            Glibc.close(socket)
            errno = code
            return nil
        }
        return socket
    }
}

/// Which file it is, whatever its name.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt
    private let number: UInt

    private init(_ status: stat) {
        (device, number) = (UInt(status.st_dev), UInt(status.st_ino))
    }

    /// Of the file of that name, a link itself; nil: there is none, or it cannot be looked at.
    init?(named path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of the open file.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}
