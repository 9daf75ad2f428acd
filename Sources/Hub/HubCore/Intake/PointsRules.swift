import HubProtocol
import Pricing

/// The rules of the points of sales: a sale moves its member's balance by what it says, and what comes back
/// of it moves the balance back by what the hub has of the sale, whichever terminal gave it back.
enum PointsRules {
    /// What a sale does to its member's balance; nothing without a member, or with points that cannot be
    /// read.
    static func effects(ofSale payload: JSONValue) -> [IntakeEffect] {
        let uses = leases(in: payload).map(IntakeEffect.useLease)
        guard let memberId = memberId(in: payload), let points = points(in: payload), points.delta != 0
        else { return uses }
        return [.adjustPoints(memberId: memberId, delta: points.delta)] + uses
    }

    /// What a sale used of leases, or a void gave back. A sale has one member and some coupons; more are left
    /// aside, since each costs a look-up that all pushes wait for.
    static func leases(in payload: JSONValue) -> [LeaseUse] {
        Array(((try? LeaseUse.all(in: payload)) ?? []).prefix(BasketShape.limits.coupons))
    }

    static func memberId(in payload: JSONValue) -> String? {
        payload["memberId"]?.string.flatMap {
            (1...MemberRules.longestId).contains($0.utf8.count) ? $0 : nil
        }
    }

    static func points(in payload: JSONValue) -> SalePoints? {
        payload["points"].flatMap { try? SalePoints(json: $0) }
    }
}

extension RefundableOrder {
    /// What a refund gives back of the sale's points, on top of the refunds that are here; nil for a sale
    /// that is not here, is voided, or moved no points.
    func returnedPoints(by refund: RefundFacts) -> ReturnedPoints? {
        guard let points, let sale, state?.isVoided == false else { return nil }
        func through(_ refunds: [RefundFacts], _ points: Int64) -> Int64 {
            let refunded = refunds.reduce(0) { Merging.add($1.total, to: $0) ?? .max }
            let isComplete = sale.goods.allSatisfy { sku, sold in
                refunds.reduce(0) { Merging.add($1.quantities[sku] ?? 0, to: $0) ?? .max } >= sold
            }
            return PointsReturn.returned(
                of: points, refunded: refunded, total: sale.total, isComplete: isComplete)
        }
        func returned(_ points: Int64) -> Int64 {
            through(refunds + [refund], points) - through(refunds, points)
        }
        return ReturnedPoints(
            earnedReturned: returned(points.earned), spentReturned: returned(points.spent))
    }
}

extension IntakeTransaction {
    /// A sale is a fact, whatever was lent: what no lease covers is flagged.
    func useLease(_ use: LeaseUse, for record: MutationRecord) throws -> Set<IntakeFlag> {
        if var lease = try lease(use.leaseId), lease.kind == use.kind {
            let isCovered = lease.use(use.amount, by: try known(record.device).terminalIds)
            try save(lease)
            if isCovered { return [] }
        }
        return try mayBeOlderThanRestore(record) ? [] : [.leaseExceeded]
    }

    /// Whether a sale may have used what the store lent after the backup that it was made of: a terminal
    /// stops when its lease ends, and none that it had then was longer.
    private func mayBeOlderThanRestore(_ record: MutationRecord) throws -> Bool {
        guard let restored = try restoredAt(), let madeAt = record.moments.first else { return false }
        return madeAt <= restored + LeaseTerms().duration
    }

    /// Gives back what a voided sale used of leases, as far as its void says that the terminal has it again.
    func giveLeasesBack(of order: RefundableOrder, claimed: JSONValue?) throws {
        guard let claimed else { return }
        let returned = PointsRules.leases(in: ["leases": claimed])
        for use in order.leases {
            guard let back = returned.first(where: { $0.leaseId == use.leaseId }),
                var lease = try lease(use.leaseId)
            else { continue }
            lease.giveBack(min(back.amount, use.amount))
            try save(lease)
        }
    }

    /// Moves the points of a sale's member back; nothing for a sale without a member or points.
    ///
    /// - Parameter claimed: the member `points` of the mutation, when it has one.
    func returnPoints(
        _ returned: ReturnedPoints?, of order: RefundableOrder, claimed: JSONValue?,
        for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if let returned, let memberId = order.memberId, returned.delta != 0 {
            flags = try adjustPoints(of: memberId, by: returned.delta, for: record)
        }
        // What the receipt says, where the sale is here to be compared with.
        if order.state != nil, let claimed, let read = try? ReturnedPoints(json: claimed),
            read != returned ?? ReturnedPoints(earnedReturned: 0, spentReturned: 0)
        {
            flags.insert(.pointsDiffer)
        }
        return flags
    }
}
