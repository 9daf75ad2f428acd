internal import GRDB
package import HubCore
internal import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Shares a transaction with other waiting pushes by weight; throws ``LedgerError/tooCostly`` past its
    /// budget, and for half a minute after.
    ///
    /// A batch that small pushes wait for is accepted in parts, each durable before the next one: what a
    /// refusal or an error of a later part leaves of it is as if the terminal had sent the parts themselves.
    package func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        var (budget, part) = (penalties.budget, request)
        var results: [MutationResult] = []
        while true {
            let (response, spent) = try await take(part, within: budget, goesOn: !results.isEmpty)
            switch response {
            case .refused(let refusal):
                try await raise(refusal, for: request)
                return response
            case .results(let taken):
                results += taken.results
                guard results.count < request.mutations.count else {
                    return .results(MutationBatchResponse(results: results, taken.extent))
                }
                part = part.behind(taken.results.count)
                budget = budget.without(spent)
            }
        }
    }

    /// - Parameter goesOn: whether the push had a turn before.
    private func take(
        _ request: IntakeRequest, within budget: PushBudget, goesOn: Bool
    ) async throws(LedgerError) -> (response: IntakeResponse, spent: PushBudget.Spent) {
        typealias Taken = (response: IntakeResponse, spent: PushBudget.Spent)
        let penalties = penalties
        let taken = try await writer.write(
            weight: request.weight, goesOn: goesOn
        ) { [writer, memory] db -> TransactionEnding<Taken?> in
            // Queried here, so that of many pushes that wait together the first one alone is paid for.
            guard !penalties.isRefused(request.device.terminalId) else { return .undo(nil) }
            do {
                let taken = try SQLiteIntake.run(
                    request, in: db, within: budget, memory, isAwaited: { writer.isAwaited })
                if case .refused = taken.response { return .undo(taken) }
                return .keep(taken)
            } catch is BudgetSpent {
                penalties.refuse(request.device.terminalId)
                // An interrupted write has undone what others wrote, too.
                guard db.isInsideTransaction else { throw BudgetSpent() }
                return .undo(nil)
            }
        }
        guard let taken else { throw .tooCostly }
        return taken
    }

    private func raise(_ refusal: JournalRefusal, for request: IntakeRequest) async throws(LedgerError) {
        guard let alarm = refusal.alarm(about: request) else { return }
        try await writer.write { db in .keep(try SQLiteIntake(db: db).raise(alarm)) }
    }
}
