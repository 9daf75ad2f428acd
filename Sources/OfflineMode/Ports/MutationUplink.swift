public import OfflineCore

/// Sends mutations to the hub. One request at a time; the drainer sees to it.
public protocol MutationUplink: Sendable {
    /// Sends `items` as one request: one item as a single push, more as a batch, none as an
    /// empty batch (the canary of an outbox in which nothing is due).
    ///
    /// The idempotency keys are the items' ids, durable since long before. Never throws: whatever went wrong
    /// is an outcome. Also reported to ``OutcomeObserving`` by the network layer.
    func push(_ items: [OutboxItem], epoch: Int64, lowSequence: Int64?) async -> PushOutcome

    /// Sends one request that fills whole packets and, when that is lost, one that does not; neither changes
    /// anything.
    ///
    /// - Returns: whether the large one got through; nil when neither did or it was not tried. Default: nil.
    func largePacketsPass() async -> Bool?
}

extension MutationUplink {
    public func largePacketsPass() async -> Bool? { nil }
}
