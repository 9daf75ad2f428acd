internal import HubCore
internal import HubProtocol
internal import HubStore

/// Takes back what a terminal changed of members.
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
}

extension MemberReversal {
    /// As a call of this machine's commands carries it.
    var json: JSONValue {
        ["terminalId": .string(terminalId), "since": .integer(since), "part": .string(part.rawValue)]
    }

    init(json: JSONValue) throws(ShapeError) {
        guard let part = Part(rawValue: try json.requiredString("part")) else {
            throw ShapeError(path: "part", expected: "profiles or points")
        }
        self.init(
            terminalId: try json.requiredString("terminalId"), since: try json.requiredInteger("since"),
            part: part)
    }
}
