import HubCore
import HubProtocol

/// Edits and discards of refused mutations (http.md section 3): an edit replaces what it supersedes, and
/// one fact is never accepted twice, whichever of the two arrives first.
extension IntakeProcedure {
    /// What the succession forbids; nil when `mutation` is allowed.
    func refusedSuccession(_ mutation: Mutation) throws -> MutationResult? {
        if let replaced = mutation.supersedes, let refused = try refusedEdit(mutation, of: replaced) {
            return refused
        }
        if mutation.type == "mutation.discarded", let discarded = mutation.payload["discards"]?.string,
            let refused = try refusedDiscard(mutation, of: discarded)
        {
            return refused
        }
        return try answeredBefore(mutation)
    }

    private func refusedEdit(_ mutation: Mutation, of replaced: String) throws -> MutationResult? {
        switch try store.status(of: replaced, of: device.terminalIds) {
        case .settled:
            return MutationResult.conflict(
                mutation.id, policy: .appendOnly, serverState: ["mutationId": .string(replaced)],
                detail: "The mutation \(replaced) was taken in, itself or edited; it is not changed any more."
            )
        case .foreign: return foreign(mutation, replaced)
        case .missing, .failed, .discarded:
            guard try store.isEdited(replaced, by: device.terminalIds) else { return nil }
            return MutationResult.rejected(
                mutation.id, code: .editRepeated,
                detail: "The mutation \(replaced) was edited before; edit that edit instead.")
        }
    }

    private func refusedDiscard(_ mutation: Mutation, of discarded: String) throws -> MutationResult? {
        switch try store.status(of: discarded, of: device.terminalIds) {
        case .settled:
            MutationResult.conflict(
                mutation.id, policy: .escalate, serverState: ["mutationId": .string(discarded)],
                detail: "The mutation \(discarded) was taken in; void or refund it instead.")
        case .foreign: foreign(mutation, discarded)
        case .missing, .failed, .discarded: nil
        }
    }

    private func foreign(_ mutation: Mutation, _ other: String) -> MutationResult? {
        guard !AuthorizationTable.allows(.answerMutation, by: .storeTerminal) else { return nil }
        return MutationResult.rejected(
            mutation.id, code: .mutationForeign, detail: "The mutation \(other) is another terminal's.")
    }

    /// An entry can arrive after its edit or discard: at a hub that was restored from a backup, or when one
    /// disk pushes under two identities.
    private func answeredBefore(_ mutation: Mutation) throws -> MutationResult? {
        guard try store.isAnswered(mutation.id) else { return nil }
        switch try store.status(of: mutation.id, of: device.terminalIds) {
        case .settled:
            return MutationResult.rejected(
                mutation.id, code: .superseded, detail: "An edit of this mutation was accepted in its place.")
        case .discarded:
            return MutationResult.rejected(
                mutation.id, code: .superseded, detail: "A person gave this mutation up before it arrived.")
        case .missing, .failed, .foreign:
            return nil
        }
    }
}
