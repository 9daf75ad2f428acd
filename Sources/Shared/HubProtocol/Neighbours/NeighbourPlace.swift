/// Where a till listens for the other tills of its store, as the hub passes it on to them.
///
/// Each till reports its own; one that lies makes the others try an address of a shop's own network, where
/// the handshake ends it.
package struct NeighbourPlace: Fact {
    /// Numeric, of private ranges, at most ``most``, each once.
    package private(set) var addresses: [String] = []
    /// From 1,024.
    package private(set) var port: Int64 = 0

    /// By cable and by radio, each in both versions of IP.
    package static let most = 4
    private static let ports: ClosedRange<Int64> = 1_024...65_535

    /// Takes what may be passed on, and leaves out the rest.
    ///
    /// - Returns: nil where nothing is left.
    package init?(addresses: [String], port: Int64) {
        var taken: [String] = []
        for address in addresses where Self.isPrivate(address) && !taken.contains(address) {
            taken.append(address)
        }
        guard !taken.isEmpty, Self.ports.contains(port) else { return nil }
        (self.addresses, self.port) = (Array(taken.prefix(Self.most)), port)
    }

    /// Reads what a till reports, the same way.
    package init?(reported json: JSONValue?) {
        let listed = (json?["addresses"]?.array ?? []).prefix(16).compactMap(\.string)
        self.init(addresses: listed, port: json?["port"]?.integer ?? 0)
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.texts("addresses", &addresses, .required)
        try m.check(
            (1...Self.most).contains(addresses.count) && addresses.allSatisfy(Self.isPrivate), "addresses",
            "1 to \(Self.most) private addresses")
        try m.number("port", &port, in: Self.ports)
    }

    /// RFC 1918, 169.254.0.0/16 and fc00::/7. A link-local IPv6 address names an interface of its reader, so
    /// it cannot be passed on.
    private static func isPrivate(_ text: String) -> Bool {
        guard text.contains(":") else {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let bytes = parts.compactMap { part in UInt8(part).flatMap { "\($0)" == part ? $0 : nil } }
            guard parts.count == 4, bytes.count == 4 else { return false }
            return bytes[0] == 10 || bytes[0] == 172 && bytes[1] & 0xF0 == 16
                || bytes[0] == 192 && bytes[1] == 168 || bytes[0] == 169 && bytes[1] == 254
        }
        let first = text.prefix { $0 != ":" }
        return text.utf8.count <= 39 && first.utf8.count == 4
            && (first.hasPrefix("fc") || first.hasPrefix("fd"))
            && text.utf8.allSatisfy { byte in
                (0x30...0x3A).contains(byte) || (0x61...0x66).contains(byte)
            }
    }
}
