internal import Base
package import HubProtocol

/// The balance of one subject and what of it is lent: a member's points, or the uses that a coupon has left.
///
/// A sale that spends under a lease takes the same from the balance and from the lease, so what is not leased
/// stays: unleased + leased + spent never changes but by what is earned.
package struct LeaseBook: Hashable, Sendable {
    package let kind: LeaseKind
    package let subject: String
    /// What the subject has, leased or not; below zero when somebody spent without a lease.
    package let balance: Int64
    /// The open ones.
    package private(set) var leases: [Lease]

    /// Makes the book of one subject.
    ///
    /// - Parameter leases: all that are open.
    package init(kind: LeaseKind, subject: String, balance: Int64, leases: [Lease]) {
        self.kind = kind
        self.subject = subject
        self.balance = balance
        self.leases = leases
    }

    /// What is reserved for terminals.
    package var leased: Int64 { leases.reduce(0) { Merging.add($1.left, to: $0) ?? .max } }

    /// What nobody has; below zero when more was spent without a lease than there was.
    package var unleased: Int64 { PlantedBug.leaseLentTwice.isPlanted ? balance : balance - leased }

    /// Ends the leases of which nothing more will come.
    ///
    /// - Returns: those that ended.
    package mutating func end(
        at now: Int64, by evidence: (Lease) throws -> JournalEvidence?
    ) rethrows -> [Lease] {
        var ended: [Lease] = []
        var open: [Lease] = []
        for var lease in leases {
            let mayBeOver =
                (now > lease.expiresAt || lease.returnedThrough != nil)
                && !PlantedBug.leaseNeverEnded.isPlanted
            if mayBeOver, lease.isOver(by: try evidence(lease), at: now) {
                (lease.state, lease.endedAt) = (.ended, now)
                ended.append(lease)
            } else {
                open.append(lease)
            }
        }
        leases = open
        return ended
    }

    /// Lends to a terminal its share of what is not leased to others, for long, and what it lacks of
    /// `wanted`, for one sale. Repeating it lends nothing more.
    ///
    /// - Parameters:
    ///   - wanted: what the terminal's leases should leave in all; 0 for its share alone.
    ///   - mint: ids of new leases.
    /// - Returns: the leases that are new or changed.
    package mutating func lend(
        to holder: LeaseHolder, atLeast wanted: Int64 = 0, by terms: LeaseTerms, at now: Int64,
        mint: () -> String
    ) -> [Lease] {
        var changed: [Lease] = []
        let mine = leases.first { holder.holds($0, at: now) && !$0.isBrief }
        let free = max(0, Merging.add(mine?.left ?? 0, to: unleased) ?? .max)
        let share = terms.share(of: free, kind)
        // What others want of it is not lent to it once more.
        if mine?.recalled(at: now) ?? 0 == 0,
            let lease = raise(
                mine, to: share, of: holder, until: now + terms.duration, at: now, mint: mint)
        {
            changed.append(lease)
        }
        let held = leases.reduce(0) { holder.holds($1, at: now) && !$1.isBrief ? $0 + $1.left : $0 }
        guard wanted > held else { return changed }
        let brief = leases.first { holder.holds($0, at: now) && $0.isBrief }
        let most = max(0, Merging.add(brief?.left ?? 0, to: unleased) ?? .max)
        let until = now + LeaseTerms.briefDuration
        let lacking = min(wanted - held, most)
        if let lease = raise(
            brief, to: lacking, of: holder, until: until, at: now, isBrief: true, mint: mint)
        {
            changed.append(lease)
        }
        return changed
    }

    /// Lends a terminal its share in advance in a chain of several stores (``AdvanceShares``), and renews
    /// it. What is lent for long, to whichever terminal, comes to half of the balance at most: past that
    /// nothing is renewed, so that what look-ups lent beyond it ends.
    ///
    /// - Parameter part: what the terminal's lease should leave; it keeps what it has beyond it. Where one
    ///   till has the store's share, what other tills of the store have is not lent twice.
    /// - Returns: the lease that is new or changed.
    package mutating func lendAhead(
        _ part: AdvanceShares.Part, to holder: LeaseHolder, by terms: LeaseTerms, at now: Int64,
        mint: () -> String
    ) -> Lease? {
        let mine = leases.first { holder.holds($0, at: now) && !$0.isBrief }
        let others = part.isOfOneTill ? siblings(of: holder, at: now).reduce(0) { $0 + leases[$1].left } : 0
        let share = max(min(part.each, mine?.left ?? 0), part.each - others)
        let room = roomAhead
        guard share > 0, room >= 0, mine?.recalled(at: now) ?? 0 == 0 else { return nil }
        return raise(
            mine, to: min(share, (mine?.left ?? 0) + room), of: holder, until: now + terms.duration, at: now,
            mint: mint)
    }

    /// What a terminal is to have where one till has its store's share: the one that served the member last.
    /// Until that has something, whoever has the share keeps it.
    ///
    /// - Parameter last: the terminal that served the member last.
    package func ofOneTill(
        _ part: AdvanceShares.Part, servedBy last: String, for holder: LeaseHolder, at now: Int64
    ) -> AdvanceShares.Part {
        if holder.device.terminalId == last { return part.ofOneTill(before: part.before) }
        let known = leases.filter { !$0.isBrief && $0.isSpendable && now < $0.expiresAt }
        guard known.contains(where: { holder.holds($0, at: now) }),
            !known.contains(where: { $0.terminalId == last })
        else { return .none }
        return part.ofOneTill(before: nil)
    }

    /// The places of what other tills of the terminal's store were lent for long.
    private func siblings(of holder: LeaseHolder, at now: Int64) -> [Int] {
        leases.indices.filter {
            canReturn(leases[$0], at: now) && !leases[$0].isBrief
                && leases[$0].storeId == holder.device.storeId
                && leases[$0].terminalId != holder.device.terminalId
        }
    }

    /// Marks leases of stores that come behind the terminal's own, where they have what its store's share in
    /// advance lacks: so the store where a member was last gets its share first. Where one till has that, the
    /// store's others return all of theirs. They are marked as for a sale; who pulls after one has come back
    /// gets it.
    ///
    /// - Returns: the leases whose marks are new.
    package mutating func recallAhead(
        _ part: AdvanceShares.Part, for holder: LeaseHolder, at now: Int64
    ) -> [Lease] {
        guard let before = part.before else { return [] }
        let mine = leases.filter {
            $0.storeId == holder.device.storeId && !$0.isBrief && $0.isSpendable && now < $0.expiresAt
        }.reduce(0) { min(part.ofStore, $0 + min(part.each, $1.left)) }
        let others = leases.indices.filter {
            canReturn(leases[$0], at: now) && !leases[$0].isBrief && !before.contains(leases[$0].storeId)
        }
        let lacking = Merging.add(-roomAhead, to: part.ofStore - mine) ?? .max
        let own = part.isOfOneTill && part.ofStore > 0 ? siblings(of: holder, at: now) : []
        let changed = mark(own, own.reduce(0) { $0 + leases[$1].left }, at: now)
        return changed + (lacking > 0 && mine < part.ofStore ? mark(others, lacking, at: now) : [])
    }

    /// What may still be lent in advance; below zero where look-ups lent more.
    private var roomAhead: Int64 {
        let lent = leases.reduce(0) { $1.isBrief ? $0 : Merging.add($1.left, to: $0) ?? .max }
        return min(AdvanceShares.most(of: balance) - lent, unleased)
    }

    /// Marks the leases of other terminals where a sale wants more than is lent to its own, and they can give
    /// it. Each of them is marked with all of it, since some are away; what comes back first is taken.
    ///
    /// - Parameter wanted: what the terminal's leases should leave in all.
    /// - Returns: the leases whose marks are new, and all terminals that are requested to return something.
    package mutating func recall(
        for holder: LeaseHolder, atLeast wanted: Int64, at now: Int64
    ) -> (changed: [Lease], terminals: Set<String>) {
        let held = leases.reduce(0) { holder.holds($1, at: now) ? Merging.add($1.left, to: $0) ?? .max : $0 }
        let others = leases.indices.filter {
            canReturn(leases[$0], at: now) && leases[$0].terminalId != holder.device.terminalId
        }.sorted { leases[$0].left > leases[$1].left }.prefix(LeaseTerms.mostRecalled)
        let most = others.reduce(held) { Merging.add(leases[$1].left, to: $0) ?? .max }
        // What all of them together do not have is not taken from any.
        guard held < wanted, wanted <= most else { return ([], []) }
        return (mark(Array(others), wanted - held, at: now), Set(others.map { leases[$0].terminalId }))
    }

    /// What expired is not requested: its terminal may have forgotten what it spent of it.
    private func canReturn(_ lease: Lease, at now: Int64) -> Bool {
        lease.isSpendable && lease.left > 0 && now < lease.expiresAt
    }

    /// - Returns: those of which more is wanted than before, or for longer.
    private mutating func mark(_ places: [Int], _ wanted: Int64, at now: Int64) -> [Lease] {
        var changed: [Lease] = []
        let largest = places.sorted { leases[$0].left > leases[$1].left }.prefix(LeaseTerms.mostRecalled)
        for place in largest {
            let recall = leases[place].recall
            let lacking = max(wanted, leases[place].recalled(at: now))
            let isFresh = (recall?.until ?? 0) - now > LeaseTerms.recallDuration / 2
            if isFresh, recall?.amount == lacking { continue }
            leases[place].recall = Lease.Recall(amount: lacking, until: now + LeaseTerms.recallDuration)
            leases[place].version += 1
            changed.append(leases[place])
        }
        return changed
    }

    /// Takes a lease back of which its terminal spends nothing more. Of one that was recalled, what others do
    /// not want any more is lent to the terminal again.
    ///
    /// - Parameters:
    ///   - spent: the most that sales had spent of it at any time.
    ///   - sequence: the last entry of the terminal's journal then.
    ///   - mayLend: whether the terminal is lent anything.
    ///   - mint: ids of new leases.
    /// - Returns: the leases that are new or changed; none for one that is not here, or was returned before.
    package mutating func takeBack(
        _ id: String, spent: Int64, through sequence: Int64, mayLend: Bool = true, at now: Int64,
        mint: () -> String
    ) -> [Lease] {
        guard let place = leases.firstIndex(where: { $0.id == id && $0.isSpendable }) else { return [] }
        let before = leases[place]
        leases[place].takeBack(spent: spent, through: sequence)
        var changed = [leases[place]]
        let freed = before.left - leases[place].left
        let taken = min(freed, before.recalled(at: now))
        if mayLend, before.recall != nil, freed > taken, now < before.expiresAt {
            let rest = Lease(
                id: mint(), kind: kind, subject: subject, terminalId: before.terminalId,
                storeId: before.storeId, epoch: before.epoch, isBrief: before.isBrief,
                amount: freed - taken, used: 0, expiresAt: before.expiresAt, version: 1, issuedAt: now,
                state: .open)
            leases.append(rest)
            changed.append(rest)
        }
        guard taken > 0 else { return changed }
        for other in leases.indices where leases[other].recalled(at: now) > 0 {
            let wanted = leases[other].recalled(at: now)
            leases[other].recall?.amount = wanted - min(taken, wanted)
            leases[other].version += 1
            changed.append(leases[other])
        }
        return changed
    }

    /// A lease that leaves `target`, or more where it did before; nil: nothing changes.
    private mutating func raise(
        _ lease: Lease?, to target: Int64, of holder: LeaseHolder, until expiresAt: Int64, at now: Int64,
        isBrief: Bool = false, mint: () -> String
    ) -> Lease? {
        guard var next = lease else {
            guard target > 0 else { return nil }
            let made = Lease(
                id: mint(), kind: kind, subject: subject, terminalId: holder.device.terminalId,
                storeId: holder.device.storeId, epoch: holder.epoch, isBrief: isBrief, amount: target,
                used: 0, expiresAt: expiresAt, version: 1, issuedAt: now, state: .open)
            leases.append(made)
            return made
        }
        // A renewal is written once a quarter of the time is gone, not at every pull.
        let isOld = expiresAt - next.expiresAt > (expiresAt - now) / 4
        guard target > next.left || isOld else { return nil }
        next.amount += max(0, target - next.left)
        next.expiresAt = max(next.expiresAt, expiresAt)
        next.version += 1
        for index in leases.indices where leases[index].id == next.id { leases[index] = next }
        return next
    }
}

/// The terminal that a lease is for, with the epoch of its journal.
package struct LeaseHolder: Hashable, Sendable {
    /// The terminal as its token names it.
    package let device: DeviceIdentity
    /// A restored or cloned terminal has another one, and spends nothing of what was lent before.
    package let epoch: Int64

    package init(_ device: DeviceIdentity, epoch: Int64) {
        self.device = device
        self.epoch = epoch
    }

    /// Whether the terminal can spend of the lease. One that expired is never renewed: the terminal may have
    /// forgotten what it spent of it, and would spend that again.
    package func holds(_ lease: Lease, at now: Int64) -> Bool {
        lease.terminalId == device.terminalId && lease.epoch == epoch && lease.isSpendable
            && now < lease.expiresAt
    }
}

/// How much is lent, what of, and for how long.
package struct LeaseTerms: Hashable, Sendable {
    /// Hundredths of a percent of what is not leased to others. Key `points.leaseShareBasisPoints`, default
    /// 2,500: four terminals in an outage can spend two thirds of it. Half of it refuses customers, double
    /// lets the first two terminals take three quarters.
    package var shareBasisPoints: Int64
    /// What is lent in the store.
    package var kinds: Set<LeaseKind>
    /// What all terminals of the store together may take by cards without the hub, in minor units; nil: they
    /// need no leases for it. Key `offlineCard.perStore`.
    package var cardsPerStore: Int64?
    /// Whether the tills of the store see each other, so that in a chain of several stores one of them has
    /// the store's share of a member's points. Key `neighbours.enabled`.
    package var hasNeighbours = false
    /// How long a share is lent, in milliseconds: 72 hours, so that an outage that begins on a Friday
    /// evening can be sold through. Half of it ends on Sunday, double blocks what a lost terminal has for
    /// twice as long.
    package var duration: Int64 = 259_200_000
    /// The same for what one sale lacks, in milliseconds: 15 minutes. What the sale then does not spend
    /// others can spend soon; half of it can end while a customer looks for a card.
    package static let briefDuration: Int64 = 900_000
    /// The most brief leases with something left that a terminal has at once, expired ones that have not
    /// ended included: 50. A sale takes one for its points and one for each coupon that its share does not
    /// cover, and uses them up; a till that sells twice a minute while nothing of it arrives has 30 after 15
    /// minutes. Half of it refuses such a till, double lets a hostile one block twice as many members and
    /// coupons.
    package static let mostBriefs: Int64 = 50
    /// How long a recall counts, in milliseconds: 10 minutes. Half of it still lets a customer wait for a
    /// till that is busy; double takes from a till that was away what nobody waits for any more.
    package static let recallDuration: Int64 = 600_000
    /// The most leases that are recalled for one sale, those with most left. Each is written and pulled:
    /// twice as many let pushes wait for twice as long, and half of it misses more terminals that are away.
    fileprivate static let mostRecalled = 16
    /// The most active terminals of a store that gets shares in advance.
    package static let mostTerminals: Int64 = 16

    /// Makes terms; by default a quarter is lent, of nothing.
    package init(shareBasisPoints: Int64 = 2_500, kinds: Set<LeaseKind> = []) {
        self.shareBasisPoints = shareBasisPoints
        self.kinds = kinds
    }

    /// By what a store is configured to: points are lent where they are worth something.
    package init(settings: StoreSettings) {
        let value = settings.values["points.valueMinor"]?.integer ?? 0
        self.init(
            shareBasisPoints: settings.values[StoreSetting.leaseShare.key]?.integer ?? 2_500,
            kinds: value > 0 ? [.points, .coupon] : [.coupon])
        cardsPerStore = OfflineCardLimits.perStore(of: settings)
        if cardsPerStore != nil { kinds.insert(.card) }
        hasNeighbours = settings.values[StoreSetting.neighbours.key]?.string == "on"
    }

    /// What is lent in advance; nil: nothing.
    ///
    /// - Parameters:
    ///   - isDue: whether something of points or coupons is new or expires.
    ///   - cards: of the store's card limit what is stored, what is lent to all, and of that what is lent to
    ///     the terminal.
    package func ahead<Failure: Error>(
        among active: ActiveTerminals, isDue: (LeaseAdvance) throws(Failure) -> Bool,
        cards: () throws(Failure) -> (stored: Int64, lent: Int64, mine: Int64)
    ) throws(Failure) -> LeaseAdvance? {
        let all = LeaseAdvance(terms: self, reach: active.reach)
        // One till can have the store's share of the points, however many tills there are.
        if active.areFew || hasNeighbours && active.hasOthers, try isDue(all) { return all }
        guard let most = cardsPerStore, active.areFew else { return nil }
        let (stored, lent, mine) = try cards()
        guard share(of: max(0, most - stored - (lent - mine)), .card) > mine else { return nil }
        var terms = self
        if active.reach != .chain { terms.kinds = [.card] }
        return LeaseAdvance(terms: terms, reach: .chain)
    }

    /// A lease that expires within this time is renewed, in milliseconds.
    package var renewedBefore: Int64 { duration / 4 * 3 }

    /// A terminal's share of `free`, or so many; of a coupon's uses at least one, since none can be divided.
    func share(of free: Int64, _ kind: LeaseKind, times: UInt64 = 1) -> Int64 {
        let share = Int64(
            clamping: UInt64(10_000).dividingFullWidth(
                free.magnitude.multipliedFullWidth(by: times * shareBasisPoints.magnitude)
            ).quotient)
        return kind == .coupon ? max(share, min(1, free)) : share
    }
}
