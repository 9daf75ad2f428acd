public import Base

/// What the outbox is doing, for display.
public enum DrainStatus: Hashable, Sendable {
    /// Nothing is due; a new row is sent at once.
    case idle
    /// A request is in flight, or the next one is being prepared.
    case draining
    /// A backoff, a `Retry-After` or a pace of the hub: nothing is sent before `until`.
    case waiting(until: Instant)
    /// The route to the hub is local; the outbox continues when it is restored.
    case routeLost
    /// The manual flag is set: nothing is sent.
    case manualOffline
    /// Sync has stopped; selling continues and everything is kept.
    case stopped(DrainStop)
    /// The outbox on disk cannot be read or written; tried again at `until`.
    case storeTrouble(until: Instant)
}

/// Why sync has stopped. No row of the outbox is lost by any of them.
public enum DrainStop: Hashable, Sendable {
    /// The hub does not accept this terminal's identity; `code` is the code of its problem document, or
    /// `http_401` and the like without one. An empty push is sent each minute, soon after a good response to
    /// another call, at `sync now` and when the route is restored; where the terminal was revoked, a person
    /// enrols it again.
    case signInNeeded(code: String)
    /// This version may not sync; install a newer one. An empty push is sent hourly and at `sync now`.
    case upgradeRequired
    /// Another copy of this terminal continues its journal; a person enrols the terminal again. Tried again
    /// hourly and at `sync now`: a hub that was restored, or put right, takes this copy again.
    case epochSuperseded
}

/// One row of the outbox as `pos sync status` shows it.
public struct OutboxRowView: Hashable, Sendable {
    /// The mutation's ULID.
    public let id: String
    /// How often it was sent since the agent started; a refused token does not count.
    public let attempts: Int
    /// When it is due again; nil when it is due now, is being sent, or waits for a person.
    public let nextAttempt: Instant?
    /// Whether the request in flight contains it.
    public let isSending: Bool

    /// `nextAttempt` is nil for a row that is due now, is being sent, or waits for a person.
    public init(id: String, attempts: Int, nextAttempt: Instant?, isSending: Bool) {
        self.id = id
        self.attempts = attempts
        self.nextAttempt = nextAttempt
        self.isSending = isSending
    }
}
