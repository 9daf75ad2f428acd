/// The activities of sync, the most urgent first.
public enum SyncActivity: String, Hashable, Sendable, CaseIterable {
    /// The outbox: sales and everything else that the hub must get.
    case mutations
    /// The changes of the catalogue since the last pull, a small page at a time.
    case catalogue
    /// Many pages at once: the complete catalogue, or a long backlog of changes.
    case wholeCatalogue
    case attachments
    case telemetry
}

/// Why an activity waits, in the order in which the reasons are shown.
public enum SyncObstacle: String, Hashable, Sendable, CaseIterable {
    /// A person set the terminal offline.
    case manual
    /// The network or the hub is down.
    case offline
    /// The hub was not reached yet in this run, or somebody else responds in its place.
    case connecting
    /// The hub does not accept this terminal's identity.
    case signIn
    /// The link is slow or loses too much.
    case degraded
    /// The path costs by volume.
    case metered
    /// The path is narrow.
    case constrained
    /// The hub limits the rate of requests (429 or `Retry-After`).
    case rateLimit
    /// The store's quiet hours (`policy.quietHours`).
    case quietHours
    /// The till runs on a battery that is nearly empty (`policy.batteryFloorPercent`).
    case battery
}
