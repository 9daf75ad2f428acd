public import Base
public import OfflineCore

/// Reports the kernel's status of the path to the hub.
public protocol PathMonitoring: Sendable {
    /// The present status first, then each change of it, until the consumer stops listening.
    ///
    /// The machine waits until a status settles (0.5 s); a monitor reports at once.
    func statuses() -> AsyncStream<PathStatus>
}

/// Sends ICMP echoes to the hub's host.
public protocol Pinging: Sendable {
    /// One echo. Never throws: what cannot be sent is `.unavailable`, what does not come back `.timedOut`.
    func ping(timeout: Duration) async -> PingResult
}

/// Probes whether the hub itself responds, or the independent internet address.
public protocol HubProbing: Sendable {
    /// One probe with a fresh nonce on a connection that is not reused from before the epoch's start.
    ///
    /// - Parameters:
    ///   - target: where the server is, and what it is to respond with.
    ///   - timeout: for the complete exchange, connection included.
    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult
}

/// Gets every outcome of the network layer. The offline module implements it, the transport calls it.
public protocol OutcomeObserving: Sendable {
    /// A business request ended, cancellation included. Probes and QoS are not reported here.
    func requestFinished(_ outcome: RequestOutcome)

    /// A request is connected (or reused a connection) and has received no byte for 3 s: undecided. It
    /// continues.
    func requestStalled(_ api: APIRoute, startedAt: Instant)

    /// Bytes of a request moved from `since` to now on its connection to the verified hub; it continues.
    func requestMoves(since: Instant)
}
