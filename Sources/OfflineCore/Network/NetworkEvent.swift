/// What the network detector is told.
enum NetworkEvent: Hashable, Sendable {
    case pathChanged(PathStatus)
    case pingFinished(ProbeTag, PingResult)
    case probeFinished(ProbeTag, ProbeTarget, ProbeResult)
    /// The verified hub answered a business call, whatever it said.
    ///
    /// `isWell`: it said yes.
    case answerObserved(firstByteAt: Instant, latency: Duration, isWell: Bool)
    /// A business call that was started at `startedAt` did not reach the hub, or somebody else answered it.
    case failureObserved(NetworkEvidence, startedAt: Instant)
    /// QoS left a query unanswered that was sent at `startedAt` over the way to the hub.
    case queryUnanswered(startedAt: Instant)
    case retryRequested
    /// Time passed that the terminal did not watch.
    case timeSlept(SleptTime)
    case deadlineReached
}

/// How time passed unwatched.
enum SleptTime: Hashable, Sendable {
    /// The machine was suspended.
    case suspended
    /// A timer came too late, the `inARow`-th one without a punctual one between.
    case timerLate(inARow: Int)
}

/// What the network detector wants done.
enum NetworkEffect: Hashable, Sendable {
    case sendPing(ProbeTag)
    case sendProbe(ProbeTag, ProbeTarget, timeout: Duration)
}
