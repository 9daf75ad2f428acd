internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Synchronization

/// Passes on where tills listen to the other tills of their store, by the entity of their keys.
///
/// A till that moves all the time costs its store one change of the feed in ten minutes.
final class NeighbourPlaces: Sendable {
    private struct Passed {
        var place: NeighbourPlace
        var at: Int64
    }

    private let ledger: any PlaceLedger
    private let passed = Mutex<[String: Passed]>([:])

    /// Half of it doubles what a broken till costs its store; with twice of it a till whose address changed
    /// is not found for twenty minutes.
    private static let interval: Int64 = 600_000

    init(ledger: any PlaceLedger) { self.ledger = ledger }

    /// - Parameter now: milliseconds since 1970.
    func note(_ report: TelemetryReport, of terminalId: String, at now: Int64) async {
        guard let place = report.neighbours else { return }
        let isNews = passed.withLock { passed in
            if let last = passed[terminalId] {
                guard last.place != place, now - last.at >= Self.interval || now < last.at else {
                    return false
                }
            }
            passed[terminalId] = Passed(place: place, at: now)
            return true
        }
        guard isNews else { return }
        guard let terminal = try? await ledger.terminal(terminalId), terminal.isTrusted else {
            // Its next report comes after it was confirmed, perhaps.
            return passed.withLock { $0[terminalId] = nil }
        }
        var key = TerminalKey(
            terminalId: terminal.id, storeId: terminal.storeId, publicKey: terminal.publicKey)
        key.neighbours = place
        do throws(LedgerError) {
            _ = try await ledger.importEntities([key], withdrawing: [], at: now)
            // Revoked in between: its key was withdrawn before it was published here once more.
            if let after = try await ledger.terminal(terminalId), !after.isTrusted {
                _ = try await ledger.importEntities([], withdrawing: [key.key], at: now)
            }
        } catch {
            // The next report tries again.
            passed.withLock { $0[terminalId] = nil }
        }
    }
}

/// The hub's store, as far as where tills listen needs it.
protocol PlaceLedger: Sendable {
    func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord?

    /// As ``Ledger/importEntities(_:withdrawing:at:)``.
    func importEntities(
        _ list: [TerminalKey], withdrawing gone: [EntityKey], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome
}

/// A store of which nothing else is used.
struct StoredPlaces: PlaceLedger {
    let ledger: any Ledger

    func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await ledger.terminal(id)
    }

    func importEntities(
        _ list: [TerminalKey], withdrawing gone: [EntityKey], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        try await ledger.importEntities(list, withdrawing: gone, at: now)
    }
}

extension TerminalRecord {
    /// Whether other terminals get its key.
    var isTrusted: Bool { revokedAt == nil && unconfirmedSince == nil }
}
