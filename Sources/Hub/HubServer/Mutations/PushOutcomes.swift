import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import LinuxRuntime
internal import MachineRuntime
internal import OfflineCore
internal import Synchronization

/// How the store took the last pushes. A check that writes a few pages can find room where a push does not,
/// so a store that has just refused a push is not ready, whatever the check finds.
final class PushOutcomes: Sendable {
    private struct Refusal {
        let error: LedgerError
        let at: Instant
    }

    private let refusal = Mutex<Refusal?>(nil)
    private let now: @Sendable () -> Instant

    /// Two probes of the service at their usual pace. Halved, a probe between two pushes of a quiet hour
    /// would call the store well; doubled, it stays faulty that much longer after room was made and nobody
    /// pushed.
    private static let memory: Duration = .seconds(10)

    init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    func noteAccepted() { refusal.withLock { $0 = nil } }

    /// Only failures of the store itself, whichever terminal pushes. A busy moment, a push that cost too
    /// much, and one that failed for a reason that may be its own content are not: otherwise one terminal
    /// could take the service from all of them.
    func noteRefused(_ error: LedgerError) {
        switch error {
        case .full, .damaged, .notDurable:
            let at = now()
            refusal.withLock { $0 = Refusal(error: error, at: at) }
        case .busy, .failed, .tooCostly, .unavailable, .notOpened, .newerSchema, .notEmpty: break
        }
    }

    /// - Throws: why the last push was refused, when that was a moment ago.
    func requireAccepted() throws(LedgerError) {
        let last = refusal.withLock(\.self)
        if let last, now() - last.at < Self.memory { throw last.error }
    }
}

/// A journal whose pushes are watched and counted.
struct WatchedJournal: JournalLedger {
    let ledger: any JournalLedger
    let outcomes: PushOutcomes
    let figures: HubFigures

    func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        let start = LinuxSystemTime.hub.now()
        func note(_ response: IntakeResponse?) {
            figures.noteStored(
                response, sent: request.mutations.count, took: LinuxSystemTime.hub.now() - start)
        }
        do throws(LedgerError) {
            let response = try await ledger.ingest(request)
            outcomes.noteAccepted()
            note(response)
            return response
        } catch {
            outcomes.noteRefused(error)
            note(nil)
            throw error
        }
    }

    func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        try await ledger.keepTelemetry(report, of: terminalId, at: now)
    }
}
