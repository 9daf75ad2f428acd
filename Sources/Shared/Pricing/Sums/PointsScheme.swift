/// How the members of a store earn points, and what a point pays (`storeConfig.points`).
package struct PointsScheme: Hashable, Sendable {
    /// Minor units of the total that earn one point; 0: nothing is earned.
    package let earnEvery: Int64
    /// Minor units that a spent point takes off; 0: points are not spent.
    package let value: Int64
    /// The fewest points that a sale spends; a sale that spends none is always allowed.
    package let minimumSpend: Int64

    /// A store without points.
    package static let none = PointsScheme(earnEvery: 0, value: 0, minimumSpend: 0)

    package init(earnEvery: Int64, value: Int64, minimumSpend: Int64) {
        self.earnEvery = earnEvery
        self.value = value
        self.minimumSpend = minimumSpend
    }

    /// Whether sales move points at all.
    package var isInForce: Bool { earnEvery > 0 || value > 0 }

    /// The points of a sale that came to `total` after all discounts: one for each full ``earnEvery``.
    package func earned(of total: Int64) -> Int64 { earnEvery > 0 ? max(0, total) / earnEvery : 0 }

    /// Minor units that `points` take off.
    ///
    /// - Throws: ``PricingError/overflow``.
    package func amount(of points: Int64) throws(PricingError) -> Int64 {
        let (amount, overflows) = points.multipliedReportingOverflow(by: value)
        guard !overflows else { throw .overflow }
        return try MoneyRange.checked(amount)
    }
}

/// The points that refunds of a sale return, so that terminal and hub compute the same.
package enum PointsReturn {
    /// Of `points` of a sale what has come back once `refunded` of its `total` was given back:
    /// floor(points × refunded ÷ total), all of them at the end. A sale that points paid whole returns them
    /// with its last goods.
    ///
    /// - Parameters:
    ///   - points: earned or spent in the sale, 0 or more.
    ///   - refunded: minor units of all refunds so far, from 0 to `total`.
    ///   - isComplete: whether all goods came back.
    package static func returned(
        of points: Int64, refunded: Int64, total: Int64, isComplete: Bool
    ) -> Int64 {
        guard points > 0, !isComplete else { return max(0, points) }
        guard total > 0, refunded > 0 else { return 0 }
        let part = min(refunded, total)
        return Int64(
            clamping: total.magnitude.dividingFullWidth(
                points.magnitude.multipliedFullWidth(by: part.magnitude)
            ).quotient)
    }
}

extension MoneyRange {
    /// `amount` spread over `weights` in proportion, by largest remainder: the parts add up to it, and a part
    /// is at most its weight as long as `amount` is at most their sum.
    ///
    /// - Parameters:
    ///   - amount: 0 or more, and 0 where no weight is positive.
    ///   - weights: minor units; one below zero counts as zero.
    package static func parts(of amount: Int64, over weights: [Int64]) throws(PricingError) -> [Int64] {
        let weights = weights.map { max(0, $0) }
        let whole = try sum(weights)
        guard amount >= 0 else { throw .negativeAmount(amount) }
        guard whole > 0 else {
            guard amount == 0 else { throw .overflow }
            return weights
        }
        guard amount <= whole else { throw .overflow }
        var parts: [Int64] = []
        var remainders: [(place: Int, remainder: UInt64)] = []
        for (place, weight) in weights.enumerated() {
            let (quotient, remainder) = whole.magnitude.dividingFullWidth(
                amount.magnitude.multipliedFullWidth(by: weight.magnitude))
            parts.append(Int64(clamping: quotient))
            remainders.append((place, remainder))
        }
        // Equal remainders go by the order of the lines, so that every terminal spreads alike.
        remainders.sort { ($1.remainder, $0.place) < ($0.remainder, $1.place) }
        for (place, _) in remainders.prefix(Int(amount - parts.reduce(0, +))) { parts[place] += 1 }
        return parts
    }
}
