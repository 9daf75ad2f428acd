/// Identifies one ping or probe: responses that carry an older path id are recorded and change nothing.
public struct ProbeTag: Hashable, Codable, Sendable {
    /// The path id: increased by every change of the path and by every suspension of the terminal.
    public let epoch: UInt64
    /// Counts pings and probes of the machine from its start.
    public let sequence: UInt64

    /// The machine makes tags; `sequence` increases by one with each ping or probe.
    public init(epoch: UInt64, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

/// Where a probe is sent.
public enum ProbeTarget: String, Hashable, Codable, Sendable {
    /// The hub's `/healthz` with a nonce.
    case hub
    /// The independent internet address of the configuration.
    case internet
}

/// How a probe ended.
public enum ProbeResult: Hashable, Codable, Sendable {
    /// The target itself responded as it should.
    case good(roundTrip: Duration)
    /// The verified hub responded, but not that it is healthy (a 5xx): the network works.
    case respondedBadly(status: Int, roundTrip: Duration)
    case failed(NetworkFailure)
    case portal(PortalEvidence)
}

/// How one echo request ended.
public enum PingResult: Hashable, Codable, Sendable {
    case responded(roundTrip: Duration)
    case timedOut
    /// No permission or no socket: no evidence on the network.
    case unavailable
}

extension ProbeResult {
    /// Whether the target itself responded, with whatever status.
    var isResponse: Bool {
        switch self {
        case .good, .respondedBadly: true
        case .failed, .portal: false
        }
    }
}
