import Base

/// What the network detector is notified of.
enum NetworkEvent: Hashable, Sendable {
    case pathChanged(PathStatus)
    case pingFinished(ProbeTag, PingResult)
    case probeFinished(ProbeTag, ProbeTarget, ProbeResult)
    /// The verified hub responded to a business call, with whatever status.
    ///
    /// `isWell`: the response was a success or a refusal of the contract.
    case responseObserved(firstByteAt: Instant, latency: Duration, isWell: Bool)
    /// Bytes of a business call moved from `since` to now, on a connection to the verified hub.
    case bytesMoved(since: Instant)
    /// A business call that was started at `startedAt` did not reach the hub, or somebody else responded.
    case failureObserved(NetworkEvidence, startedAt: Instant)
    /// QoS did not respond to a query that was sent at `startedAt`.
    case queryWithoutResponse(startedAt: Instant)
    case retryRequested
    /// Time passed in which the terminal watched nothing.
    case timeUnwatched(UnwatchedTime)
    case deadlineReached
}

/// Why nothing was watched for a time.
enum UnwatchedTime: Hashable, Sendable {
    /// The machine was suspended.
    case suspended
    /// A timer fired too late, the `inARow`-th one without a punctual one between.
    case timerLate(inARow: Int)
}

/// What the network detector has sent.
enum NetworkEffect: Hashable, Sendable {
    case sendPing(ProbeTag)
    case sendProbe(ProbeTag, ProbeTarget, timeout: Duration)
}
