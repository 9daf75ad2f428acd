/// What the hub said of one pushed mutation.
public struct PushResult: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        case applied
        case duplicate
        case rejected
        case conflict
        case deferred
        case retry(after: Duration?)

        /// Whether the outcome is final and takes the mutation out of the outbox.
        public var isVerdict: Bool {
            switch self {
            case .applied, .duplicate, .rejected, .conflict: true
            case .deferred, .retry: false
            }
        }

        /// Whether the hub has the mutation's effect.
        public var isTakenIn: Bool {
            switch self {
            case .applied, .duplicate: true
            case .rejected, .conflict, .deferred, .retry: false
            }
        }
    }

    /// The mutation's id.
    public let id: String
    public let outcome: Outcome
    /// The result object as it came, JSON text; kept with the row so that a person can read the hub's words.
    public let detail: String

    public init(id: String, outcome: Outcome, detail: String) {
        self.id = id
        self.outcome = outcome
        self.detail = detail
    }
}

/// How one push, of one mutation or a batch, ended. Only ``results(_:acknowledgedThrough:missing:)`` can take
/// rows out of the outbox; everything else keeps them all.
public enum PushOutcome: Hashable, Sendable {
    /// One result per item, in order.
    ///
    /// `acknowledgedThrough` is nil where the answer had none (a single push); `missing` are the sequences
    /// that the hub wants again.
    case results([PushResult], acknowledgedThrough: Int64?, missing: [Int64])
    /// The hub's trouble, the network's included: the whole outbox waits on one backoff.
    case hubTrouble(OutcomeClass, retryAfter: Duration?)
    /// A 4xx that is no verdict (also 413): a batch is halved first, a single row is kept and shown with it.
    case refused(status: Int, code: String, detail: String)
    /// 409 `journal_forked`: this journal's sequences were taken by another life of the terminal.
    case journalForked(epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?)
    /// 409 `epoch_superseded`: another copy of this terminal goes on; ask for enrolment, keep everything.
    case epochSuperseded
    /// 426: this version may not sync any more; sell on, keep everything, say so.
    case upgradeRequired
    /// 401 or 403 after one renewal attempt: keep everything, ask to sign in. Not a try.
    case signInNeeded(code: String)
}
