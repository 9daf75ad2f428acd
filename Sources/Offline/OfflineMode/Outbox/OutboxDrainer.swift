public import Base
public import OfflineCore

/// Sends the outbox to the hub: one request in flight, oldest first, nothing removed without a final result
/// on disk.
///
/// The driver of ``OutboxMachine``: one inbox, one loop, the one place here that reads the clock. It decides
/// nothing; what the machine requests to read, send or write runs beside the loop and returns through the
/// inbox.
public actor OutboxDrainer {
    let storage: any OutboxStorage
    let uplink: any MutationUplink
    let time: any SystemTime
    var machine: OutboxMachine
    /// The rows of the machine, with their bodies.
    var items: [String: OutboxItem] = [:]
    var waits = ResultWaits()
    var waitBudget = CashierWaitBudget()
    var syncs = PendingSyncs<DrainReport>()
    var canaries: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    var hasEnded = false
    private var lastToken: UInt64 = 0
    private var alarm: Alarm
    private let events: AsyncStream<OutboxEvent>
    nonisolated let inbox: AsyncStream<OutboxEvent>.Continuation

    /// Nothing is sent before ``setManualOffline(_:)`` was called: a flag set before a restart is valid from
    /// the first request on.
    ///
    /// - Parameter seed: of the backoff's jitter; different on every terminal.
    public init(
        storage: any OutboxStorage, uplink: any MutationUplink, time: any SystemTime,
        settings: OutboxSettings = OutboxSettings(), seed: UInt64
    ) {
        self.storage = storage
        self.uplink = uplink
        self.time = time
        machine = OutboxMachine(settings: settings, seed: seed, isManualOffline: true)
        let (events, inbox) = AsyncStream.makeStream(of: OutboxEvent.self)
        (self.events, self.inbox) = (events, inbox)
        alarm = Alarm(time: time) { inbox.yield(.deadlineReached) }
    }

    /// Drains until the task is cancelled. To be called once.
    ///
    /// What is in flight at the end is cancelled: its rows stay pending and are sent again under the same
    /// keys.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for effect in step(.rowsChanged) { group.addTask { await self.perform(effect) } }
            for await event in events {
                for effect in step(event) { group.addTask { await self.perform(effect) } }
            }
            group.cancelAll()
        }
        end()
    }

    /// What the outbox is doing.
    public var status: DrainStatus { machine.status(at: time.now()) }

    /// The end of the hub's `Retry-After`, before which nothing is sent, not even on a person's request; nil
    /// without one.
    public var retryAfterEnds: Instant? { machine.retryAfterEnds(at: time.now()) }

    /// Whether a measurement found that the path to the hub loses large packets.
    public var losesLargePackets: Bool { machine.losesLargePackets }

    /// The state of rows that is not on disk; rows not listed were not tried since the start.
    public var rows: [OutboxRowView] { machine.rows(at: time.now()) }

    func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// Feeds the machine, resumes waiters at once, and returns the effects that take time.
    private func step(_ event: OutboxEvent) -> [OutboxEffect] {
        if event == .syncRequested { syncs.begin() }
        if event == .deadlineReached { alarm.rang() }
        let effects = machine.handle(event, at: time.now())
        alarm.arm(for: machine.deadline)
        return effects.filter { !notify($0) }
    }

    private func end() {
        hasEnded = true
        inbox.finish()
        alarm.stop()
        waits.endAll()
        syncs.endAll(DrainReport(ending: .interrupted, verdicts: 0))
        endCanaries(good: false)
    }
}
