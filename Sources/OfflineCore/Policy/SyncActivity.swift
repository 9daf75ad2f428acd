/// What sync does, from what may hardly ever wait to what easily can.
public enum SyncActivity: String, Hashable, Sendable, CaseIterable {
    /// The outbox: sales and what else the hub has to know.
    case mutations
    /// The changes of the catalogue since the last pull, a small page at a time.
    case catalogue
    /// Many pages at once: the whole catalogue anew, or a long backlog of changes.
    case wholeCatalogue
    case attachments
    case telemetry
}

/// Why an activity waits, in the order in which it is told.
public enum SyncObstacle: String, Hashable, Sendable, CaseIterable {
    /// A person switched the terminal off the hub.
    case manual
    /// The network or the hub is down.
    case offline
    /// The hub was not reached yet in this run, or somebody else answers in its place.
    case connecting
    /// The hub does not take this terminal's identity.
    case signIn
    /// The link is slow or loses too much.
    case degraded
    /// The path costs by volume.
    case metered
    /// The path is narrow.
    case constrained
    /// The hub said that it is asked too often.
    case rateLimit
    /// The store's quiet hours (`policy.quietHours`).
    case quietHours
    /// The till runs on a battery that is nearly empty (`policy.batteryFloorPercent`).
    case battery
}
