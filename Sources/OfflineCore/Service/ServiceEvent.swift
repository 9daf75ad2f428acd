/// What the service detector is told.
public enum ServiceEvent: Hashable, Sendable {
    /// A business call ended. An undecided stall is told once the network detector has booked it.
    case outcomeObserved(api: APIRoute, outcome: OutcomeClass)
    /// A call failed as the network fails, or somebody else answered it, while the hub responds to others.
    case failureConfirmed(api: APIRoute, outcome: OutcomeClass)
    /// The network detector entered `reachable`.
    case networkBecameReachable
    /// The network detector left `reachable`, for suspicion too: no question, canary or lease starts now.
    case networkLost
    /// A valid answer to the question or report `tag`, which was sent at `sentAt`.
    case qosAnswered(QoSAnswer, tag: UInt64, sentAt: Instant)
    /// The question or report `tag` brought no valid answer in time.
    case qosFailed(tag: UInt64)
    /// The canary `tag` of `service` came back.
    case canaryFinished(service: String, tag: UInt64, good: Bool)
    /// A person asked to try again: QoS is asked and waiting canaries are sent at once.
    case retryRequested
    /// The detector's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}
