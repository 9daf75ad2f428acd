/// Whom a probe asks.
public enum ProbeTarget: String, Hashable, Sendable {
    /// The hub's `/healthz` with a nonce.
    case hub
    /// The independent internet address of the configuration.
    case internet
}

/// How a probe ended.
public enum ProbeResult: Hashable, Sendable {
    /// The right answerer said the right thing.
    case good(roundTrip: Duration)
    /// The verified hub answered, but not that it is well (a 5xx): the network works.
    case answeredBadly(status: Int, roundTrip: Duration)
    case failed(NetworkFailure)
    case portal(PortalEvidence)
}

/// How one echo request ended.
public enum PingResult: Hashable, Sendable {
    case answered(roundTrip: Duration)
    case timedOut
    /// No permission or no socket: says nothing about the network.
    case unavailable
}
