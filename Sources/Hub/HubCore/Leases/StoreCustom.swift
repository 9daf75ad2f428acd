import HubProtocol

/// A member was at a store: it bought something there, or a terminal looked it up.
package struct MemberVisit: Hashable, Sendable {
    package let memberId: String
    package let storeId: String
    /// When the hub learned of the last time, by its own clock, in milliseconds since 1970.
    package let seenAt: Int64
    /// Where that was.
    package let terminalId: String

    package init(memberId: String, storeId: String, seenAt: Int64, terminalId: String) {
        self.memberId = memberId
        self.storeId = storeId
        self.seenAt = seenAt
        self.terminalId = terminalId
    }
}

/// A store sold by a coupon.
package struct CouponUse: Hashable, Sendable {
    /// The code as it was imported.
    package let couponId: String
    package let storeId: String
    /// When the hub learned of it, by its own clock, in milliseconds since 1970.
    package let usedAt: Int64

    package init(couponId: String, storeId: String, usedAt: Int64) {
        self.couponId = couponId
        self.storeId = storeId
        self.usedAt = usedAt
    }
}

/// The active terminals of a chain, as far as they say who is lent what in advance.
package struct ActiveTerminals: Hashable, Sendable {
    /// Those of the terminal's store.
    let store: Int64
    /// Whether another store has one.
    let hasOthers: Bool

    package init(store: Int64, hasOthers: Bool) {
        self.store = store
        self.hasOthers = hasOthers
    }

    var reach: AdvanceReach { hasOthers ? .store(self) : .chain }

    /// Whether each till of the store can have a part of what is the store's.
    var areFew: Bool { store <= LeaseTerms.mostTerminals }
}

/// Of which members and coupons a terminal is lent something in advance.
package enum AdvanceReach: Hashable, Sendable {
    /// Of all: the chain is one store, whose terminals sell to whoever comes.
    case chain
    /// Of those of its store, by ``AdvanceShares``.
    case store(ActiveTerminals)
}

/// What a terminal is lent in advance with one pull.
package struct LeaseAdvance: Hashable, Sendable {
    let terms: LeaseTerms
    let reach: AdvanceReach

    /// Whether there may be more than one transaction does.
    package var mayGoOn: Bool { !isOfChain }

    package var isOfChain: Bool { reach == .chain }

    /// Whether cards are, too.
    var lendsCards: Bool {
        if case .store(let active) = reach, !active.areFew { return false }
        return terms.kinds.contains(.card)
    }

    /// ``LeaseScan/form`` of a terminal whose journal has an epoch.
    package func form(epoch: Int64) -> String {
        "\(epoch) " + terms.kinds.map(\.rawValue).sorted().joined(separator: " ")
            + (reach == .chain ? "" : terms.hasNeighbours ? " of the store, one till" : " of the store")
    }
}

/// A time in which a store's customs are looked through for one of its terminals, and its leases for those to
/// be renewed.
package struct CustomWindow: Hashable, Sendable {
    /// Everything up to it was looked at, in milliseconds since 1970.
    package let after: Int64
    /// Looked at up to here.
    package let through: Int64

    /// Visits of the last minute are not looked at: one that another hub is writing may be older than one
    /// that is there. A push takes seconds at most.
    package static let settling: Int64 = 60_000

    /// How often something is lent in advance, in milliseconds: every 5 minutes, since each time takes the
    /// lock that all leases share. Twice as often shows whoever bought just before an outage to few tills
    /// more, and loads the hub of 300 stores with twice as much.
    private static let interval: Int64 = 300_000

    /// - Parameter position: how far was looked; nil: not yet.
    package init(after position: Int64?, at now: Int64) {
        after = Self.known(position, at: now) ?? now - AdvanceShares.visitsCount
        through = max(after, now - Self.settling)
    }

    /// A position; nil for one of the time to come, which a clock that was ahead left.
    static func known(_ position: Int64?, at now: Int64) -> Int64? {
        position.flatMap { $0 > now ? nil : $0 }
    }

    /// From when on members are looked at again whose share may have come back from other stores: what is
    /// recalled comes within this time or is not wanted any more.
    package var looksBackTo: Int64 { after - LeaseTerms.recallDuration }

    /// Whether it is time to look.
    package var isDue: Bool { through - after >= Self.interval - Self.settling }
}
