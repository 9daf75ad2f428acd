import HubProtocol

/// Which schemas a terminal may speak to the hub, and until when (http.md section 1).
///
/// A schema that was documented is accepted for at least twelve months after it was deprecated. What counts
/// is the schema that the program speaks (`Pos-Schema`): a mutation keeps the schema that it was written in,
/// for its hash covers it, and is accepted whatever that was, so that an updated till drains its old outbox.
package struct SchemaSupport: Hashable, Sendable {
    /// A schema's way out. Times are milliseconds since 1970.
    package struct Retirement: Hashable, Sendable {
        /// From when on its responses carry the header `Deprecation`.
        package let deprecatedAt: Int64
        /// From when on it may be refused.
        package let sunsetAt: Int64

        /// Makes a retirement. That it gives a year's notice is checked by ``givesNotice``, not here.
        package init(deprecatedAt: Int64, sunsetAt: Int64) {
            self.deprecatedAt = deprecatedAt
            self.sunsetAt = sunsetAt
        }

        /// Whether twelve months lie between the two.
        package var givesNotice: Bool {
            let (notice, overflows) = sunsetAt.subtractingReportingOverflow(deprecatedAt)
            return !overflows && notice >= SchemaSupport.shortestNotice
        }
    }

    /// How a schema is met.
    package enum TerminalState: Hashable, Sendable {
        case welcome
        /// Answered as usual, with `Deprecation` and `Sunset`.
        case retiring(Retirement)
        /// `426 upgrade_required`.
        case refused
    }

    /// Twelve months, in milliseconds.
    fileprivate static let shortestNotice: Int64 = 365 * 86_400_000

    /// The lowest schema that gets a response.
    package var minimum: Int64
    /// The deprecated schemas.
    package var retiring: [Int64: Retirement]

    /// - Parameters:
    ///   - minimum: by default the lowest that this version was built for.
    ///   - retiring: by default what this version deprecates: nothing so far.
    package init(minimum: Int64 = Schema.minimum, retiring: [Int64: Retirement] = [:]) {
        self.minimum = minimum
        self.retiring = retiring
    }

    /// How a request with `schema` is handled; one that names none is accepted.
    package func status(of schema: Int64?) -> TerminalState {
        guard let schema else { return .welcome }
        if schema < minimum { return .refused }
        return retiring[schema].map(TerminalState.retiring) ?? .welcome
    }
}
