import Base

/// The raw signals that the snapshot is derived from.
struct NetworkSignals: Hashable, Codable, Sendable {
    var path: PathStatus?
    var lastInternetOk: Instant?
    var lastBackendOk: Instant?
    var latency: Duration?
    /// What showed last that somebody other than the hub responded; nil once the hub has responded.
    var portal: PortalEvidence?
    /// What the last failure was; nil once the hub has responded.
    var lastFailure: NetworkEvidence?
    /// The hub's own health response was not good, or it is missing while the network works.
    var hubTrouble = HubTrouble.none
}

/// What is wrong with the hub while the network works.
enum HubTrouble: Hashable, Codable, Sendable {
    case none
    /// Its health response had this status.
    case status(Int)
    /// It is silent while pings or the independent address respond.
    case silent
}

/// The kernel's report of the path, after it settled.
enum PathView: Hashable, Codable, Sendable {
    /// The kernel has not reported yet.
    case unknown
    case usable
    case lost
    /// Back, and usable once it was stable until `settlesAt`.
    case returning(settlesAt: Instant)
}

/// Whether pings get responses on this path.
enum PingHistory: Hashable, Codable, Sendable {
    /// No echo got a response yet: silence is no evidence.
    case noResponse
    /// Echoes get responses here, so their absence is evidence.
    case responded
    /// They cannot be sent.
    case unavailable
}
