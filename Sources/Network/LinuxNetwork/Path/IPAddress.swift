internal import Glibc

/// An IPv4 or IPv6 address, without a scope.
package struct IPAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The version of the protocol; it decides the length of ``IPAddress/bytes``.
    package enum Family: UInt8, Hashable, Sendable {
        case v4
        case v6
    }

    /// `v4` for 4 bytes; `v6` for 16, an IPv4-mapped address included.
    package let family: Family
    /// 4 or 16 bytes, network order.
    package let bytes: [UInt8]

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for anything else, names included.
    package init?(_ text: String) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(withUnsafeBytes(of: four) { Array($0) })
            return
        }
        var sixteen = in6_addr()
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        self.init(withUnsafeBytes(of: sixteen) { Array($0) })
    }

    /// From 4 or 16 bytes in network order; nil for any other count.
    package init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 4: family = .v4
        case 16: family = .v6
        default: return nil
        }
        self.bytes = bytes
    }

    /// 127.0.0.0/8, or exactly `::1`.
    package var isLoopback: Bool {
        switch family {
        case .v4: bytes[0] == 127
        case .v6: bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
        }
    }

    /// 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291): usable for neighbours only.
    package var isLinkLocal: Bool {
        switch family {
        case .v4: bytes[0] == 169 && bytes[1] == 254
        case .v6: bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        }
    }

    /// Whether the first `length` bits are those of `prefix`.
    package func matches(_ prefix: IPAddress, length: Int) -> Bool {
        guard family == prefix.family, length <= bytes.count * 8 else { return false }
        let whole = length / 8
        guard bytes.prefix(whole).elementsEqual(prefix.bytes.prefix(whole)) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
        return bytes[whole] & mask == prefix.bytes[whole] & mask
    }

    /// The shortest usual form: `192.0.2.1`, `2001:db8::1`.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(family == .v4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// IPv4 before IPv6, then byte by byte.
    package static func < (left: IPAddress, right: IPAddress) -> Bool {
        if left.family != right.family { return left.family == .v4 }
        return left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
