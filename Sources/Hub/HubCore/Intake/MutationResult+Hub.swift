import Base
package import HubProtocol

/// The results that the hub gives (http.md section 3), made in one place.
extension MutationResult {
    /// Accepted now.
    package static func applied(
        _ id: String, flags: Set<IntakeFlag>, hlc: HybridLogicalClock, receivedAt: Int64
    ) -> MutationResult {
        MutationResult(
            id: id, outcome: .applied,
            members: [
                "flags": .array(flags.sorted().map { .string($0.rawValue) }),
                "hlc": .string(hlc.description),
                "receivedAt": .string(Timestamp.text(milliseconds: receivedAt)),
            ])
    }

    /// Accepted before: the first response goes with it, equal in every field.
    package static func duplicate(_ id: String, first: JSONValue) -> MutationResult {
        MutationResult(id: id, outcome: .duplicate, members: ["result": first])
    }

    /// Cannot be accepted as it is.
    package static func rejected(_ id: String, code: ProblemCode, detail: String) -> MutationResult {
        let problem = Problem(status: 422, code: code, title: "The mutation is rejected", detail: detail)
        return MutationResult(id: id, outcome: .rejected, members: ["problem": problem.json])
    }

    /// Accepted, or refused, so long ago that the response is not kept (``KeyRetention``). Nothing is done.
    package static func expired(_ id: String, receivedAt: Int64) -> MutationResult {
        let problem = Problem(
            status: 422, code: .expiredReplay, title: "The mutation is rejected",
            detail: "It was received at \(Timestamp.text(milliseconds: receivedAt)) and is not run again; "
                + "what was answered then is not kept any more.")
        return MutationResult(
            id: id, outcome: .rejected,
            members: [
                "problem": problem.json,
                "receivedAt": .string(Timestamp.text(milliseconds: receivedAt)),
            ])
    }

    /// Collides with what the hub has; a person decides, with `serverState` in sight.
    package static func conflict(
        _ id: String, policy: MergePolicy, serverState: JSONValue, detail: String
    ) -> MutationResult {
        let problem = Problem(
            status: 409, code: .conflict, title: "The mutation collides with the hub's state", detail: detail)
        return MutationResult(
            id: id, outcome: .conflict,
            members: [
                "problem": problem.json, "policy": .string(policy.rawValue), "serverState": serverState,
            ])
    }

    /// Past a limit of the day: no result yet, and the terminal sends it again.
    package static func retry(_ id: String, after milliseconds: Int64) -> MutationResult {
        MutationResult(
            id: id, outcome: .retry,
            members: [
                "problem": Problem.quotaExceeded(retryAfterMilliseconds: milliseconds).json,
                "retryAfterMs": .integer(milliseconds),
            ])
    }

    /// Waits for the result of a mutation that it depends on.
    package static func deferred(_ id: String, waitingFor dependency: String) -> MutationResult {
        let problem = Problem(
            status: 409, code: .dependencyMissing, title: "What it depends on is not there yet",
            detail: "The mutation \(dependency) has no verdict yet.")
        return MutationResult(
            id: id, outcome: .deferred,
            members: ["problem": problem.json, "waitsFor": .array([.string(dependency)])])
    }

    /// Waits until its attachments are complete.
    package static func deferred(_ id: String, waitingForAttachments attachments: [String]) -> MutationResult
    {
        let problem = Problem(
            status: 409, code: .dependencyMissing, title: "An attachment is not whole yet",
            detail: "The attachment \(attachments.first ?? "") is not whole at the hub yet.")
        return MutationResult(
            id: id, outcome: .deferred,
            members: ["problem": problem.json, "waitsFor": .array(attachments.map(JSONValue.string))])
    }
}
