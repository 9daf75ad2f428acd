internal import Glibc

/// An IP address, or those that begin with the same bits: `10.1.2.3`, `10.0.0.0/8`, `2001:db8::/32`.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16, in network order.
    private let bytes: [UInt8]
    private let bits: Int
    /// The text that it was read from, for example `10.0.0.0/8`.
    package let description: String

    /// Nil for anything else than an address, or one with `/` and as many bits as it has at most.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count), let bytes = Self.bytes(of: parts[0]) else { return nil }
        guard let bits = parts.count == 1 ? bytes.count * 8 : Int(parts[1]),
            (0...bytes.count * 8).contains(bits)
        else { return nil }
        self.bytes = bytes
        self.bits = bits
        description = text
    }

    /// The bytes of one address in network order; nil for anything else.
    static func bytes(of text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    /// - Parameter address: its bytes in network order.
    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        let whole = bits / 8
        guard address.prefix(whole) == bytes.prefix(whole) else { return false }
        guard bits % 8 > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8))
        return address[whole] & mask == bytes[whole] & mask
    }
}
