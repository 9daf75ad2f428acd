internal import HubCore
internal import HubProtocol
internal import OfflineCore

/// One answer of the QoS routes (http.md section 7).
struct QoSDecisionPage: Sendable {
    let json: JSONValue
    /// Changes with the decisions, not with the time of asking; nil while a pace is part of the answer, since
    /// that changes by the second.
    let entityTag: String?

    init(
        verdicts: [QoSVerdict], issuer: String, issuedAt: Int64, poll: Duration, since: (Instant) -> Int64
    ) {
        // An answer outlives ten polls, so that a few that fail take nothing away.
        let validity = max(poll * 10, .seconds(60)).wholeMilliseconds
        let expiresAt = Timestamp.text(milliseconds: issuedAt + validity)
        let decisions = verdicts.map { verdict -> JSONValue in
            let pollAfter = verdict.pollAfter(poll)
            return [
                "service": .string(verdict.service), "state": .string(verdict.state.rawValue),
                "scope": .string(verdict.scope.rawValue), "generation": .integer(verdict.generation),
                "since": .string(Timestamp.text(milliseconds: since(verdict.since))),
                "reason": JSONValue(verdict.reason), "source": .string(verdict.source.rawValue),
                "expiresAt": .string(expiresAt), "pollAfterMs": .integer(pollAfter.wholeMilliseconds),
                "resume": verdict.resume.map(Self.document) ?? .null,
            ]
        }
        json = [
            "decisions": .array(decisions), "issuer": .string(issuer),
            "issuedAt": .string(Timestamp.text(milliseconds: issuedAt)),
        ]
        let isPaced = verdicts.contains { $0.resume != nil }
        entityTag = isPaced ? nil : Self.tag(verdicts, issuer)
    }

    private static func document(_ pace: ResumePace) -> JSONValue {
        [
            "afterMs": .integer(pace.after.wholeMilliseconds), "ratePerMinute": .integer(pace.ratePerMinute),
        ]
    }

    private static func tag(_ verdicts: [QoSVerdict], _ issuer: String) -> String {
        let words = verdicts.map {
            "\($0.service) \($0.generation) \($0.state.rawValue) \($0.scope.rawValue)"
        }
        let digest = Digest.sha256Hex(Array((words + [issuer]).joined(separator: "\n").utf8))
        return "\"\(digest.prefix(24))\""
    }
}
