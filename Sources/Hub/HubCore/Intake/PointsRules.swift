import HubProtocol
import Pricing

/// The rules of the points of sales: a sale moves its member's balance by what it says, and what comes back
/// of it moves the balance back by what the hub has of the sale, whichever terminal gave it back.
enum PointsRules {
    /// What a sale does to its member's balance and to leases; nothing without a member, or with points that
    /// cannot be read.
    static func effects(of order: CompletedOrder) -> [IntakeEffect] {
        var effects: [IntakeEffect] = []
        if let memberId = order.pointsMember, let points = order.points, points.delta != 0 {
            effects.append(.adjustPoints(memberId: memberId, delta: points.delta))
        }
        let claim = LeaseClaim(of: order)
        return claim.isEmpty ? effects : effects + [.useLeases(claim)]
    }

    /// What a sale used of leases, or a void gave back. A sale has one member and some coupons; more are left
    /// aside, since each costs a look-up that all pushes wait for.
    static func considered(_ uses: [LeaseUse]?) -> [LeaseUse] {
        Array((uses ?? []).prefix(BasketShape.limits.coupons))
    }
}

/// How members of a store earn and spend points, as far as the hub knows it of a sale: not where the store's
/// configuration does not say it, and not for a sale that is older than the configuration.
struct KnownPointsScheme: Hashable, Sendable {
    /// Nil: not known.
    private let earnEvery: Int64?
    private let value: Int64?

    /// - Parameter moment: when the sale was made by its terminal's clock, in milliseconds since 1970.
    init(_ facts: ApprovalFacts, at moment: Int64) {
        let values = moment < facts.settingsSince ? [:] : facts.settings.values
        earnEvery = values["points.earnEveryMinor"]?.integer
        value = values["points.valueMinor"]?.integer
    }

    /// Whether the hub knows what a sale earns.
    var saysWhatIsEarned: Bool { earnEvery != nil }

    /// What a sale of `total` earns; 0 where that is not known.
    func earned(of total: Int64) -> Int64 {
        PointsScheme(earnEvery: earnEvery ?? 0, value: 0, minimumSpend: 0).earned(of: total)
    }

    /// Whether a sale of `total` moved what the store gives.
    func agrees(with points: SalePoints, total: Int64) -> Bool {
        if earnEvery != nil, points.earned != earned(of: total) { return false }
        guard let value else { return true }
        let (amount, overflows) = points.spent.multipliedReportingOverflow(by: value)
        return !overflows && amount == points.value
    }
}

/// What a sale spent of what is lent to terminals, and the leases that it names for it.
package struct LeaseClaim: Hashable, Sendable {
    /// Whose points were spent; nil: nobody's.
    let memberId: String?
    /// Points that the sale spent.
    let spent: Int64
    /// Those of them that it names leases for.
    let spentUnderLeases: Int64
    /// As they were typed.
    let coupons: [String]
    let uses: [LeaseUse]

    init(of order: CompletedOrder) {
        memberId = order.pointsMember
        spent = memberId == nil ? 0 : order.points?.spent ?? 0
        coupons = order.couponCodes
        uses = PointsRules.considered(order.leases)
        spentUnderLeases = uses.reduce(0) { sum, use in
            use.kind == .points ? Merging.add(use.amount, to: sum) ?? .max : sum
        }
    }

    /// Whether nothing has to be looked up.
    var isEmpty: Bool { spent == 0 && coupons.isEmpty && uses.isEmpty }

    private init(_ claim: LeaseClaim, memberId: String?, spent: Int64, uses: [LeaseUse]) {
        self.memberId = memberId
        self.spent = spent
        self.uses = uses
        spentUnderLeases = spent
        coupons = claim.coupons
    }

    /// The same without points: those of a sale that moves none take nothing from leases either.
    var withoutPoints: LeaseClaim {
        LeaseClaim(self, memberId: nil, spent: 0, uses: uses.filter { $0.kind != .points })
    }
}

extension RefundableOrder {
    /// What a refund gives back of the sale's points, on top of the refunds that are here; nil for a sale
    /// that is not here, is voided, or moved no points.
    func returnedPoints(by refund: RefundFacts) -> ReturnedPoints? {
        guard let points, let sale, state?.isVoided == false else { return nil }
        return ReturnedPoints(of: points, sale, goods, by: [refund], after: refunds)
    }

    /// What the spent points that a refund gives back had paid of the sale, in minor units: of all its
    /// refunds together no more than they did. Nil as ``returnedPoints(by:)``.
    func returnedValue(by refund: RefundFacts) -> Int64? {
        guard let points, let sale, state?.isVoided == false else { return nil }
        return PointsReturn.part(of: points.value, sale, goods, by: [refund], after: refunds)
    }
}

/// Which of a sale's points moved its member's balance.
package enum MovedPoints: Int64, Hashable, Sendable {
    /// It has the flag ``IntakeFlag/pointsLimit``.
    case none = 0
    /// It has the flag ``IntakeFlag/pointsHeld``: what it earned did not.
    case spentAlone = 1
    case all = 2

    func points(of stated: SalePoints) -> SalePoints? {
        switch self {
        case .none: nil
        case .spentAlone: SalePoints(earned: 0, spent: stated.spent, value: stated.value)
        case .all: stated
        }
    }
}

extension RefundableOrder {
    /// Of points that wait for a person, what the sale is still worth after what came back of it.
    var heldPoints: Int64 {
        guard moved == .spentAlone, state?.isVoided == false, let sale, let stated = sale.points else {
            return 0
        }
        return stated.earned - ReturnedPoints(of: stated, sale, goods, by: refunds).earnedReturned
    }
}

extension PointsReturn {
    /// What `refunds` give back of a figure of a sale, points or what they paid, after `earlier` ones.
    ///
    /// - Parameter goods: ``RefundableOrder/goods``.
    fileprivate static func part(
        of figure: Int64, _ sale: CompletedOrder, _ goods: [String: Int64]?, by refunds: [RefundFacts],
        after earlier: [RefundFacts]
    ) -> Int64 {
        func through(_ refunds: [RefundFacts]) -> Int64 {
            let refunded = refunds.reduce(0) { Merging.add($1.total, to: $0) ?? .max }
            let isComplete =
                goods?.allSatisfy { sku, sold in
                    refunds.reduce(0) { Merging.add($1.quantities[sku] ?? 0, to: $0) ?? .max } >= sold
                } ?? false
            return returned(of: figure, refunded: refunded, total: sale.total, isComplete: isComplete)
        }
        return through(earlier + refunds) - through(earlier)
    }
}

extension ReturnedPoints {
    /// What `refunds` give back of a sale's points, after `earlier` ones.
    ///
    /// - Parameter goods: ``RefundableOrder/goods``.
    fileprivate init(
        of points: SalePoints, _ sale: CompletedOrder, _ goods: [String: Int64]?, by refunds: [RefundFacts],
        after earlier: [RefundFacts] = []
    ) {
        func returned(_ points: Int64) -> Int64 {
            PointsReturn.part(of: points, sale, goods, by: refunds, after: earlier)
        }
        self.init(earnedReturned: returned(points.earned), spentReturned: returned(points.spent))
    }
}

extension IntakeTransaction {
    /// A sale is a fact, whatever was lent: what no lease covers is flagged. A use that is not of what the
    /// sale spent takes nothing from the lease, which stays reserved.
    func useLeases(_ claim: LeaseClaim, for record: MutationRecord) throws -> Set<IntakeFlag> {
        let terminals = try known(record.device).terminalIds
        var (isUncovered, mayBeLost) = (claim.spent != claim.spentUnderLeases, false)
        var (coupons, unknownCoupons) = (Set<String>(), 0)
        for use in claim.uses {
            guard var lease = try lease(use.leaseId) else {
                mayBeLost = true
                if use.kind == .coupon { unknownCoupons += 1 }
                continue
            }
            guard try isMeant(lease, by: use, of: claim, in: record.device.storeId) else {
                isUncovered = true
                continue
            }
            if !lease.use(use.amount, by: terminals) { mayBeLost = true }
            try save(lease)
            if lease.kind == .coupon { coupons.insert(lease.subject) }
        }
        if !isUncovered, try limitedCoupons(of: claim, besides: coupons, terminals) > unknownCoupons {
            isUncovered = true
        }
        if !isUncovered, mayBeLost { isUncovered = try !mayBeOlderThanRestore(record) }
        return isUncovered ? [.leaseExceeded] : []
    }

    /// Whether a lease is of what the sale spent: of its member's points, of one of its coupons, or of its
    /// store's limit for cards.
    private func isMeant(
        _ lease: Lease, by use: LeaseUse, of claim: LeaseClaim, in storeId: String
    ) throws -> Bool {
        guard lease.kind == use.kind else { return false }
        switch lease.kind {
        case .points:
            guard let memberId = claim.memberId else { return false }
            // Either one may be a reference to the member whom they were merged into.
            return try lease.subject == memberId
                || memberOfPerson(lease.subject).id == memberOfPerson(memberId).id
        case .coupon: return try claim.coupons.contains { try couponId(typed: $0) == lease.subject }
        case .card: return lease.subject == storeId
        }
    }

    /// How many coupons of a sale are for a limited number of sales and not among `used`; none of a terminal
    /// that has no lease, since earlier ones know nothing of them.
    private func limitedCoupons(
        of claim: LeaseClaim, besides used: Set<String>, _ terminals: [String]
    ) throws -> Int {
        var limited: Set<String> = []
        for code in claim.coupons {
            guard let id = try couponId(typed: code), !used.contains(id),
                let coupon = try entity("coupon", id, in: "")?.value, CouponState(coupon).usesLeft != nil
            else { continue }
            limited.insert(id)
        }
        return try limited.isEmpty || !hasLeases(terminals) ? 0 : limited.count
    }

    /// Of the points that a sale spent, those that are lent to its terminal and left.
    func coveredPoints(of claim: LeaseClaim, for record: MutationRecord) throws -> Int64 {
        let terminals = try known(record.device).terminalIds
        var left: [String: Int64] = [:]
        return try claim.uses.reduce(0) { sum, use in
            guard use.kind == .points, let lease = try lease(use.leaseId),
                terminals.contains(lease.terminalId),
                try isMeant(lease, by: use, of: claim, in: record.device.storeId)
            else { return sum }
            let rest = left[lease.id] ?? lease.left
            let part = min(use.amount, rest)
            left[lease.id] = rest - part
            return Merging.add(part, to: sum) ?? .max
        }
    }

    /// Whether a sale may have used what the store lent after the backup that it was made of: a terminal
    /// stops when its lease ends, and none that it had then was longer.
    func mayBeOlderThanRestore(_ record: MutationRecord) throws -> Bool {
        guard let restored = try restoredAt(), let madeAt = record.moments.first else { return false }
        return madeAt <= restored + LeaseTerms().duration
    }

    /// Gives back what a voided sale used of leases, as far as its void says that the terminal has it again,
    /// which is the one that they are lent to.
    func giveLeasesBack(
        of order: RefundableOrder, claimed: [LeaseUse]?, for record: MutationRecord
    ) throws {
        guard let claimed, let claim = order.leaseClaim else { return }
        let returned = PointsRules.considered(claimed)
        let terminals = try known(record.device).terminalIds
        for use in claim.uses {
            guard let back = returned.first(where: { $0.leaseId == use.leaseId }),
                var lease = try lease(use.leaseId), terminals.contains(lease.terminalId),
                try isMeant(lease, by: use, of: claim, in: lease.storeId)
            else { continue }
            lease.giveBack(min(back.amount, use.amount))
            try save(lease)
        }
    }

    /// Moves back the points of what came back of a sale before the sale was here: by the code of its
    /// receipt, or by its id.
    ///
    /// - Parameters:
    ///   - isByNumber: false when another sale has the number of the receipt.
    ///   - isHeld: whether what the sale earned waits for a person.
    func returnEarlierPoints(
        of order: CompletedOrder, byNumber isByNumber: Bool, isHeld: Bool, for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        guard let memberId = order.pointsMember, let stated = order.points,
            let points = (isHeld ? MovedPoints.spentAlone : .all).points(of: stated),
            points.earned != 0 || points.spent != 0
        else { return [] }
        let number = isByNumber && record.numberCounts ? order.orderNumber : nil
        let refunds = try refunds(of: record.orderKey ?? order.orderId, number: number)
        let returned = ReturnedPoints(of: points, order, order.goods, by: refunds)
        guard !refunds.isEmpty, returned.delta != 0 else { return [] }
        // The documents of the refunds were written when nobody knew of any points.
        try append(.points(memberId, returned.delta, reason: "refundedBefore", of: record))
        return try adjustPoints(of: memberId, by: returned.delta, for: record)
    }

    /// Moves the points of a sale's member back; nothing for a sale without a member or points.
    ///
    /// - Parameter claimed: the member `points` of the mutation, when it has one.
    func returnPoints(
        _ returned: ReturnedPoints?, of order: RefundableOrder, claimed: ReturnedPoints?,
        for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if let returned, let memberId = order.memberId, returned.delta != 0 {
            flags = try adjustPoints(of: memberId, by: returned.delta, for: record)
        }
        // What the receipt says, where the sale is here to be compared with.
        if order.state != nil, let claimed,
            claimed != returned ?? ReturnedPoints(earnedReturned: 0, spentReturned: 0)
        {
            flags.insert(.pointsDiffer)
        }
        return flags
    }
}
