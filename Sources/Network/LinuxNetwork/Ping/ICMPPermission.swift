internal import Glibc

/// Whether this process may ping, and how; for `doctor`.
package struct ICMPPermission: Hashable, Sendable, CustomStringConvertible {
    /// How a socket of one family was opened.
    package enum Means: Hashable, Sendable {
        /// `SOCK_DGRAM`, which `net.ipv4.ping_group_range` permits.
        case datagram
        /// `SOCK_RAW`, which CAP_NET_RAW permits.
        case raw
        /// Neither; the errno of the last refusal.
        case none(code: Int32)
    }

    /// The way to send an ICMP echo.
    package let ipv4: Means
    /// The way to send an ICMPv6 echo.
    package let ipv6: Means

    /// Opens and closes a socket of each family; nothing is sent.
    package init() {
        ipv4 = Self.means(.v4)
        ipv6 = Self.means(.v6)
    }

    /// A result that was found elsewhere; no socket is opened.
    package init(ipv4: Means, ipv6: Means) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }

    /// Whether a ping is possible at all.
    package var isGranted: Bool {
        switch (ipv4, ipv6) {
        case (.none, .none): false
        case (_, _): true
        }
    }

    /// One line, with the remedy where there is something to repair.
    package var description: String {
        guard isGranted else {
            return "ping unavailable: permit this group in net.ipv4.ping_group_range or grant CAP_NET_RAW"
        }
        return "ping over IPv4: \(Self.text(ipv4)), over IPv6: \(Self.text(ipv6))"
    }

    private static func means(_ family: IPAddress.Family) -> Means {
        do throws(EchoSocketError) {
            let socket = try EchoSocket(family)
            return socket.kind == .datagram ? .datagram : .raw
        } catch {
            return .none(code: error.code)
        }
    }

    private static func text(_ means: Means) -> String {
        switch means {
        case .datagram: "datagram socket"
        case .raw: "raw socket"
        case .none(let code): "not permitted (\(String(cString: strerror(code))))"
        }
    }
}
