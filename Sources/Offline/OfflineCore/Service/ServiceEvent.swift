public import Base

/// What the service detector is notified of.
public enum ServiceEvent: Hashable, Sendable {
    /// A business call ended. An undecided stall is reported once the network detector has decided it.
    case outcomeObserved(api: APIRoute, outcome: OutcomeClass)
    /// A call failed like a fault of the network, or somebody else responded, while the hub serves others.
    case failureConfirmed(api: APIRoute, outcome: OutcomeClass)
    /// The network detector entered `reachable`.
    case networkBecameReachable
    /// The network detector left `reachable`, also for a suspicion: no query, canary or lease starts now.
    case networkLost
    /// A valid response to the query or report `tag`, which was sent at `sentAt`.
    case qosResponded(QoSResponse, tag: UInt64, sentAt: Instant)
    /// The query or report `tag` got no valid response in time.
    case qosFailed(tag: UInt64)
    /// The canary `tag` of `service` ended.
    case canaryFinished(service: String, tag: UInt64, good: Bool)
    /// A person requested a retry: QoS is queried and waiting canaries are sent at once.
    case retryRequested
    /// The detector's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}

/// What the driver of the service detector has to do. A tag connects a response with its request and never
/// repeats within one detector.
public enum ServiceEffect: Hashable, Sendable {
    /// Query the decisions of QoS, within ``ServiceSettings/queryTimeout``.
    case queryQoS(tag: UInt64, services: [String])
    /// Send counts to QoS, within ``ServiceSettings/queryTimeout``; the response brings decisions.
    case reportQoS(tag: UInt64, QoSReport)
    /// Try one harmless call of `service`, within ``ServiceSettings/canaryTimeout``.
    case sendCanary(tag: UInt64, service: String)
    /// Let the traffic of `service` back at this pace, counted from now.
    case paceResume(service: String, ResumePace)
}
