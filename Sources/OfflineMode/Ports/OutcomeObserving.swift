public import OfflineCore

/// Takes every outcome of the network layer. The offline module implements it, the transport calls it.
public protocol OutcomeObserving: Sendable {
    /// A business request ended, in whatever way, cancellation included. Probes and QoS are not reported
    /// here.
    func requestFinished(_ outcome: RequestOutcome)

    /// A request is connected (or reused a connection) and has seen no byte for 3 s: undecided. It goes on.
    func requestStalled(_ api: APIRoute, startedAt: Instant)
}
