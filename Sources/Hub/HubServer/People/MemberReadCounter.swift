import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore
internal import ServiceLifecycle
internal import Synchronization

/// Lets a terminal look members up so often and no oftener, and counts how often it did.
///
/// The counts are written beside the responses, every few seconds: a look-up waits for no disk, and a crash
/// takes the last few seconds' counts.
final class MemberReadCounter: Service {
    private struct Day {
        var number: Int64
        /// How often each terminal looked members up, what an earlier process counted included.
        var counts: [String: Int64] = [:]
    }

    private let ledger: any Ledger
    private let perDay: Int64
    private let rates: RateGate
    /// Milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let counted = Mutex<[String: Int64]>([:])
    private let today: Mutex<Day>
    /// Terminals that reached half of their day's look-ups, until that is raised.
    private let raised = Mutex<[String]>([])

    /// 5 s: a write for all look-ups meanwhile. With half of it the hub writes twice as often for nothing,
    /// with double a crash takes twice as many counts.
    private static let interval: Duration = .seconds(5)

    init(
        ledger: any Ledger, readsPerMinute: Int64, perDay: Int64,
        now: @escaping @Sendable () -> Int64,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.ledger = ledger
        rates = RateGate(TokenBucket.Rate(callsPerMinute: readsPerMinute), now: clock)
        self.now = now
        self.perDay = perDay
        today = Mutex(Day(number: TerminalUsage.day(at: now())))
    }

    /// Counts one look-up of a terminal.
    ///
    /// - Returns: nil when it may go ahead; otherwise how long it has to wait.
    func count(_ terminalId: String) -> Duration? {
        if let wait = rates.count(terminalId) { return wait }
        let moment = now()
        let count = today.withLock { day in
            if day.number != TerminalUsage.day(at: moment) {
                day = Day(number: TerminalUsage.day(at: moment))
            }
            let count = (day.counts[terminalId] ?? 0) + 1
            if count <= perDay { day.counts[terminalId] = count }
            return count
        }
        guard count <= perDay else {
            return .milliseconds(TerminalUsage.milliseconds(toTheNextDayAt: moment))
        }
        if count == (perDay + 1) / 2 { raised.withLock { $0.append(terminalId) } }
        counted.withLock { $0[terminalId, default: 0] += 1 }
        return nil
    }

    func run() async throws {
        let day = TerminalUsage.day(at: now())
        if let before = try? await ledger.memberReads(on: day) {
            today.withLock { if $0.number == day { $0.counts.merge(before) { max($0, $1) } } }
        }
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: Self.interval)) != nil { await keep() }
        }
        await keep()
    }

    /// Writes what was counted since the last time.
    func keep() async {
        for terminalId in raised.withLock({ raised in
            defer { raised = [] }
            return raised
        }) {
            try? await ledger.raise(
                Alarm(
                    kind: .lookUpsMany, terminalId: terminalId,
                    detail: "\((perDay + 1) / 2) of \(perDay) of this day.", at: now()))
        }
        let reads = counted.withLock { counted in
            defer { counted = [:] }
            return counted
        }
        guard !reads.isEmpty else { return }
        // A store that cannot write now has more to lose than these counts.
        try? await ledger.addMemberReads(reads, on: now() / 86_400_000)
    }
}
