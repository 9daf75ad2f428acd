package import HubProtocol

/// A part of a balance that is lent to one terminal, so that it can spend it without the hub and nobody else
/// can spend it meanwhile.
package struct Lease: Hashable, Sendable {
    /// What became of a lease.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// What is left of it is reserved, also after it has expired.
        case open
        /// It expired, and the terminal's journal shows that nothing more of it will come: what was left is
        /// nobody's any more.
        case ended
        /// Its terminal gave more of it to other terminals than it had: nothing is lent to the terminal until
        /// an operator releases the lease.
        case exceeded
        /// An operator gave it up: what the terminal spent of it meanwhile can be spent twice.
        case released
    }

    /// A ULID.
    package let id: String
    /// What is lent.
    package let kind: LeaseKind
    /// Whose: a member's id, or a coupon's code as it was imported.
    package internal(set) var subject: String
    /// The terminal that may spend it.
    package let terminalId: String
    /// The terminal's store.
    package let storeId: String
    /// The epoch of the terminal's journal that it is for.
    package internal(set) var epoch: Int64
    /// Whether it is for one sale, and short.
    package let isBrief: Bool
    /// All that was lent by it.
    package internal(set) var amount: Int64
    /// Of ``amount`` what sales spent that have arrived.
    package internal(set) var used: Int64
    /// Milliseconds since 1970.
    package internal(set) var expiresAt: Int64
    /// From 1 on.
    package internal(set) var version: Int64
    /// When it was made, in milliseconds since 1970.
    package let issuedAt: Int64
    /// What became of it.
    package internal(set) var state: State
    /// When it ended or was released; nil while it is open.
    package internal(set) var endedAt: Int64?
    /// Who released it; nil for nobody.
    package internal(set) var endedBy: String?
    /// Why it was released.
    package internal(set) var reason: String?
    /// What others want of it; nil: nobody ever did.
    package internal(set) var recall: Recall?
    /// The last entry of the terminal's journal when it returned the lease: nothing of it is spent behind
    /// that entry. Nil: the terminal spends of it.
    package internal(set) var returnedThrough: Int64?

    /// What others want of a lease.
    package struct Recall: Hashable, Sendable {
        /// How much of it; 0 once they have it.
        package internal(set) var amount: Int64
        /// Nobody wants it any more from then on, in milliseconds since 1970.
        package internal(set) var until: Int64

        package init(amount: Int64, until: Int64) {
            self.amount = amount
            self.until = until
        }
    }

    /// A lease as a store kept it.
    package init(
        id: String, kind: LeaseKind, subject: String, terminalId: String, storeId: String, epoch: Int64,
        isBrief: Bool, amount: Int64, used: Int64, expiresAt: Int64, version: Int64, issuedAt: Int64,
        state: State, endedAt: Int64? = nil, endedBy: String? = nil, reason: String? = nil,
        recall: Recall? = nil, returnedThrough: Int64? = nil
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
        self.recall = recall
        self.returnedThrough = returnedThrough
    }

    /// What the terminal may still spend, or has spent of it in sales that have not arrived: while the lease
    /// is open, nobody else may.
    package var left: Int64 { state == .open ? max(0, amount - used) : 0 }

    /// Whether the terminal spends of it.
    package var isSpendable: Bool { state == .open && returnedThrough == nil }

    /// What others want of it at `now`.
    func recalled(at now: Int64) -> Int64 {
        guard isSpendable, let recall, now < recall.until else { return 0 }
        return recall.amount
    }

    /// The lease after its member became another one, who has the balance now.
    mutating func move(to member: String) {
        subject = member
        version += 1
    }

    /// The lease, or its end, as its terminal's feed has it.
    func change(at now: Int64, _ clock: HybridLogicalClock) -> FeedChange {
        FeedChange(
            entity: LeaseRecord.entity, entityId: id, storeId: storeId, deletedAt: isSpendable ? nil : now,
            hlc: clock, origin: ["terminalId": .string(terminalId)], value: isSpendable ? record.json : nil)
    }

    /// What the terminal gets of it.
    package var record: LeaseRecord {
        LeaseRecord(
            leaseId: id, kind: kind, subject: subject, amount: amount, expiresAt: expiresAt,
            version: version, epoch: epoch, isRecalled: recall.map { $0.amount > 0 } ?? false)
    }

    /// The lease after a sale of `terminals`, the ids of one device, spent `spent` of it.
    ///
    /// - Returns: whether it was lent to them, is open and covers that.
    package mutating func use(_ spent: Int64, by terminals: [String]) -> Bool {
        guard terminals.contains(terminalId), let sum = Merging.add(spent, to: used) else { return false }
        used = sum
        return state == .open && used <= amount
    }

    /// Whether its terminal has a part to give. Of a lease that is over nothing is left: it may be lent anew.
    func covers(_ part: Int64) -> Bool { state == .open && part <= amount - used }

    /// The lease after its terminal gave a part of it to another one.
    mutating func give(_ part: Int64) { used = Merging.add(part, to: used) ?? .max }

    /// The lease after its terminal gave what it did not have; a release is for good.
    mutating func exceed() {
        if state != .released { (state, endedAt) = (.exceeded, nil) }
    }

    /// What its terminal gave to another one by `grant`: a lease of that one.
    func part(by grant: GrantedRight, epoch: Int64, at now: Int64) -> Lease {
        Lease(
            id: grant.partId, kind: kind, subject: subject, terminalId: grant.to, storeId: storeId,
            epoch: epoch, isBrief: true, amount: grant.amount, used: 0,
            expiresAt: min(expiresAt, grant.endsAt ?? expiresAt), version: 1, issuedAt: now, state: .open)
    }

    /// The lease after a void gave `returned` of it back.
    mutating func giveBack(_ returned: Int64) {
        used = max(0, used - min(returned, used))
    }

    /// The lease after its terminal returned it: what sales spent of it stays reserved until they have
    /// arrived.
    ///
    /// - Parameters:
    ///   - spent: the most that sales had spent of it at any time, as the terminal counted.
    ///   - sequence: the last entry of the terminal's journal then.
    mutating func takeBack(spent: Int64, through sequence: Int64) {
        // A sale that is void by now gave back what it used, and its uses may arrive before that.
        amount = max(min(spent, amount), used)
        returnedThrough = sequence
        recall = nil
        version += 1
    }

    /// The lease after an operator gave it up.
    mutating func release(by name: String, reason: String, at now: Int64) {
        (state, endedAt, endedBy, self.reason) = (.released, now, name, reason)
    }

    /// Whether nothing more of the lease will come: every entry up to its return has arrived, or every entry
    /// up to a head that the terminal signed later than the lease was valid.
    ///
    /// - Parameter now: the hub's clock, which has to be past the lease too: the terminal's may be wrong.
    func isOver(by evidence: JournalEvidence?, at now: Int64) -> Bool {
        if let returnedThrough { return evidence?.acknowledgedThrough ?? 0 >= returnedThrough }
        guard let evidence, now > expiresAt else { return false }
        return evidence.complete > expiresAt
    }
}

/// How far an epoch of a terminal's journal has come at the hub, and how far the terminal says it goes.
package struct JournalEvidence: Hashable, Sendable {
    /// What the terminal signed last.
    package struct Head: Hashable, Sendable {
        /// The earlier one of when the terminal signed, by its own clock, and of when the hub saw that: a
        /// clock that is ahead proves nothing of the time to come. In milliseconds since 1970.
        package let signedAt: Int64
        /// The last entry that the terminal had then.
        package let sequence: Int64

        /// Makes a head.
        ///
        /// - Parameter seenAt: when the hub saw it, in milliseconds since 1970.
        package init(signedAt: Int64, seenAt: Int64, sequence: Int64) {
            self.signedAt = min(signedAt, seenAt)
            self.sequence = sequence
        }
    }

    /// Nil: the terminal signed nothing.
    package let head: Head?
    /// The hub has every entry up to here.
    package let acknowledgedThrough: Int64
    /// The last entry that the hub has.
    package let highest: Int64

    package init(head: Head?, acknowledgedThrough: Int64, highest: Int64) {
        self.head = head
        self.acknowledgedThrough = acknowledgedThrough
        self.highest = highest
    }

    /// The hub has all that the terminal had up to this moment; 0 while something is missing.
    var complete: Int64 {
        guard let head, acknowledgedThrough >= head.sequence else { return 0 }
        return head.signedAt
    }
}
