internal import GRDB
public import HubCore

extension SQLiteLedger {
    public func takeIn(_ request: IntakeRequest) async throws(LedgerError) -> IntakeAnswer {
        let penalties = penalties
        let answer = try await writer.write(
            weight: request.mutations.count
        ) { db -> TransactionEnding<IntakeAnswer?> in
            // Asked here, so that of many pushes that wait together the first one alone is paid for.
            guard !penalties.isRefused(request.device.terminalId) else { return .undo(nil) }
            do {
                let answer = try SQLiteIntake.run(request, in: db, within: penalties.budget)
                if case .refused = answer { return .undo(answer) }
                return .keep(answer)
            } catch is BudgetSpent {
                penalties.refuse(request.device.terminalId)
                // An interrupted write has undone what others wrote, too.
                guard db.isInsideTransaction else { throw BudgetSpent() }
                return .undo(nil)
            }
        }
        guard let answer else { throw .tooCostly }
        if case .refused(let refusal) = answer { try await raise(refusal, for: request) }
        return answer
    }

    public func note(
        _ claim: HeadClaim, of device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) {
        try await writer.write { db in
            let intake = SQLiteIntake(db: db)
            try HeadRecorder(store: intake, terminalId: device.terminalId, now: now).note(
                claim, beside: try intake.lastEpoch(of: device.terminalId))
            return .keep(())
        }
    }

    private func raise(_ refusal: JournalRefusal, for request: IntakeRequest) async throws(LedgerError) {
        let alarm = refusal.alarm(about: request)
        try await writer.write { db in .keep(try SQLiteIntake(db: db).raise(alarm)) }
    }
}
