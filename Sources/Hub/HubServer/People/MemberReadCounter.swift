import Base

internal import HubCore
internal import HubStore
internal import OfflineCore
internal import ServiceLifecycle
internal import Synchronization

/// Lets a terminal look members up so often and no oftener, and counts how often it did.
///
/// The counts are written beside the responses, every few seconds: a look-up waits for no disk, and a crash
/// takes the last few seconds' counts.
final class MemberReadCounter: Service {
    private let ledger: any MemberReadLedger
    private let rates: RateGate
    /// Milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let counted = Mutex<[String: Int64]>([:])

    /// 5 s: a write for all look-ups meanwhile. With half of it the hub writes twice as often for nothing,
    /// with double a crash takes twice as many counts.
    private static let interval: Duration = .seconds(5)

    init(
        ledger: any MemberReadLedger, readsPerMinute: Int64, now: @escaping @Sendable () -> Int64,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.ledger = ledger
        rates = RateGate(TokenBucket.Rate(callsPerMinute: readsPerMinute), now: clock)
        self.now = now
    }

    /// Counts one look-up of a terminal.
    ///
    /// - Returns: nil when it may go ahead; otherwise how long it has to wait.
    func count(_ terminalId: String) -> Duration? {
        if let wait = rates.count(terminalId) { return wait }
        counted.withLock { $0[terminalId, default: 0] += 1 }
        return nil
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: Self.interval)) != nil { await keep() }
        }
        await keep()
    }

    private func keep() async {
        let reads = counted.withLock { counted in
            defer { counted = [:] }
            return counted
        }
        guard !reads.isEmpty else { return }
        // A store that cannot write now has more to lose than these counts.
        try? await ledger.addMemberReads(reads, on: now() / 86_400_000)
    }
}
