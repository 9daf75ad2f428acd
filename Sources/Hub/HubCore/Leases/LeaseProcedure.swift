package import HubProtocol

/// What lending reads from the store and writes to it within one transaction, besides the intake.
package protocol LeaseTransaction: IntakeTransaction {
    func openLeases(of kind: LeaseKind, _ subject: String) throws -> [Lease]
    /// How far an epoch of a terminal's journal has come; nil when the hub has no entry of it.
    func evidence(of place: JournalPlace) throws -> JournalEvidence?
    /// The last epoch of a terminal that has entries here.
    func knownEpoch(of terminalId: String) throws -> Int64?
    /// Members and coupons behind a position of the feed, in its order.
    func leasable(after position: Int64, limit: Int) throws -> [LeasableEntity]
    /// How far the feed was looked through for a terminal; nil: not yet.
    func leaseScan(of terminalId: String) throws -> LeaseScan?
    func save(_ scan: LeaseScan, of terminalId: String) throws
    /// The sum of the store's card payments that were taken offline and are not forwarded, in minor units.
    func storedAmount(in storeId: String) throws -> Int64
    /// Whether a terminal gave more of a lease to others than it had, and nobody released that yet.
    func hasExceeded(_ terminalId: String) throws -> Bool
    /// How many brief leases of a terminal are open and have something left, expired ones included.
    func openBriefs(of terminalId: String) throws -> Int64
    /// The open leases of a terminal's epoch that are to be looked at, the next to expire first.
    func due(of terminalId: String, epoch: Int64, in window: LeaseWindow, limit: Int) throws -> [Lease]
    /// The stores where a member was, the last ones first, at most ``AdvanceShares/mostStores``. What a wrong
    /// clock noted of the time to come counts as now.
    func visits(of memberId: String, at now: Int64) throws -> [MemberVisit]
    /// Where a member was counts for another one from now on.
    func moveVisits(of memberId: String, to other: String) throws
    /// The members who were at a store within a window, the first ones first: `limit`, and those of the same
    /// moment as the last of them.
    func visitors(of storeId: String, in window: CustomWindow, limit: Int) throws -> [MemberVisit]
    /// Members who were at a store in the time that a window looks back to, and at other stores too, the
    /// last ones first.
    ///
    /// - Parameter terminalId: instead those whom this terminal served last.
    func wanderers(
        through storeId: String, servedBy terminalId: String?, in window: CustomWindow, limit: Int
    ) throws -> [MemberVisit]
    /// When the member was at a store who is number `rank` of its last ones, from 1; nil: there are fewer.
    func visitTime(of rank: Int64, in storeId: String) throws -> Int64?
    /// The uses of a coupon by store, on a day and after it.
    func couponUses(of couponId: String, since day: Int64) throws -> [String: Int64]
    /// The coupons that a store used last within a window, as ``visitors(of:in:limit:)``.
    func couponsUsed(in storeId: String, in window: CustomWindow, limit: Int) throws -> [CouponUse]
    /// How many stores have an active terminal.
    func activeStores(at now: Int64) throws -> Int64
    /// How many long leases that a terminal can spend are open.
    func openShares(of place: JournalPlace, at now: Int64) throws -> Int64
    /// Those of them that expire within a range, the first ones first: `limit`, and those of the same moment
    /// as the last of them.
    func expiring(of place: JournalPlace, in range: ClosedRange<Int64>, limit: Int) throws -> [Lease]
    /// The open leases of a terminal, of whatever epoch, that have expired.
    func expired(of terminalId: String, at now: Int64, limit: Int) throws -> [Lease]
}

/// An entity of the feed that something can be lent of.
package struct LeasableEntity: Hashable, Sendable {
    let position: Int64
    let entity: String
    let id: String

    /// A row of the feed.
    package init(position: Int64, entity: String, id: String) {
        self.position = position
        self.entity = entity
        self.id = id
    }

    fileprivate var kind: LeaseKind? {
        switch entity {
        case "member": .points
        case "coupon": .coupon
        case _: nil
        }
    }
}

/// How far the feed was looked through for the leases of a terminal.
package struct LeaseScan: Hashable, Sendable {
    /// What the terminal was lent in advance: another epoch or other kinds begin anew.
    package let form: String
    /// Everything up to it was looked at.
    package let position: Int64

    package init(form: String, position: Int64) {
        self.form = form
        self.position = position
    }
}

/// Which leases of a terminal are to be looked at when it pulls: long ones that it can spend and that expire
/// soon, which are renewed, and expired ones, returned or not, that end, so that what they left is lent anew.
package struct LeaseWindow: Hashable, Sendable {
    /// The hub's time, in milliseconds since 1970.
    package let now: Int64
    /// What expires from ``now`` on and before this is renewed.
    package let renewedBefore: Int64
    /// What expired before this ends. One that cannot end is not looked at, at each pull in vain.
    package let endedBefore: Int64

    /// - Parameter evidence: of the epoch whose leases are looked at.
    package init(_ terms: LeaseTerms, by evidence: JournalEvidence?, at now: Int64) {
        self.now = now
        renewedBefore = now + terms.renewedBefore
        endedBefore = min(now, evidence?.complete ?? 0)
    }
}

/// What the hub lent for a sale.
package struct Lent: Hashable, Sendable {
    /// The terminal's leases of the subject, with something left.
    package let leases: [Lease]
    /// Terminals that are requested to return what the sale lacks; none: there is enough, or too little in
    /// all.
    package let recalledFrom: Set<String>

    static let none = Lent(leases: [], recalledFrom: [])
}

/// Lends what sales spend offline, in a transaction that has begun.
package struct LeaseProcedure<Store: LeaseTransaction> {
    let store: Store
    let now: Int64
    let mint: () -> String
    private var clock: HybridLogicalClock
    /// The leases that have the clock's moment.
    private var stamped: Set<String> = []

    /// Entities that one transaction looks at, and leases that it renews. Each costs a few look-ups: twice as
    /// many let pushes wait for twice as long.
    package static var portion: Int { 100 }

    /// The ticks of the hub's clock that one transaction takes at most.
    package static var ticks: Int { 1_000 }

    /// - Parameters:
    ///   - clock: before this transaction.
    ///   - now: the hub's wall clock, in milliseconds since 1970.
    ///   - mint: ids of new leases.
    package init(
        store: Store, clock: HybridLogicalClock, at now: Int64, mint: @escaping () -> String
    ) {
        self.store = store
        self.clock = clock
        self.now = now
        self.mint = mint
    }

    /// Lends what a terminal is about to spend. What the sale then lacks is recalled from other terminals.
    package mutating func lend(
        _ wanted: LeaseRequest, to device: DeviceIdentity, by terms: LeaseTerms
    ) throws -> Lent {
        guard terms.kinds.contains(wanted.kind), wanted.kind != .card || wanted.subject == device.storeId,
            try !store.hasExceeded(device.terminalId)
        else { return .none }
        // A terminal that was restored opens its next epoch with its first push.
        let known = try store.knownEpoch(of: device.terminalId) ?? max(1, wanted.epoch)
        let epoch = min(max(wanted.epoch, known), known + 1)
        let holder = LeaseHolder(device, epoch: epoch)
        let isFull = try store.openBriefs(of: device.terminalId) >= LeaseTerms.mostBriefs
        let amount = isFull ? 0 : wanted.amount
        guard let book = try lend(wanted.kind, wanted.subject, to: holder, atLeast: amount, by: terms) else {
            try store.save(clock)
            return .none
        }
        var marked = book
        var (changed, recalledFrom) = marked.recall(for: holder, atLeast: amount, at: now)
        // Who keeps what others want gets nothing of theirs: so nobody collects what all the others have.
        // What it owes of another subject, which is recalled in advance too, is not counted.
        if book.leases.contains(where: { holder.holds($0, at: now) && $0.recalled(at: now) > 0 }) {
            (changed, recalledFrom) = ([], [])
        }
        for lease in changed { try save(lease) }
        try store.save(clock)
        let held = book.leases.filter { holder.holds($0, at: now) && $0.left > 0 }
        return Lent(leases: held, recalledFrom: recalledFrom)
    }

    /// Takes leases back that a terminal returns. Those that are another terminal's, or no longer open, or of
    /// an epoch that ended, stay as they are; so do all where the hub has entries behind the end of the
    /// terminal's journal: it is an old copy, and does not know what was spent.
    ///
    /// - Returns: the terminal's leases that are new, since others do not want all that was recalled.
    package mutating func takeBack(_ order: LeaseReturn, from device: DeviceIdentity) throws -> [Lease] {
        let known = try store.knownEpoch(of: device.terminalId) ?? order.epoch
        let evidence = try store.evidence(
            of: JournalPlace(terminalId: device.terminalId, epoch: order.epoch))
        guard known <= order.epoch, order.sequence >= evidence?.highest ?? 0 else { return [] }
        let mayLend = try !store.hasExceeded(device.terminalId)
        var lent: [Lease] = []
        for part in order.leases.prefix(LeaseReturn.most) {
            guard let lease = try store.lease(part.leaseId), lease.terminalId == device.terminalId,
                lease.epoch == order.epoch, lease.isSpendable
            else { continue }
            // What the subject has in all does not matter here.
            var book = LeaseBook(
                kind: lease.kind, subject: lease.subject, balance: 0,
                leases: try store.openLeases(of: lease.kind, lease.subject))
            let changed = book.takeBack(
                lease.id, spent: part.spent, through: order.sequence, mayLend: mayLend, at: now, mint: mint)
            for lease in changed { try save(lease) }
            for lease in book.end(at: now, by: { $0.id == part.leaseId ? evidence : nil }) {
                try save(lease)
            }
            lent += changed.filter { $0.issuedAt == now && $0.version == 1 }
        }
        try store.save(clock)
        return lent
    }

    /// Lends a terminal its share of the points of a member whom it looks up, and keeps that the member is
    /// at its store.
    package mutating func lendShare(
        of memberId: String, to device: DeviceIdentity, by terms: LeaseTerms
    ) throws {
        if terms.kinds.contains(.points), try balance(of: .points, memberId, by: terms) != nil {
            try store.note(
                MemberVisit(
                    memberId: memberId, storeId: device.storeId, seenAt: now, terminalId: device.terminalId))
        }
        // Less than every epoch: the hub's own knowledge counts.
        let wanted = LeaseRequest(kind: .points, subject: memberId, amount: 0, epoch: 0)
        _ = try lend(wanted, to: device, by: terms)
    }

    /// Lends a terminal its shares in advance.
    package mutating func lendAhead(to device: DeviceIdentity, by advance: LeaseAdvance) throws {
        guard try !store.hasExceeded(device.terminalId) else { return }
        let epoch = try store.knownEpoch(of: device.terminalId) ?? 1
        let (holder, terms) = (LeaseHolder(device, epoch: epoch), advance.terms)
        if advance.lendsCards { _ = try lend(.card, device.storeId, to: holder, by: terms) }
        guard terms.kinds != [.card] else { return try store.save(clock) }
        let form = advance.form(epoch: epoch)
        let scan = try store.leaseScan(of: device.terminalId).flatMap { $0.form == form ? $0 : nil }
        switch advance.reach {
        case .chain: try lendOfChain(to: holder, by: terms, after: scan, form)
        case .store(let active):
            try lendOfStore(to: holder, by: terms, among: active, after: scan?.position, form)
        }
        try store.save(clock)
    }

    /// Of what changed in the feed since it was last looked at for the terminal, and of what expires.
    private mutating func lendOfChain(
        to holder: LeaseHolder, by terms: LeaseTerms, after scan: LeaseScan?, _ form: String
    ) throws {
        let (device, epoch) = (holder.device, holder.epoch)
        let found = try store.leasable(after: scan?.position ?? 0, limit: Self.portion)
        for entity in found {
            guard let kind = entity.kind, terms.kinds.contains(kind) else { continue }
            _ = try lend(kind, entity.id, to: holder, by: terms)
        }
        if let last = found.last {
            try store.save(LeaseScan(form: form, position: last.position), of: device.terminalId)
        }
        let place = JournalPlace(terminalId: device.terminalId, epoch: epoch)
        let window = LeaseWindow(terms, by: try store.evidence(of: place), at: now)
        let due = try store.due(
            of: device.terminalId, epoch: epoch, in: window, limit: Self.portion)
        for lease in due {
            _ = try lend(lease.kind, lease.subject, to: holder, by: terms)
        }
    }

    /// Gives a lease up; nil when there is none of that id that is open or waits for a person.
    package mutating func release(_ id: String, by name: String, reason: String) throws -> Lease? {
        guard var lease = try store.lease(id), [.open, .exceeded].contains(lease.state) else { return nil }
        lease.release(by: name, reason: reason, at: now)
        try save(lease)
        try store.save(clock)
        return lease
    }

    /// Gives up leases of a terminal that have expired, some at a time.
    ///
    /// - Returns: how many; 0: there are no more.
    package mutating func releaseExpired(
        of terminalId: String, by name: String, reason: String
    ) throws -> Int {
        let expired = try store.expired(of: terminalId, at: now, limit: Self.portion)
        for var lease in expired {
            lease.release(by: name, reason: reason, at: now)
            try save(lease)
        }
        try store.save(clock)
        return expired.count
    }

    /// What is lent of a subject, without what ends now; nil: nothing of it is lent any more.
    mutating func openBook(
        _ kind: LeaseKind, _ subject: String, by terms: LeaseTerms
    ) throws -> LeaseBook? {
        let balance = terms.kinds.contains(kind) ? try balance(of: kind, subject, by: terms) : nil
        var book = LeaseBook(
            kind: kind, subject: subject, balance: balance ?? 0,
            leases: try store.openLeases(of: kind, subject))
        let ended = try book.end(at: now) { lease in
            try store.evidence(of: JournalPlace(terminalId: lease.terminalId, epoch: lease.epoch))
        }
        for lease in ended { try save(lease) }
        // What is not lent any more, or is gone, is not reserved for ever either.
        return balance == nil ? nil : book
    }

    private mutating func lend(
        _ kind: LeaseKind, _ subject: String, to holder: LeaseHolder, atLeast wanted: Int64 = 0,
        by terms: LeaseTerms
    ) throws -> LeaseBook? {
        guard var book = try openBook(kind, subject, by: terms) else { return nil }
        for lease in book.lend(to: holder, atLeast: wanted, by: terms, at: now, mint: mint) {
            try save(lease)
        }
        return book
    }

    private func balance(of kind: LeaseKind, _ subject: String, by terms: LeaseTerms) throws -> Int64? {
        switch kind {
        case .points:
            guard let member = try store.entity("member", subject, in: ""), !member.isDeleted else {
                return nil
            }
            // Whoever is known by points alone may turn out to be another member (``MemberMerge``).
            let state = MemberState(member.value)
            return state.isKnown && state.mergedInto == nil ? state.points : nil
        case .coupon:
            guard let coupon = try store.entity("coupon", subject, in: "")?.value else { return nil }
            return CouponState(coupon).usesLeft
        case .card:
            guard let most = terms.cardsPerStore else { return nil }
            return most - (try store.storedAmount(in: subject))
        }
    }

    /// Keeps a lease and puts it, or its end, into the feed of its terminal.
    mutating func save(_ lease: Lease) throws {
        try store.save(lease)
        // Only what changes twice needs another moment: however much is lent, ``ticks`` are enough.
        if stamped.isEmpty || stamped.contains(lease.id) {
            clock.tick(now: now)
            stamped = []
        }
        stamped.insert(lease.id)
        try store.publish(lease.change(at: now, clock))
    }
}
