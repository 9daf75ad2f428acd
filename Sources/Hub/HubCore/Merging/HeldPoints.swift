package import HubProtocol

/// Gives members the points that sales of a terminal earned past its measure, once a person has looked at the
/// sales: the flag ``IntakeFlag/pointsHeld`` goes, and what came back of a sale meanwhile is left out.
package struct HeldPoints: Fact {
    /// A sale whose points wait.
    package struct Sale: Hashable, Sendable {
        /// The key of its mutation.
        let mutationId: String
        /// What its order is kept under.
        let orderId: String

        package init(mutationId: String, orderId: String) {
            self.mutationId = mutationId
            self.orderId = orderId
        }
    }

    /// A sale whose points wait no more.
    package struct Released: Hashable, Sendable {
        /// What its order is kept under.
        package let orderId: String
        /// Its member, as the sale names it; nil for a sale that cannot be read.
        package let memberId: String?
        /// In minor units of `currency`; nil for a sale that cannot be read.
        package let total: Int64?
        package let currency: String?
        /// What it said that it earned.
        package let earned: Int64?
        /// What the member got of it.
        package internal(set) var points: Int64 = 0
    }

    /// What one portion of the work came to.
    package struct Outcome: Hashable, Sendable {
        /// Sales whose points wait no more, the first ones first.
        package var sales: [Released] = []
        /// What their members got.
        package var points: Int64 = 0
        /// Sales whose member is gone, or has as many points as can be kept.
        package var lost = 0
        /// Whether further sales wait for the next portion.
        package var hasMore = false

        /// Nothing yet.
        package init() {}

        /// Adds a further portion.
        package mutating func add(_ other: Outcome) {
            sales += other.sales
            points = Merging.add(other.points, to: points) ?? .max
            lost += other.lost
            hasMore = other.hasMore
        }
    }

    /// Whose sales.
    package private(set) var terminalId = ""
    /// Those that the hub got since then, in milliseconds since 1970.
    package private(set) var since: Int64 = 0
    /// The one sale whose order is kept under it; nil: all.
    package private(set) var orderId: String?

    /// What waits since a moment, or of it one sale.
    package init(terminalId: String, since: Int64, orderId: String? = nil) {
        self.terminalId = terminalId
        self.since = since
        self.orderId = orderId
    }

    /// Releases one portion, as many sales as ``MemberReversal/portion``, in a transaction that has begun.
    package func run(at now: Int64, in store: some MemberReversalTransaction) throws -> Outcome {
        var clock = try store.clock()
        var outcome = Outcome()
        let sales = try store.heldSales(of: self, limit: MemberReversal.portion)
        outcome.hasMore = sales.count == MemberReversal.portion
        for sale in sales {
            let order = try store.refundable(.id(sale.orderId))
            try store.remove(.pointsHeld, of: sale.mutationId)
            let storeId = order.state?.storeId
            try store.append(
                JournalDocument(
                    JournalCommons(
                        .flag, "\(sale.mutationId).released", of: terminalId, in: storeId, at: now),
                    FlagDocument(
                        IntakeFlag.pointsHeld.rawValue, isSet: false,
                        of: EntryKey.mintedId(of: sale.mutationId))))
            outcome.sales.append(
                Released(
                    orderId: sale.orderId, memberId: order.memberId, total: order.sale?.total,
                    currency: order.sale?.currency, earned: order.sale?.points?.earned))
            guard let memberId = order.memberId, order.heldPoints > 0 else { continue }
            let (ownId, before) = try store.memberOfPerson(memberId)
            guard try store.entity("member", ownId, in: "")?.isDeleted != true,
                let after = before.adjusted(by: order.heldPoints)
            else {
                outcome.lost += 1
                continue
            }
            outcome.points = Merging.add(order.heldPoints, to: outcome.points) ?? .max
            outcome.sales[outcome.sales.endIndex - 1].points = order.heldPoints
            clock.tick(now: now)
            try store.publish(
                FeedChange(
                    entity: "member", entityId: ownId, storeId: "", deletedAt: nil, hlc: clock, origin: nil,
                    value: after.value))
            try store.append(
                JournalDocument(
                    JournalCommons(
                        .points, "\(sale.mutationId).released", of: terminalId, in: storeId, at: now),
                    PointsDocument(ownId, order.heldPoints, reason: "released")))
            // Of the terminal, so that what is taken back of it takes these points, too.
            try store.note(
                MemberChange(
                    terminalId: terminalId, memberId: ownId, at: now, isNew: false, delta: order.heldPoints,
                    fields: [:]))
        }
        try store.save(clock)
        return outcome
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("orderId", &orderId, .optional)
        try m.number("since", &since)
        try m.text("terminalId", &terminalId)
    }
}
