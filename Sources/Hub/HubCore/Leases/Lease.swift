public import HubProtocol

/// A part of a balance that is lent to one terminal, so that it can spend it without the hub and nobody else
/// can spend it meanwhile.
public struct Lease: Hashable, Sendable {
    /// What became of a lease.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// What is left of it is reserved, also after it has expired.
        case open
        /// It expired, and the terminal's journal shows that nothing more of it will come: what was left is
        /// nobody's any more.
        case ended
        /// An operator gave it up: what the terminal spent of it meanwhile can be spent twice.
        case released
    }

    /// A ULID.
    public let id: String
    /// What is lent.
    public let kind: LeaseKind
    /// Whose: a member's id, or a coupon's code as it was imported.
    public let subject: String
    /// The terminal that may spend it.
    public let terminalId: String
    /// The terminal's store.
    public let storeId: String
    /// The epoch of the terminal's journal that it is for.
    public let epoch: Int64
    /// Whether it is for one sale, and short.
    public let isBrief: Bool
    /// All that was lent by it.
    public internal(set) var amount: Int64
    /// Of ``amount`` what sales spent that have arrived.
    public internal(set) var used: Int64
    /// Milliseconds since 1970.
    public internal(set) var expiresAt: Int64
    /// From 1 on.
    public internal(set) var version: Int64
    /// When it was made, in milliseconds since 1970.
    public let issuedAt: Int64
    /// What became of it.
    public internal(set) var state: State
    /// When it ended or was released; nil while it is open.
    public internal(set) var endedAt: Int64?
    /// Who released it; nil for nobody.
    public internal(set) var endedBy: String?
    /// Why it was released.
    public internal(set) var reason: String?

    /// A lease as a store kept it.
    public init(
        id: String, kind: LeaseKind, subject: String, terminalId: String, storeId: String, epoch: Int64,
        isBrief: Bool, amount: Int64, used: Int64, expiresAt: Int64, version: Int64, issuedAt: Int64,
        state: State, endedAt: Int64? = nil, endedBy: String? = nil, reason: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.subject = subject
        self.terminalId = terminalId
        self.storeId = storeId
        self.epoch = epoch
        self.isBrief = isBrief
        self.amount = amount
        self.used = used
        self.expiresAt = expiresAt
        self.version = version
        self.issuedAt = issuedAt
        self.state = state
        self.endedAt = endedAt
        self.endedBy = endedBy
        self.reason = reason
    }

    /// What the terminal may still spend as far as the hub has its sales: while the lease is open, nobody
    /// else may.
    public var left: Int64 { state == .open ? max(0, amount - used) : 0 }

    /// What the terminal gets of it.
    public var record: LeaseRecord {
        LeaseRecord(
            leaseId: id, kind: kind, subject: subject, amount: amount, expiresAt: expiresAt,
            version: version, epoch: epoch)
    }

    /// The lease after a sale of `terminals`, the ids of one device, spent `spent` of it.
    ///
    /// - Returns: whether it was lent to them, is open and covers that.
    mutating func use(_ spent: Int64, by terminals: [String]) -> Bool {
        guard terminals.contains(terminalId), let sum = Merging.add(spent, to: used) else { return false }
        used = sum
        return state == .open && used <= amount
    }

    /// The lease after a void gave `returned` of it back.
    mutating func giveBack(_ returned: Int64) {
        used = max(0, used - min(returned, used))
    }

    /// The lease after an operator gave it up.
    mutating func release(by name: String, reason: String, at now: Int64) {
        (state, endedAt, endedBy, self.reason) = (.released, now, name, reason)
    }

    /// Whether nothing more of the lease will come: a head that the terminal signed later than the lease was
    /// valid, with every entry up to that head.
    ///
    /// - Parameter now: the hub's clock, which has to be past the lease too: the terminal's may be wrong.
    func isOver(by evidence: HeadEvidence?, at now: Int64) -> Bool {
        guard let evidence, now > expiresAt else { return false }
        return evidence.complete > expiresAt
    }
}

/// How far a terminal's journal had come when the terminal signed that last, and how far the hub has it.
public struct HeadEvidence: Hashable, Sendable {
    /// The earlier one of when the terminal signed, by its own clock, and of when the hub saw that: a clock
    /// that is ahead proves nothing of the time to come. In milliseconds since 1970.
    public let signedAt: Int64
    /// The last entry that the terminal had then.
    public let sequence: Int64
    /// The hub has every entry up to here.
    public let acknowledgedThrough: Int64

    /// Makes the evidence of one epoch of a terminal's journal.
    ///
    /// - Parameter seenAt: when the hub saw that head, in milliseconds since 1970.
    public init(signedAt: Int64, seenAt: Int64, sequence: Int64, acknowledgedThrough: Int64) {
        self.signedAt = min(signedAt, seenAt)
        self.sequence = sequence
        self.acknowledgedThrough = acknowledgedThrough
    }

    /// The hub has all that the terminal had up to this moment; 0 while something is missing.
    var complete: Int64 { acknowledgedThrough >= sequence ? signedAt : 0 }
}
