internal import NIOCore

/// The other end of a connection, as limits see it.
enum Peer: Hashable, Sendable {
    /// The owner of this machine, over a local socket.
    case local
    /// This machine, which may be a proxy for others, or an address that the configuration trusts.
    case shared
    /// An address; of IPv6 its first 64 bits, since the owner of one has them all.
    case address(String)

    /// The address by which connections are counted; nil where they are not.
    var limitedAddress: String? {
        switch self {
        case .local, .shared: nil
        case .address(let text): text
        }
    }
}

/// Finds the ``Peer`` of an address.
struct PeerAddresses: Sendable {
    let trusted: [AddressRange]

    /// - Parameter address: nil for a connection that is gone already.
    func peer(at address: SocketAddress?) -> Peer {
        guard let address else { return .shared }
        guard let bytes = Self.bytes(address) else { return .local }
        if Self.loopback.contains(where: { $0.contains(bytes) })
            || trusted.contains(where: { $0.contains(bytes) })
        {
            return .shared
        }
        return .address(
            bytes.prefix(bytes.count == 4 ? 4 : 8).map { String($0, radix: 16) }.joined(separator: "."))
    }

    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// In network order; IPv4 in IPv6 (RFC 4291, section 2.5.5.2) as IPv4. Nil for a local socket.
    private static func bytes(_ address: SocketAddress) -> [UInt8]? {
        guard let bytes = address.ipAddress.flatMap(AddressRange.bytes) else { return nil }
        let isMapped =
            bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255
            && bytes[11] == 255
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }
}
