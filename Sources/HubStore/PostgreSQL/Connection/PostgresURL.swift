internal import CPostgres

/// Where a database is, as a connection string of libpq: `postgresql://user@host:port/name?options`.
public enum PostgresURL {
    /// Whether `text` names a PostgreSQL database at all.
    public static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// The URL as it may be shown: `***` in the place of a password.
    public static func shown(_ url: String) -> String {
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
}
