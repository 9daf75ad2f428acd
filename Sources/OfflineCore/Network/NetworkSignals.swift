/// The raw signals that the snapshot is derived from.
struct NetworkSignals: Hashable, Codable, Sendable {
    var path: PathStatus?
    var lastInternetOk: Instant?
    var lastBackendOk: Instant?
    var latency: Duration?
    /// How somebody other than the hub gave himself away last; nil once the hub has answered.
    var portal: PortalEvidence?
    /// What the last failure was; nil once the hub has answered.
    var lastFailure: NetworkEvidence?
    /// The hub's own health answer was not good, or it did not come while the network did answer.
    var hubTrouble = HubTrouble.none
}

/// What is wrong with the hub while the network works.
enum HubTrouble: Hashable, Codable, Sendable {
    case none
    /// Its health answer was this status.
    case status(Int)
    /// It is silent while a ping or the independent address answers.
    case silent
}

/// What the kernel says of the way, settled.
enum PathView: Hashable, Codable, Sendable {
    /// The kernel was not heard yet.
    case unknown
    case usable
    case lost
    /// Back, and counted as such once it has stood until `settlesAt`.
    case returning(settlesAt: Instant)
}

/// What pings have told on this path.
enum PingHistory: Hashable, Codable, Sendable {
    /// No echo was answered yet: silence is no evidence.
    case unanswered
    /// Echoes come back here, so their absence means something.
    case answered
    /// They cannot be sent.
    case unavailable
}
