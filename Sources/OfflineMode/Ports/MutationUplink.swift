public import OfflineCore

/// Sends mutations to the hub. One request at a time; the drainer sees to it.
public protocol MutationUplink: Sendable {
    /// Sends `items` as one request: one item as a single push, more as a batch, none as an
    /// empty batch (the canary of an outbox in which nothing is due).
    ///
    /// The idempotency keys are the items' ids, durable since long before. Never throws: whatever went wrong
    /// is an outcome. Also reported to ``OutcomeObserving`` by the network layer.
    func push(_ items: [OutboxItem], epoch: Int64, lowSequence: Int64?) async -> PushOutcome
}
