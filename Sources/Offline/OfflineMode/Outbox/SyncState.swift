public import OfflineCore

/// The state of a journal entry on its way to the hub.
public enum SyncState: String, Hashable, Sendable {
    /// The terminal has no final result on disk: the entry is in the outbox.
    case pending
    /// The hub has applied it.
    case acknowledged
    case rejected
    case conflicted
    /// The hub refused it, and an edited entry replaces it.
    case superseded
    /// The hub refused it, and a person discarded it.
    case discarded

    /// The state after `outcome`; nil for an outcome that is not final.
    public init?(_ outcome: PushResult.Outcome) {
        switch outcome {
        case .applied: self = .acknowledged
        case .rejected: self = .rejected
        case .conflict: self = .conflicted
        case .deferred, .retry: return nil
        }
    }

    /// Whether the hub refused the entry and no person has edited or discarded it yet.
    public var isRefused: Bool {
        switch self {
        case .rejected, .conflicted: true
        case .pending, .acknowledged, .superseded, .discarded: false
        }
    }
}
