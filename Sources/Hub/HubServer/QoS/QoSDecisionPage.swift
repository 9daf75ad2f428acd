import Base

internal import HubCore
internal import HubProtocol
internal import OfflineCore

/// One response of the QoS routes (http.md section 7).
struct QoSDecisionPage: Sendable {
    let json: JSONValue
    /// Changes with the decisions, not with the time of the request; nil while a pace is part of the
    /// response, since that changes by the second.
    let entityTag: String?

    init(
        results: [QoSDecision], issuer: String, issuedAt: Int64, poll: Duration, since: (Instant) -> Int64
    ) {
        // A response outlives ten polls, so that a few that fail take nothing away.
        let validity = max(poll * 10, .seconds(60)).wholeMilliseconds
        let decisions = results.map { decision in
            QoSDecisionShape(
                service: decision.service, state: decision.state.rawValue, scope: decision.scope.rawValue,
                generation: decision.generation, since: since(decision.since), reason: decision.reason,
                source: decision.source.rawValue, expiresAt: issuedAt + validity,
                pollAfterMilliseconds: decision.pollAfter(poll).wholeMilliseconds,
                resume: decision.resume.map {
                    QoSDecisionShape.Resume(
                        afterMilliseconds: $0.after.wholeMilliseconds, ratePerMinute: $0.ratePerMinute)
                })
        }
        json = QoSResponseShape(decisions: decisions, issuer: issuer, issuedAt: issuedAt).json
        let isPaced = results.contains { $0.resume != nil }
        entityTag = isPaced ? nil : Self.tag(results, issuer)
    }

    private static func tag(_ results: [QoSDecision], _ issuer: String) -> String {
        let texts = results.map {
            "\($0.service) \($0.generation) \($0.state.rawValue) \($0.scope.rawValue)"
        }
        let digest = Digest.sha256Hex(Array((texts + [issuer]).joined(separator: "\n").utf8))
        return "\"\(digest.prefix(24))\""
    }
}
