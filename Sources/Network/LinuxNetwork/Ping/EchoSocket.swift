internal import CLinux
internal import Glibc

/// A socket for echo messages: the datagram kind, which needs only the permission of the group, or else the
/// raw kind.
struct EchoSocket: ~Copyable {
    enum Kind: String, Hashable, Sendable {
        case datagram
        case raw
    }

    let descriptor: Int32
    let family: IPAddress.Family
    let kind: Kind

    /// Opens the first kind that is permitted.
    ///
    /// - Throws: the errno of the last refusal.
    init(_ family: IPAddress.Family) throws(EchoSocketError) {
        var code: Int32 = 0
        for kind in [Kind.datagram, .raw] {
            let descriptor = Self.open(family, kind)
            if descriptor >= 0 {
                self.descriptor = descriptor
                self.family = family
                self.kind = kind
                return
            }
            code = errno
        }
        throw EchoSocketError(code: code)
    }

    deinit {
        close(descriptor)
    }

    /// Raw IPv4 sockets return the IP header with every datagram.
    var givesIPHeader: Bool { kind == .raw && family == .v4 }

    /// Sends by `interface` alone, whatever the routes prefer; 0 or errno.
    func bind(to interface: String) -> Int32 {
        setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, interface, socklen_t(interface.utf8.count)) == 0
            ? 0 : errno
    }

    /// Connects the socket to one peer, so that only its datagrams are received; 0 or errno.
    func connect(to address: IPAddress) -> Int32 {
        let result =
            switch family {
            case .v4: connect(four: address)
            case .v6: connect(six: address)
            }
        return result == 0 ? 0 : errno
    }

    private static func open(_ family: IPAddress.Family, _ kind: Kind) -> Int32 {
        let type = kind == .datagram ? SOCK_DGRAM : SOCK_RAW
        let flags = Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return switch family {
        case .v4: socket(AF_INET, flags, Int32(IPPROTO_ICMP))
        case .v6: socket(AF_INET6, flags, Int32(IPPROTO_ICMPV6))
        }
    }

    private func connect(four address: IPAddress) -> Int32 {
        var peer = sockaddr_in()
        peer.sin_family = sa_family_t(AF_INET)
        withUnsafeMutableBytes(of: &peer.sin_addr) { $0.copyBytes(from: address.bytes) }
        return withUnsafePointer(to: peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func connect(six address: IPAddress) -> Int32 {
        var peer = sockaddr_in6()
        peer.sin6_family = sa_family_t(AF_INET6)
        withUnsafeMutableBytes(of: &peer.sin6_addr) { $0.copyBytes(from: address.bytes) }
        return withUnsafePointer(to: peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}

/// No kind of echo socket is permitted; `code` is the errno of the last one tried.
struct EchoSocketError: Error, Equatable {
    let code: Int32
}
