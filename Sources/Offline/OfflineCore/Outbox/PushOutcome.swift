/// What the hub decided about one pushed mutation. A duplicate has the outcome of the hub's first response.
public struct PushResult: Hashable, Sendable {
    /// The results of docs/reference/http.md, section 3. Applied, rejected and conflict are final.
    public enum Outcome: Hashable, Sendable {
        /// The hub has the mutation's effect, from now or from an earlier push.
        case applied
        case rejected
        case conflict
        case deferred
        case retry(after: Duration?)

        /// Whether the result is final and removes the mutation from the outbox.
        public var isFinal: Bool {
            switch self {
            case .applied, .rejected, .conflict: true
            case .deferred, .retry: false
            }
        }
    }

    /// The mutation's id.
    public let id: String
    /// After `deferred` or `retry` the row stays in the outbox and is pushed again.
    public let outcome: Outcome
    /// The problem code of a rejection, or the merge policy of a conflict; nil when the hub named none.
    public let reason: String?
    /// The ids of the attachments and mutations that a deferred mutation waits for.
    public let waitsFor: [String]
    /// The response as received, JSON text: stored with the row and shown to people. No code between here and
    /// the store parses it.
    public let document: String

    /// `document` is the hub's JSON text as received; by default there is no reason and nothing to wait for.
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

/// What the hub has of the copy of this terminal that continues in the place of this one.
public struct SupersedingJournal: Hashable, Sendable {
    /// The last entry that the hub has of one epoch.
    public struct End: Hashable, Sendable {
        /// From 1.
        public let epoch: Int64
        /// From 1.
        public let sequence: Int64
        /// The hash of the entry at ``sequence``.
        public let hash: String

        /// Makes an end; nothing is checked.
        public init(epoch: Int64, sequence: Int64, hash: String) {
            self.epoch = epoch
            self.sequence = sequence
            self.hash = hash
        }
    }

    /// Of this terminal's epoch and of those after it, the newest last.
    public let ends: [End]
    /// The last order number of the newest one; nil where the hub named none.
    public let headOrderNumber: String?

    /// Makes a description; by default nothing is known, as from a hub that names nothing.
    public init(ends: [End] = [], headOrderNumber: String? = nil) {
        self.ends = ends
        self.headOrderNumber = headOrderNumber
    }
}

/// How one push, of one mutation or a batch, ended. Only ``results(_:acknowledgedThrough:missing:)`` can
/// remove rows from the outbox; everything else keeps them all.
public enum PushOutcome: Hashable, Sendable {
    /// One result per item, in order.
    ///
    /// `acknowledgedThrough` is nil where the response had none (a single push); `missing` are the sequences
    /// that the hub has lost and needs again.
    case results([PushResult], acknowledgedThrough: Int64?, missing: [Int64])
    /// The hub or the network failed; ``TroubleMachine`` decides whose trouble it is.
    case hubTrouble(OutcomeClass, retryAfter: Duration?)
    /// A 4xx that is no final result, with whatever status (413, 401 of a filter): a batch is halved first, a
    /// single row is kept and shown with it.
    case refused(status: Int, code: String, detail: String)
    /// 409 `journal_forked`: another epoch of the terminal's journal has used these sequences.
    case journalForked(epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?)
    /// 409 `epoch_superseded`: another copy of this terminal continues; keep everything and what the hub
    /// names of the other copy, request enrolment.
    case epochSuperseded(SupersedingJournal)
    /// 426 `upgrade_required`: this version may not sync; keep selling and keep everything, show it.
    case upgradeRequired
    /// 401 or 403 with a code of the contract's, after one renewal attempt: keep everything, request
    /// enrolment. It does not count as a try.
    case signInNeeded(code: String)
}
