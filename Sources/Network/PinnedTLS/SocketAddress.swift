internal import Glibc

/// A numeric address with a port, as TCP connects to it. No name is looked up.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes, network order.
    package let bytes: [UInt8]
    /// From 1; 0 where the system chooses one.
    package let port: UInt16
    /// The interface of a link-local IPv6 address; 0: none.
    private let scope: UInt32

    /// Reads `192.168.1.7`, `192.168.1.7:7710`, `fe80::1%eth0` or `[fe80::1%eth0]:7710`.
    ///
    /// - Parameter defaultPort: of a text without one.
    /// - Returns: nil for anything else, names included.
    package init?(_ text: String, defaultPort: UInt16) {
        guard text.utf8.count <= Self.longestText else { return nil }
        var (host, port) = (Substring(text), defaultPort)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard host.contains(":"), rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty {
                guard let number = Self.port(rest.dropFirst()) else { return nil }
                port = number
            }
        } else if text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1,
            let colon = text.firstIndex(of: ":")
        {
            guard let number = Self.port(text[text.index(after: colon)...]) else { return nil }
            (host, port) = (text[..<colon], number)
        }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(String(host), nil, &hints, &found) == 0, let info = found else { return nil }
        defer { freeaddrinfo(found) }
        guard let address = Self(info.pointee.ai_addr, port: port), Self.isPlain(host, address) else {
            return nil
        }
        self = address
    }

    /// `getaddrinfo` also takes 0x7f.1; one address has one text here.
    private static func isPlain(_ host: Substring, _ address: Self) -> Bool {
        address.bytes.count == 16
            || host.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 3
                && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    }

    /// IPv6 with an interface's name and a port.
    private static let longestText = 80

    private static func port(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
    }

    /// - Parameter port: nil: that of `address`.
    init?(_ address: UnsafePointer<sockaddr>, port: UInt16? = nil) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
                Self(
                    bytes: withUnsafeBytes(of: four.pointee.sin_addr) { Array($0) },
                    port: port ?? UInt16(bigEndian: four.pointee.sin_port), scope: 0)
            }
        case AF_INET6:
            self = UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
                Self(
                    bytes: withUnsafeBytes(of: six.pointee.sin6_addr) { Array($0) },
                    port: port ?? UInt16(bigEndian: six.pointee.sin6_port), scope: six.pointee.sin6_scope_id)
            }
        default: return nil
        }
    }

    private init(bytes: [UInt8], port: UInt16, scope: UInt32) {
        (self.bytes, self.port, self.scope) = (bytes, port, scope)
    }

    /// The same address with another port.
    package func with(port: UInt16) -> Self { Self(bytes: bytes, port: port, scope: scope) }

    /// 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether it is one of a shop's own network: RFC 1918, 169.254.0.0/16, fc00::/7 or fe80::/10.
    package var isPrivate: Bool {
        guard bytes.count == 4 else {
            return bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        }
        return bytes[0] == 10 || bytes[0] == 172 && bytes[1] & 0xF0 == 16
            || bytes[0] == 192 && bytes[1] == 168
            || bytes[0] == 169 && bytes[1] == 254
    }

    /// `192.168.1.7:7710` or `[fe80::1%eth0]:7710`.
    package var description: String { bytes.count == 4 ? "\(host):\(port)" : "[\(host)]:\(port)" }

    /// `192.168.1.7` or `fe80::1%eth0`.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        let host = Self.string(text)
        guard bytes.count == 16 else { return host }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        let interface = scope == 0 || if_indextoname(scope, &name) == nil ? "" : "%" + Self.string(name)
        return host + interface
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

    /// Calls `body` with the address as the system's calls take it.
    func withSystemAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        if bytes.count == 4 {
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: bytes) }
            return withUnsafePointer(to: &four) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        six.sin6_scope_id = scope
        withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &six) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}

extension SocketAddress {
    /// An address of an interface of this machine that is up, loopback apart.
    package struct OfInterface: Hashable, Sendable {
        /// For example `eth0`.
        package let interface: String
        /// With port 0.
        package let address: SocketAddress
    }

    /// The interface by which packets go there now, for example `eth0`; nil: by none, or by loopback. Nothing
    /// is sent.
    package var interface: String? {
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        guard withSystemAddress({ connect(descriptor, $0, $1) }) == 0 else { return nil }
        let source = withUnsafeMutablePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0 ? SocketAddress(address, port: 0) : nil
            }
        }
        return Self.ofInterfaces().first { $0.address.bytes == source?.bytes }?.interface
    }

    /// The addresses of this machine's interfaces, in the kernel's order.
    package static func ofInterfaces() -> [OfInterface] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [OfInterface] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            let flags = Int32(bitPattern: entry.pointee.ifa_flags)
            let needed = Int32(IFF_UP | IFF_RUNNING)
            guard flags & needed == needed, flags & Int32(IFF_LOOPBACK) == 0,
                let raw = entry.pointee.ifa_addr, let address = SocketAddress(raw, port: 0)
            else { continue }
            found.append(OfInterface(interface: String(cString: entry.pointee.ifa_name), address: address))
        }
        return found
    }
}
