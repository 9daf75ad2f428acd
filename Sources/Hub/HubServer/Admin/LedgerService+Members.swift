internal import HubCore
internal import HubProtocol
internal import HubStore

/// Takes back what a terminal changed of members, and gives them what waits of its sales.
extension LedgerService {
    func revertMembers(_ reversal: MemberReversal) async throws -> JSONValue {
        var outcome = MemberReversal.Outcome()
        repeat {
            outcome.add(try await ledger.revertMembers(reversal, at: now()))
        } while outcome.hasMore
        return [
            "terminalId": .string(reversal.terminalId), "part": .string(reversal.part.rawValue),
            "reverted": .integer(Int64(outcome.reverted)), "kept": .integer(Int64(outcome.kept)),
            "withdrawn": .integer(Int64(outcome.withdrawn)),
        ]
    }

    func releaseHeldPoints(_ held: HeldPoints) async throws -> JSONValue {
        var outcome = HeldPoints.Outcome()
        repeat {
            outcome.add(try await ledger.releaseHeldPoints(held, at: now()))
        } while outcome.hasMore
        return [
            "terminalId": .string(held.terminalId), "sales": .integer(Int64(outcome.sales)),
            "points": .integer(outcome.points), "lost": .integer(Int64(outcome.lost)),
        ]
    }

    /// Groups of members who may be one person.
    func doubleMembers(limit: Int) async throws -> JSONValue {
        let doubles = try await ledger.doubleMembers(limit: limit)
        let groups = doubles.groups.map { group -> JSONValue in
            ["members": .array(group.members.map(\.json))]
        }
        return ["groups": .array(groups), "hasMore": .bool(doubles.hasMore)]
    }

    func mergeMembers(keeping kept: String, over other: String) async throws -> JSONValue {
        switch try await ledger.mergeMembers(keeping: kept, over: other, at: now()) {
        case .merged(let member): return ["member": member.json, "mergedId": .string(other)]
        case .unknown(let id):
            throw Problem.notFound(
                "The hub has no member \"\(id)\" of their own beside the other one: unknown, withdrawn or merged."
            )
        case .tooManyPoints:
            throw Problem.malformed("The sum of their points cannot be kept; nothing was changed.")
        }
    }
}
