internal import GRDB
package import HubCore
internal import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Shares a transaction with other waiting pushes by weight; throws ``LedgerError/tooCostly`` past its
    /// budget, and for half a minute after.
    package func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        let penalties = penalties
        let response = try await writer.write(
            weight: request.mutations.count
        ) { db -> TransactionEnding<IntakeResponse?> in
            // Queried here, so that of many pushes that wait together the first one alone is paid for.
            guard !penalties.isRefused(request.device.terminalId) else { return .undo(nil) }
            do {
                let response = try SQLiteIntake.run(request, in: db, within: penalties.budget)
                if case .refused = response { return .undo(response) }
                return .keep(response)
            } catch is BudgetSpent {
                penalties.refuse(request.device.terminalId)
                // An interrupted write has undone what others wrote, too.
                guard db.isInsideTransaction else { throw BudgetSpent() }
                return .undo(nil)
            }
        }
        guard let response else { throw .tooCostly }
        if case .refused(let refusal) = response { try await raise(refusal, for: request) }
        return response
    }

    private func raise(_ refusal: JournalRefusal, for request: IntakeRequest) async throws(LedgerError) {
        let alarm = refusal.alarm(about: request)
        try await writer.write { db in .keep(try SQLiteIntake(db: db).raise(alarm)) }
    }
}

extension Database {
    func raise(_ alarm: Alarm) throws { try SQLiteSession(db: self).run([alarm.raising]) }
}
