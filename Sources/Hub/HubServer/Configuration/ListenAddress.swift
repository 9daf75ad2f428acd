/// Where the hub listens: a host and a port, 0 for any free one.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an IP address, an IPv6 one without its brackets.
    package let host: String
    /// 0 up to 65,535.
    package let port: Int

    /// Reads `HOST:PORT`; an IPv6 host stands in brackets. Nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = Int(port)
    }

    /// Whether only this machine can connect.
    package var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// `HOST:PORT`, an IPv6 host in brackets; ``init(_:)`` reads it.
    package var description: String { Self.text(host: host, port: port) }

    static func text(host: String, port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
