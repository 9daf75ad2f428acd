/// What the hub decided about one pushed mutation. A duplicate has the outcome of the hub's first response.
public struct PushResult: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// The hub has the mutation's effect, from now or from an earlier push.
        case applied
        case rejected
        case conflict
        case deferred
        case retry(after: Duration?)

        /// Whether the outcome is final and takes the mutation out of the outbox.
        public var isVerdict: Bool {
            switch self {
            case .applied, .rejected, .conflict: true
            case .deferred, .retry: false
            }
        }
    }

    /// The mutation's id.
    public let id: String
    public let outcome: Outcome
    /// The problem code of a rejection, or the merge policy of a conflict; nil when the hub named none.
    public let reason: String?
    /// The ids of the attachments and mutations that a deferred mutation waits for.
    public let waitsFor: [String]
    /// The response as received, JSON text: stored with the row and shown to people. The way from here to the
    /// store does not parse it.
    public let document: String

    public init(
        id: String, outcome: Outcome, reason: String? = nil, waitsFor: [String] = [], document: String
    ) {
        self.id = id
        self.outcome = outcome
        self.reason = reason
        self.waitsFor = waitsFor
        self.document = document
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
