internal import HubProtocol
internal import OfflineCore

/// Reads what the QoS service says (http.md section 7).
extension QoSAnswer {
    /// Nil when the document is no answer of the contract. Values out of range are taken into it; a
    /// decision in words that are not known yet is left out, since guessing could take a terminal offline.
    init?(json: JSONValue) {
        guard let elements = json["decisions"]?.array,
            let issuedAt = json["issuedAt"]?.string.flatMap(Timestamp.milliseconds(of:))
        else { return nil }
        var decisions: [ServiceDecision] = []
        for element in elements {
            guard let decision = ServiceDecision(json: element, issuedAt: issuedAt),
                !decisions.contains(where: { $0.service == decision.service })
            else { continue }
            decisions.append(decision)
        }
        self.init(issuer: json["issuer"]?.string, decisions: decisions)
    }
}

extension ServiceDecision {
    /// The bounds of `pollAfterMs`.
    private static let pollBounds: ClosedRange<Duration> = .seconds(1)...(.seconds(300))
    /// What holds where the hub names no interval.
    private static let usualPoll: Duration = .seconds(30)
    /// No word of QoS holds longer without being renewed.
    private static let longestValidity: Duration = .seconds(86_400)
    /// How long a word without `expiresAt` holds.
    private static let usualValidity: Duration = .seconds(300)

    fileprivate init?(json: JSONValue, issuedAt: Int64) {
        guard let service = json["service"]?.string,
            let state = json["state"]?.string.flatMap(State.init(rawValue:)),
            let scope = json["scope"]?.string.flatMap(Scope.init(rawValue:)),
            let source = json["source"]?.string.flatMap(Source.init(rawValue:)),
            let generation = json["generation"]?.integer
        else { return nil }
        var validity = Self.usualValidity
        if let expiresAt = json["expiresAt"]?.string.flatMap(Timestamp.milliseconds(of:)) {
            let milliseconds = expiresAt.subtractingReportingOverflow(issuedAt)
            validity = .milliseconds(milliseconds.overflow ? 0 : milliseconds.partialValue)
        }
        let poll = json["pollAfterMs"]?.integer.map(Duration.milliseconds(_:)) ?? Self.usualPoll
        self.init(
            service: service, state: state, scope: scope, generation: generation,
            reason: json["reason"]?.string, source: source,
            validity: max(.zero, min(Self.longestValidity, validity)),
            pollAfter: max(Self.pollBounds.lowerBound, min(Self.pollBounds.upperBound, poll)),
            resume: json["resume"].flatMap(ResumePace.init(json:)))
    }
}

extension ResumePace {
    /// A terminal is held back for an hour at most.
    private static let longestHold: Int64 = 3_600_000

    fileprivate init?(json: JSONValue) {
        guard json.object != nil else { return nil }
        self.init(
            after: .milliseconds(max(0, min(Self.longestHold, json["afterMs"]?.integer ?? 0))),
            ratePerMinute: max(0, json["ratePerMinute"]?.integer ?? 0))
    }
}
