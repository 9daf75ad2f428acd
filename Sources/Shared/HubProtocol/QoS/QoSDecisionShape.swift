import Base

/// One effective decision on a service, for one terminal (http.md section 7). Its values stay texts here:
/// what they mean is for the machines, which ignore a decision with values that they do not know.
package struct QoSDecisionShape: Hashable, Sendable {
    /// How a terminal's drain is paced at a recovery.
    package struct Resume: Hashable, Sendable {
        /// From 0 to ``QoSDecisionShape/longestHold``.
        package let afterMilliseconds: Int64
        /// 0: not limited.
        package let ratePerMinute: Int64

        /// Makes a pace without a check; reading a decision clamps both.
        package init(afterMilliseconds: Int64, ratePerMinute: Int64) {
            self.afterMilliseconds = afterMilliseconds
            self.ratePerMinute = ratePerMinute
        }
    }

    /// For example `order` or `payment`.
    package let service: String
    /// `healthy`, `faulty` or `recovering`.
    package let state: String
    /// Which terminals the decision applies to: `global`, `store` or `terminal`.
    package let scope: String
    /// Counts up for each service, over all scopes; within one issuer an older one is ignored.
    package let generation: Int64
    /// Milliseconds since 1970; nil where the hub names no moment that can be read. Likewise ``expiresAt``.
    package let since: Int64?
    /// For a person; nil for a healthy service without an override.
    package let reason: String?
    /// Who decided: `reports`, `probe` or `operator`.
    package let source: String
    /// When it ends unless it is renewed; nil: after ``usualValidity``.
    package let expiresAt: Int64?
    /// Milliseconds; nil where the hub names no interval.
    package let pollAfterMilliseconds: Int64?
    /// Nil: the terminal sends at its usual pace.
    package let resume: Resume?

    /// The bounds of `pollAfterMs`, and what holds where it is missing.
    package static let pollBounds: ClosedRange<Int64> = 1_000...300_000
    /// In milliseconds, within ``pollBounds``.
    package static let usualPoll: Int64 = 30_000
    /// No decision is valid for longer without being renewed, in milliseconds.
    package static let longestValidity: Int64 = 86_400_000
    /// How long a decision without `expiresAt` is valid, in milliseconds.
    package static let usualValidity: Int64 = 300_000
    /// A terminal is held back for an hour at most, in milliseconds.
    package static let longestHold: Int64 = 3_600_000

    /// Makes a decision without a check; times are milliseconds since 1970.
    package init(
        service: String, state: String, scope: String, generation: Int64, since: Int64?, reason: String?,
        source: String, expiresAt: Int64?, pollAfterMilliseconds: Int64?, resume: Resume?
    ) {
        self.service = service
        self.state = state
        self.scope = scope
        self.generation = generation
        self.since = since
        self.reason = reason
        self.source = source
        self.expiresAt = expiresAt
        self.pollAfterMilliseconds = pollAfterMilliseconds
        self.resume = resume
    }

    /// How long it is valid from the request on, in milliseconds from 0 to ``longestValidity``.
    package func validity(issuedAt: Int64) -> Int64 {
        guard let expiresAt else { return Self.usualValidity }
        let (left, overflows) = expiresAt.subtractingReportingOverflow(issuedAt)
        return overflows ? 0 : min(max(left, 0), Self.longestValidity)
    }

    /// After what time the terminal polls again, in milliseconds within ``pollBounds``.
    package var poll: Int64 {
        min(
            max(pollAfterMilliseconds ?? Self.usualPoll, Self.pollBounds.lowerBound),
            Self.pollBounds.upperBound)
    }

    /// Nil without a service, its state, scope and source, or a generation.
    package init?(json: JSONValue) {
        guard let service = json["service"]?.string, let state = json["state"]?.string,
            let scope = json["scope"]?.string, let source = json["source"]?.string,
            let generation = json["generation"]?.integer
        else { return nil }
        self.init(
            service: service, state: state, scope: scope, generation: generation,
            since: json["since"]?.string.flatMap(Timestamp.milliseconds(of:)),
            reason: json["reason"]?.string, source: source,
            expiresAt: json["expiresAt"]?.string.flatMap(Timestamp.milliseconds(of:)),
            pollAfterMilliseconds: json["pollAfterMs"]?.integer, resume: json["resume"].flatMap(Resume.init))
    }

    /// The decision with all its members; times are RFC 3339, nil is `null`.
    package var json: JSONValue {
        [
            "service": .string(service), "state": .string(state), "scope": .string(scope),
            "generation": .integer(generation),
            "since": JSONValue(since.map(Timestamp.text(milliseconds:))), "reason": JSONValue(reason),
            "source": .string(source), "expiresAt": JSONValue(expiresAt.map(Timestamp.text(milliseconds:))),
            "pollAfterMs": JSONValue(pollAfterMilliseconds), "resume": resume?.json ?? .null,
        ]
    }
}

extension QoSDecisionShape.Resume {
    fileprivate init?(json: JSONValue) {
        guard json.object != nil else { return nil }
        self.init(
            afterMilliseconds: min(max(json["afterMs"]?.integer ?? 0, 0), QoSDecisionShape.longestHold),
            ratePerMinute: max(0, json["ratePerMinute"]?.integer ?? 0))
    }

    fileprivate var json: JSONValue {
        ["afterMs": .integer(afterMilliseconds), "ratePerMinute": .integer(ratePerMinute)]
    }
}
