import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore
internal import LinuxRuntime
internal import MachineRuntime

/// A journal that reports to the QoS engine: how fast the intake is, and how full the outboxes still are.
struct MeteredJournal: JournalLedger {
    let ledger: any JournalLedger
    let engine: QoSEngine

    func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        let start = LinuxSystemTime.hub.now()
        do throws(LedgerError) {
            let response = try await ledger.ingest(request)
            await note(request, results: response.resultCount, since: start)
            if let backlog = response.backlog(behind: request.head) {
                await engine.handle(.backlogMeasured(backlog, of: request.device.terminalId))
            }
            return response
        } catch {
            await note(request, results: 0, since: start)
            throw error
        }
    }

    private func note(_ request: IntakeRequest, results: Int, since start: Instant) async {
        await engine.handle(
            .intakeEnded(
                results: results, sent: request.mutations.count, of: request.device.terminalId, since: start))
    }

    func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        await engine.handle(.pending(report.pending, of: terminalId))
        try await ledger.keepTelemetry(report, of: terminalId, at: now)
    }
}

extension IntakeResponse {
    /// How many mutations have a result by it.
    fileprivate var resultCount: Int {
        switch self {
        case .refused: 0
        case .results(let response): response.results.count { $0.outcome.isFinal }
        }
    }

    /// What the terminal still holds behind this response; nil without a signed head.
    fileprivate func backlog(behind head: HeadClaim?) -> Int64? {
        guard case .results(let response) = self else { return nil }
        return head?.backlog(behind: response.acknowledgedThrough)
    }
}
