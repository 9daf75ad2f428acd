internal import HubProtocol

extension Verdict {
    /// The verdict within a `duplicate` result; `applied` when the hub did not repeat its first answer.
    static func first(in detail: String) -> Verdict {
        guard let document = try? JSONParser.parse(Array(detail.utf8)),
            let outcome = document["result"]?["outcome"]?.string
        else { return .applied }
        switch MutationResult.Outcome(rawValue: outcome) {
        case .rejected: return .rejected
        case .conflict: return .conflicted
        case .applied, .duplicate, .deferred, .retry, nil: return .applied
        }
    }
}
