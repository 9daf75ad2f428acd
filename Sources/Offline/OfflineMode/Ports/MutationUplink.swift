public import OfflineCore

/// Sends mutations to the hub. The drainer sends one request at a time.
public protocol MutationUplink: Sendable {
    /// Sends `items` as one request: one item as a single push, more as a batch, none as an
    /// empty batch (the canary of an outbox in which nothing is due).
    ///
    /// The idempotency keys are the items' ids, which are durable. Never throws: every failure is an outcome.
    /// Also reported to ``OutcomeObserving`` by the network layer.
    func push(_ items: [OutboxItem], epoch: Int64, lowSequence: Int64?) async -> PushOutcome

    /// Sends one request that fills large packets and, when it is lost, a small one; neither changes
    /// anything.
    ///
    /// - Returns: whether the large one reached the hub; nil when neither did or it was not tried. Default:
    ///   nil.
    func largePacketsPass() async -> Bool?
}

extension MutationUplink {
    public func largePacketsPass() async -> Bool? { nil }
}
