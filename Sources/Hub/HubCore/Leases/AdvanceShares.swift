import HubProtocol

/// What terminals are lent in advance in a chain of more than one store, which would each have too little of
/// everything: members' points go to the stores where the member buys, and uses of a coupon to those that use
/// it.
///
/// A store's share is for its terminals together. It depends on what the subject has in all, and not on what
/// is lent already, so that a repetition lends nothing more.
package enum AdvanceShares {
    /// The stores that get shares of one member's points: 3. In a year of recorded baskets 69 % were bought
    /// where the member was last, 91 % at one of the last three. One fewer misses 6 % of the sales, and twice
    /// as many reserve points at stores where the member is once in fifty times.
    package static let mostStores = 3

    /// A store where a member was longer ago gets no share of the points, in milliseconds: 90 days. Halved,
    /// whoever comes once in two months gets nothing in advance; doubled, points lie where people moved away.
    package static let visitsCount: Int64 = 90 * 86_400_000

    /// What is lent in advance of one subject comes to at most so many hundredths of a percent of what it
    /// has: half. The rest can be spent at any store while those are away. More refuses customers elsewhere
    /// for the sake of a store that is away, half of it leaves the second store nothing.
    package static let mostBasisPoints: Int64 = 5_000

    /// The most shares for one terminal: 2,000. Each is a row here and on the terminal's disk, and is renewed
    /// every 18 hours. Half of it is fewer than a supermarket's members of a day, and twice as many make a
    /// hostile terminal's claim on other people's points twice as large.
    package static let mostOfTerminal: Int64 = 2_000

    /// So many transactions of one pull go on where a terminal has more visitors, coupons and leases to look
    /// at than one of them does: 4, some 200 visitors. Half of it is what a supermarket has between two
    /// pulls, twice as many make the terminal wait for its page.
    package static let mostPortions = 4

    /// What one push brought has one moment, and is looked at together: at most 500 visitors. Those beyond
    /// are looked at after their next visit. Half of it loses visitors of a long push, twice as many let
    /// pushes wait.
    package static let mostOfMoment = 500

    /// So long the uses of a coupon by the stores count, in milliseconds: a week, so that each weekday is in
    /// it once.
    package static let usesCount: Int64 = 7 * 86_400_000

    /// What a store's terminals are to have of a subject.
    package struct Part: Hashable, Sendable {
        /// Each of them.
        package let each: Int64
        /// All of them.
        package let ofStore: Int64
        /// The store and those that come before it; what others hold is recalled for it. Nil: nothing is.
        package let before: Set<String>?
        /// Whether one till of the store is to have all of it.
        package let isOfOneTill: Bool

        static let none = Part(0, of: 0, before: nil)

        /// Of a store with too many terminals none gets anything: the part of each would pay for nothing.
        init(_ share: Int64, of terminals: Int64, before: Set<String>?) {
            each = (1...LeaseTerms.mostTerminals).contains(terminals) ? max(0, share) / terminals : 0
            ofStore = each * terminals
            self.before = before
            isOfOneTill = false
        }

        private init(_ share: Int64, before: Set<String>?) {
            (each, ofStore, self.before, isOfOneTill) = (share, share, before, true)
        }

        func ofOneTill(before: Set<String>?) -> Part { Part(ofStore, before: before) }
    }

    /// What the terminals of a store get of a member's points: a share, two where the member was at no other
    /// one; none where the store is none of the last ones.
    ///
    /// - Parameters:
    ///   - visits: all stores where the member was, in any order.
    ///   - balance: all points that the member has.
    ///   - terminals: the active ones of the store.
    package static func points(
        at storeId: String, visits: [MemberVisit], balance: Int64, terminals: Int64, by terms: LeaseTerms,
        at now: Int64
    ) -> Part {
        let last = visits.filter { now - $0.seenAt < visitsCount }
            .sorted { ($1.seenAt, $0.storeId) < ($0.seenAt, $1.storeId) }.prefix(mostStores)
        let most = most(of: balance)
        var given: Int64 = 0
        var before: Set<String> = []
        for visit in last {
            // Whoever buys at one store alone gets there what two would have: with one share, an outage there
            // refuses half of the balance to everybody, for stores that the member does not visit.
            let shares: UInt64 = last.count == 1 ? 2 : 1
            let share = min(
                terms.share(of: max(0, balance) - given, .points, times: shares), most - given)
            before.insert(visit.storeId)
            if visit.storeId == storeId { return Part(share, of: terminals, before: before) }
            given += share
        }
        return .none
    }

    /// What the terminals of a store get of a coupon's uses: of half of them the part that the store had of
    /// the last week's. None where the coupon has fewer uses than the chain has stores, since they are at the
    /// hub for whoever comes first.
    ///
    /// - Parameters:
    ///   - uses: by store, of the last ``usesCount``.
    ///   - left: the uses that the coupon has left.
    ///   - stores: those of the chain with an active terminal.
    ///   - terminals: the active ones of the store.
    package static func coupon(
        at storeId: String, uses: [String: Int64], left: Int64, stores: Int64, terminals: Int64
    ) -> Part {
        let total = uses.values.reduce(0) { Merging.add(max(0, $1), to: $0) ?? .max }
        guard left >= stores, total > 0, let own = uses[storeId], own > 0 else { return .none }
        let (high, low) = most(of: left).multipliedFullWidth(by: own)
        return Part(total.dividingFullWidth((high, low)).quotient, of: terminals, before: nil)
    }

    /// What all shares in advance of one subject come to at most.
    static func most(of balance: Int64) -> Int64 {
        let (whole, rest) = max(0, balance).quotientAndRemainder(dividingBy: 10_000)
        return whole * mostBasisPoints + rest * mostBasisPoints / 10_000
    }
}
