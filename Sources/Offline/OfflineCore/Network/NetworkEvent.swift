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
    /// The machine was suspended for at least ``longestDoze``: connections and addresses of before may be
    /// gone.
    case suspended
    /// The machine was suspended for less, as one that saves power does again and again.
    case dozed
    /// A timer fired too late, the `inARow`-th one without a punctual one between.
    case timerLate(inARow: Int)

    /// Halved, a computer that dozes deeply needs a complete round in each time awake; doubled, a fault may
    /// be confirmed by a round that began a minute before.
    static let longestDoze = Duration.seconds(30)

    /// What a suspension of `length` means.
    init(suspendedFor length: Duration) { self = length < Self.longestDoze ? .dozed : .suspended }
}

/// What the network detector has sent.
enum NetworkEffect: Hashable, Sendable {
    case sendPing(ProbeTag)
    case sendProbe(ProbeTag, ProbeTarget, timeout: Duration)
}
