internal import HubCore
internal import HubProtocol
internal import HubStore

/// A journal that tells the QoS engine how the intake goes: how much it bears, and what terminals still hold.
struct MeteredJournal: JournalLedger, TelemetryLedger {
    let ledger: any JournalLedger & TelemetryLedger
    let engine: QoSEngine

    func takeIn(_ request: IntakeRequest) async throws(LedgerError) -> IntakeAnswer {
        let terminalId = request.device.terminalId
        await engine.handle(.intakeBegan)
        do throws(LedgerError) {
            let answer = try await ledger.takeIn(request)
            await engine.handle(.intakeEnded(answer.verdicts, of: terminalId))
            return answer
        } catch {
            await engine.handle(.intakeEnded(0, of: terminalId))
            throw error
        }
    }

    func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        await engine.handle(.pending(report.pending, of: terminalId))
        try await ledger.keepTelemetry(report, of: terminalId, at: now)
    }

    func telemetry() async throws(LedgerError) -> [String: [TelemetryRecord]] {
        try await ledger.telemetry()
    }

    func lastMutations() async throws(LedgerError) -> [String: Int64] { try await ledger.lastMutations() }

    func audit(terminal: String?) async throws(LedgerError) -> [TerminalAudit] {
        try await ledger.audit(terminal: terminal)
    }
}

extension IntakeAnswer {
    /// How many mutations have a verdict by it.
    fileprivate var verdicts: Int {
        switch self {
        case .refused: 0
        case .results(let answer): answer.results.count { $0.outcome.isVerdict }
        }
    }
}
