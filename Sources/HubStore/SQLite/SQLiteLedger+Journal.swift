internal import GRDB
public import HubCore

extension SQLiteLedger {
    public func takeIn(_ request: IntakeRequest) async throws(LedgerError) -> IntakeAnswer {
        let answer = try await writer.write { db -> TransactionEnding<IntakeAnswer> in
            let answer = try SQLiteIntake.run(request, in: db)
            switch answer {
            case .results: return .keep(answer)
            case .refused: return .undo(answer)
            }
        }
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
