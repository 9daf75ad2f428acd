internal import Glibc

/// Resolves the hub's name into the addresses that the path monitor and the pinger work with.
enum HostResolver {
    /// Every address of `host`, in the order of RFC 6724, without repetition; empty when there is none. Waits
    /// for the resolver on the caller's thread.
    static func resolve(_ host: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = address(of: entry), !addresses.contains(address) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses
    }

    private static func address(of entry: addrinfo) -> IPAddress? {
        guard let socketAddress = entry.ai_addr else { return nil }
        let raw = UnsafeRawPointer(socketAddress)
        switch entry.ai_family {
        case AF_INET:
            let four = raw.loadUnaligned(as: sockaddr_in.self)
            return IPAddress(withUnsafeBytes(of: four.sin_addr) { Array($0) })
        case AF_INET6:
            let six = raw.loadUnaligned(as: sockaddr_in6.self)
            return IPAddress(withUnsafeBytes(of: six.sin6_addr) { Array($0) })
        default: return nil
        }
    }
}
