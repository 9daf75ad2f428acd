internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Synchronization

/// Passes on where tills listen to the other tills of their store, by the entity of their keys.
///
/// A till that moves all the time costs its store one change of the feed in ten minutes, whichever of several
/// hubs it reports to: the feed itself says when the last one was.
final class NeighbourPlaces: Sendable {
    private let ledger: any PlaceLedger
    /// What is in the feed, as far as this process knows: most reports repeat it.
    private let passed = Mutex<[String: NeighbourPlace]>([:])

    /// Half of it doubles what a broken till costs its store; with twice of it a till whose address changed
    /// is not found for twenty minutes.
    private static let interval: Int64 = 600_000

    init(ledger: any PlaceLedger) { self.ledger = ledger }

    /// - Parameter now: milliseconds since 1970.
    func note(_ report: TelemetryReport, of terminalId: String, at now: Int64) async {
        guard let place = report.neighbours, passed.withLock({ $0[terminalId] }) != place else { return }
        let isPassed: Bool
        do throws(LedgerError) {
            isPassed = try await pass(place, of: terminalId, at: now)
        } catch {
            // The next report tries again.
            isPassed = false
        }
        passed.withLock { $0[terminalId] = isPassed ? place : nil }
    }

    /// - Returns: whether the feed has it now.
    private func pass(
        _ place: NeighbourPlace, of terminalId: String, at now: Int64
    ) async throws(LedgerError) -> Bool {
        // Its next report comes after it was confirmed, perhaps.
        guard let terminal = try await ledger.terminal(terminalId), terminal.isTrusted else { return false }
        var key = TerminalKey(
            terminalId: terminal.id, storeId: terminal.storeId, publicKey: terminal.publicKey)
        if let (published, at) = try await ledger.published(key.key), let last = published.neighbours {
            // A clock that was set back does not keep a till where it was.
            guard last != place else { return true }
            guard now - at >= Self.interval || now < at else { return false }
        }
        key.neighbours = place
        _ = try await ledger.importEntities([key], withdrawing: [], at: now)
        // Revoked in between: its key was withdrawn before it was published here once more.
        if let after = try await ledger.terminal(terminalId), !after.isTrusted {
            _ = try await ledger.importEntities([], withdrawing: [key.key], at: now)
        }
        return true
    }
}

/// The hub's store, as far as where tills listen needs it.
protocol PlaceLedger: Sendable {
    func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord?

    /// As ``Ledger/published(_:)``.
    func published(_ key: EntityKey) async throws(LedgerError) -> (TerminalKey, at: Int64)?

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

    func published(_ key: EntityKey) async throws(LedgerError) -> (TerminalKey, at: Int64)? {
        guard let (value, at) = try await ledger.published(key), let key = try? TerminalKey(json: value)
        else {
            return nil
        }
        return (key, at)
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
