public import Base
public import OfflineCore
public import MachineRuntime

/// Sends the outbox to the hub: one request in flight, oldest first, nothing removed without a final result
/// on disk.
///
/// Owns the driver of `OutboxMachine` and decides nothing: what the machine requests to read, send or write
/// runs beside the driver's loop and returns through its inbox.
public actor OutboxDrainer {
    let storage: any OutboxStorage
    let uplink: any MutationUplink
    let time: any SystemTime
    nonisolated let driver: MachineDriver<OutboxMachine>
    /// The rows of the machine, with their bodies.
    var items: [String: OutboxItem] = [:]
    var waits = ResultWaits()
    nonisolated let saleWaits: SaleWaits
    var syncs = PendingSyncs<DrainReport>()
    var canaries: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    var hasEnded = false
    let onDelivery: @Sendable (DeliveryState) -> Void
    private var lastToken: UInt64 = 0

    /// Nothing is sent before ``setManualOffline(_:)`` was called: a flag set before a restart is valid from
    /// the first request on.
    ///
    /// - Parameters:
    ///   - storage: the outbox on this terminal's disk.
    ///   - uplink: sends mutations to the hub.
    ///   - time: the clock of backoff and deadlines.
    ///   - settings: sizes of batches and waits.
    ///   - saleWaits: the cashier's wait budget; the checkout's own where sales wait for other services too.
    ///   - seed: of the backoff's jitter; different on every terminal.
    ///   - onDelivery: gets each change of how sending goes; it went well before the first.
    public init(
        storage: any OutboxStorage, uplink: any MutationUplink, time: any SystemTime,
        settings: OutboxSettings = OutboxSettings(), saleWaits: SaleWaits = SaleWaits(), seed: UInt64,
        onDelivery: @escaping @Sendable (DeliveryState) -> Void = { _ in }
    ) {
        self.storage = storage
        self.uplink = uplink
        self.time = time
        self.saleWaits = saleWaits
        self.onDelivery = onDelivery
        driver = MachineDriver(
            OutboxMachine(settings: settings, seed: seed, isManualOffline: true), time: time,
            wakeUp: { [.deadlineReached] })
    }

    /// Drains until the task is cancelled. To be called once.
    ///
    /// What is in flight at the end is cancelled: its rows stay pending and are sent again under the same
    /// keys.
    public func run() async {
        await withDiscardingTaskGroup { group in
            await driver.run(first: [.rowsChanged], in: &group) { event, effects, _ in
                if event == .syncRequested { syncs.begin() }
                return effects.filter { !notify($0) }
            } perform: { effect, _ in
                await self.perform(effect)
            }
            group.cancelAll()
        }
        end()
    }

    /// What the outbox is doing.
    public var status: DrainStatus {
        let now = time.now()
        return driver.withMachine { $0.status(at: now) }
    }

    /// The end of the hub's `Retry-After`, before which nothing is sent, not even on a person's request; nil
    /// without one.
    public var retryAfterEnds: Instant? {
        let now = time.now()
        return driver.withMachine { $0.retryAfterEnds(at: now) }
    }

    /// Whether a measurement found that the path to the hub loses large packets.
    public var losesLargePackets: Bool { driver.withMachine { $0.losesLargePackets } }

    /// The state of rows that is not on disk; rows not listed were not tried since the start.
    public var rows: [OutboxRowView] {
        let now = time.now()
        return driver.withMachine { $0.rows(at: now) }
    }

    func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    private func end() {
        hasEnded = true
        waits.endAll()
        syncs.endAll(DrainReport(ending: .interrupted, results: 0))
        endCanaries(good: false)
    }
}
