/// What the outbox is doing, for everybody who wants to see it.
public enum DrainStatus: Hashable, Sendable {
    /// Nothing is due; a new row is sent at once.
    case idle
    /// A request is in flight, or the next one is being prepared.
    case draining
    /// The hub's trouble or its word: nothing is sent before `until`.
    case waiting(until: Instant)
    /// The route to the hub is local; the outbox goes on when it is restored.
    case routeLost
    /// The manual flag holds: nothing leaves.
    case manualOffline
    /// Syncing stands still until a person acts; selling goes on and everything is kept.
    case stopped(DrainStop)
    /// The outbox on disk cannot be read or written; tried again at `until`.
    case storeTrouble(until: Instant)
}

/// Why syncing stands still. Nothing of the outbox is lost by any of them.
public enum DrainStop: Hashable, Sendable {
    /// The hub does not take this terminal's token; `code` is its word. Tried again hourly, at `sync now` and
    /// when the route is restored; a person signs the terminal in.
    case signInNeeded(code: String)
    /// This version may not sync any more; install a newer one. Tried again at `sync now`.
    case upgradeRequired
    /// Another copy of this terminal goes on with its journal; enrol again.
    case epochSuperseded
}
