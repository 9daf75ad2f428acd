/// One row of the outbox as `pos sync status` shows it.
public struct OutboxRowView: Hashable, Sendable {
    /// The mutation's ULID.
    public let id: String
    /// How often it was sent since the agent started; a refused token is no try.
    public let attempts: Int
    /// When it is due again; nil when it is due now, is being sent, or waits for a person.
    public let nextAttempt: Instant?
    public let isSending: Bool

    public init(id: String, attempts: Int, nextAttempt: Instant?, isSending: Bool) {
        self.id = id
        self.attempts = attempts
        self.nextAttempt = nextAttempt
        self.isSending = isSending
    }
}
