public import Base
public import OfflineCore

/// Gets every outcome of the network layer. The offline module implements it, the transport calls it.
public protocol OutcomeObserving: Sendable {
    /// A business request ended, cancellation included. Probes and QoS are not reported here.
    func requestFinished(_ outcome: RequestOutcome)

    /// A request is connected (or reused a connection) and has received no byte for 3 s: undecided. It
    /// continues.
    func requestStalled(_ api: APIRoute, startedAt: Instant)
}
