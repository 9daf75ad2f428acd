import HubCore
import HubProtocol

/// Edits and discards of refused mutations (http.md section 3): an edit stands in for what it supersedes, and
/// one fact is never taken in twice, whichever of the two arrives first.
extension IntakeProcedure {
    /// What the succession forbids; nil when nothing stands against `mutation`.
    func refusedSuccession(_ mutation: Mutation) throws -> MutationResult? {
        if let replaced = mutation.supersedes, try store.standing(of: replaced) == .settled {
            return Verdict.conflict(
                mutation.id, policy: .appendOnly, serverState: ["mutationId": .string(replaced)],
                detail: "The mutation \(replaced) was taken in, itself or edited; it is not changed any more."
            )
        }
        if mutation.type == "mutation.discarded", let discarded = mutation.payload["discards"]?.string,
            try store.standing(of: discarded) == .settled
        {
            return Verdict.conflict(
                mutation.id, policy: .escalate, serverState: ["mutationId": .string(discarded)],
                detail: "The mutation \(discarded) was taken in; void or refund it instead.")
        }
        return try answeredBefore(mutation)
    }

    /// An entry can come after its answer: a hub restored from a backup can get the edit, or the word that
    /// gives it up, before the entry itself, and so can one that hears of it from two identities of a disk.
    private func answeredBefore(_ mutation: Mutation) throws -> MutationResult? {
        guard try store.isAnswered(mutation.id) else { return nil }
        switch try store.standing(of: mutation.id) {
        case .settled:
            return Verdict.rejected(
                mutation.id, code: .superseded, detail: "An edit of this mutation was taken in in its place.")
        case .discarded:
            return Verdict.rejected(
                mutation.id, code: .superseded, detail: "A person gave this mutation up before it arrived.")
        case .missing, .failed:
            return nil
        }
    }
}
