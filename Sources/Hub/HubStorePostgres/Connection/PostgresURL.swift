internal import CPostgres

/// Where a database is, as a connection string of libpq: `postgresql://user@host:port/name?options`.
package enum PostgresURL {
    /// Whether `text` names a PostgreSQL database at all.
    package static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// The URL as it may be shown: `***` in the place of a password.
    package static func shown(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        var shown = String(rest)
        if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
            shown = rest[..<colon] + ":***" + rest[at...]
        }
        return url[..<scheme.upperBound] + withoutSecretParameters(shown)
    }

    private static func withoutSecretParameters(_ text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        let parameters = text[text.index(after: mark)...].split(separator: "&").map { pair in
            pair.hasPrefix("password=") || pair.hasPrefix("sslpassword=")
                ? pair.prefix { $0 != "=" } + "=***" : pair
        }
        return text[...mark] + parameters.joined(separator: "&")
    }

    /// Whether every server that `url` names is on this machine: a socket's folder or a loopback address.
    ///
    /// - Parameter environment: `PGHOST` and `PGHOSTADDR` count where the URL names no host, as libpq has it.
    package static func isLocal(_ url: String, _ environment: [String: String]) -> Bool {
        let named = hosts(of: url)
        let addresses = list(parameter("hostaddr", of: url) ?? environment["PGHOSTADDR"])
        if !addresses.isEmpty { return addresses.allSatisfy(isLoopback) }
        let hosts = named.isEmpty ? list(environment["PGHOST"]) : named
        return hosts.allSatisfy { $0.hasPrefix("/") || $0.hasPrefix("@") || isLoopback($0) }
    }

    /// The value of a parameter behind the `?`, percent-decoded; the last one counts, as for libpq.
    package static func parameter(_ name: String, of url: String) -> String? {
        guard let mark = url.firstIndex(of: "?") else { return nil }
        return url[url.index(after: mark)...].split(separator: "&").last { $0.hasPrefix(name + "=") }
            .map { decoded($0.dropFirst(name.count + 1)) }
    }

    private static func hosts(of url: String) -> [String] {
        if let hosts = parameter("host", of: url) { return list(hosts) }
        guard let scheme = url.firstRange(of: "://") else { return [] }
        var authority = url[scheme.upperBound...].prefix { !"/?".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        return list(decoded(authority)).map(withoutPort).filter { !$0.isEmpty }
    }

    private static func withoutPort(_ host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            return String(host[host.index(after: host.startIndex)..<end])
        }
        return String(host.prefix { $0 != ":" })
    }

    private static func list(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map(String.init)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts.first == 127 && parts.allSatisfy { $0 != nil }
    }

    /// Without its percent-escapes; a broken escape stays as it is, and so names no local host.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
