import Base

/// The hub's notice about a schema that it will refuse later: `Deprecation` (RFC 9745, a structured date
/// `@seconds`) and `Sunset` (RFC 8594, an HTTP date).
package struct SchemaNotice: Hashable, Sendable {
    /// Milliseconds since 1970; nil when it was not sent.
    package let deprecatedAt: Int64?
    /// From when on calls may be refused, in milliseconds since 1970.
    package let sunsetAt: Int64

    /// Makes a notice; both times are milliseconds since 1970.
    package init(deprecatedAt: Int64?, sunsetAt: Int64) {
        self.deprecatedAt = deprecatedAt
        self.sunsetAt = sunsetAt
    }

    /// Reads the headers of a response; nil when they announce no sunset.
    ///
    /// - Parameter header: gives the value of a header by its name.
    package init?(_ header: (String) -> String?) {
        guard let sunset = header(HeaderNames.sunset).flatMap(HTTPDate.milliseconds(of:)) else { return nil }
        sunsetAt = sunset
        deprecatedAt = header(HeaderNames.deprecation).flatMap(Self.milliseconds(ofDeprecation:))
    }

    /// The headers as they travel.
    package var headers: [(name: String, value: String)] {
        let sunset = (HeaderNames.sunset, HTTPDate.text(milliseconds: sunsetAt))
        let deprecation = deprecatedAt.map { time in
            (HeaderNames.deprecation, "@\(time.floorDivided(by: 1000).quotient)")
        }
        return [deprecation, sunset].compactMap(\.self)
    }

    private static func milliseconds(ofDeprecation value: String) -> Int64? {
        guard value.first == "@", let seconds = Int64(value.dropFirst()), seconds.magnitude < 1 << 43 else {
            return nil
        }
        return seconds * 1000
    }
}
