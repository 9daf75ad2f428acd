public import OfflineCore

/// Sends the outbox to the hub: one request in flight, oldest first, nothing removed without a verdict on disk.
public actor OutboxDrainer {
    public init(
        storage: any OutboxStorage, uplink: any MutationUplink, time: any SystemTime,
        settings: OutboxSettings = OutboxSettings(), seed: UInt64
    ) {}

    /// Drains until the task is cancelled.
    public func run() async {}

    /// A sale was committed: its row is on disk and is tried at once, after those before it.
    public nonisolated func saleCommitted(id: String) {}

    /// Rows on disk changed other than by a new sale (edited, discarded, put back): reads them again.
    public nonisolated func nudge() {}

    /// Waits until the mutation `id` has its verdict on disk, no longer than `budget`.
    ///
    /// Ends early when the wait is pointless (the push failed, the outbox stands still, the cashier's patience
    /// was spent by an earlier sale). It ends the waiting, never the request.
    /// - Returns: whether the verdict came in time.
    public func waitForVerdict(of id: String, within budget: Duration) async -> Bool { false }

    /// Tries everything at once, except inside a `Retry-After`, and drains to empty or the first failure.
    public func syncNow() async -> DrainReport { DrainReport(ending: .interrupted, verdicts: 0) }

    /// While on, nothing leaves; what is in flight may still bring its verdict.
    public nonisolated func setManualOffline(_ isOn: Bool) {}

    /// The route of `order` went local: nothing is sent but canaries and `sync now`.
    public nonisolated func routeLost() {}

    /// The route of `order` is back: everything is tried at once, except inside a `Retry-After`.
    public nonisolated func routeRestored() {}

    /// The terminal signed in or was enrolled again: a drain that stood still goes on.
    public nonisolated func identityRenewed() {}

    /// Small batches while the link is degraded.
    public nonisolated func setLinkDegraded(_ isDegraded: Bool) {}

    /// Shapes the drain after a fault, until the outbox is empty.
    public nonisolated func pace(_ pace: ResumePace) {}

    /// The canary of `order`: the oldest pending mutation alone, or an empty batch when nothing is due.
    ///
    /// - Parameter timeout: for the whole wait, an earlier request in flight included.
    /// - Returns: whether the hub answered as the contract says.
    public func canaryPush(timeout: Duration) async -> Bool { false }

    public var status: DrainStatus { .idle }

    /// What is known of rows beyond what lies on disk; rows not listed were not tried since the start.
    public var rows: [OutboxRowView] { [] }
}
