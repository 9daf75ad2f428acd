/// What a sale does to its member's points (docs/concepts/offers-and-people.md): the member `points` of
/// `order.completed`.
package struct SalePoints: Hashable, Sendable {
    /// Points that the sale earns, 0 or more.
    package let earned: Int64
    /// Points that pay a part of it, 0 or more.
    package let spent: Int64
    /// Minor units that the spent points take off.
    package let value: Int64

    package init(earned: Int64, spent: Int64, value: Int64) {
        self.earned = earned
        self.spent = spent
        self.value = value
    }

    /// What the member's balance changes by.
    package var delta: Int64 { earned - spent }

    /// Reads the member `points`; each number is from 0 to 10^12.
    package init(json: JSONValue) throws(ShapeError) {
        self.init(
            earned: try json.requiredInteger("earned", in: PayloadRange.count),
            spent: try json.requiredInteger("spent", in: PayloadRange.count),
            value: try json.requiredInteger("value", in: PayloadRange.count))
    }

    /// The member as a sale is written with it.
    package var canonical: CanonicalObject {
        var members = CanonicalObject(capacity: 48)
        members.add("earned", earned)
        members.add("spent", spent)
        members.add("value", value)
        return members
    }
}

/// What a void or a refund gives back of a sale's points: the member `points` of `order.voided` and
/// `refund.completed`.
package struct ReturnedPoints: Hashable, Sendable {
    /// Earned points that the member loses again.
    package let earnedReturned: Int64
    /// Spent points that the member gets back.
    package let spentReturned: Int64

    package init(earnedReturned: Int64, spentReturned: Int64) {
        self.earnedReturned = earnedReturned
        self.spentReturned = spentReturned
    }

    /// What the member's balance changes by.
    package var delta: Int64 { spentReturned - earnedReturned }

    /// Reads the member `points`; each number is from 0 to 10^12.
    package init(json: JSONValue) throws(ShapeError) {
        self.init(
            earnedReturned: try json.requiredInteger("earnedReturned", in: PayloadRange.count),
            spentReturned: try json.requiredInteger("spentReturned", in: PayloadRange.count))
    }

    /// The member as a void or a refund is written with it.
    package var canonical: CanonicalObject {
        var members = CanonicalObject(capacity: 48)
        members.add("earnedReturned", earnedReturned)
        members.add("spentReturned", spentReturned)
        return members
    }
}

/// Bounds of numbers in payloads.
package enum PayloadRange {
    /// One amount in minor units, or a count.
    package static let count: ClosedRange<Int64> = 0...1_000_000_000_000
    /// The same for amounts that may be negative, as a difference of counted cash.
    package static let difference: ClosedRange<Int64> = -1_000_000_000_000...1_000_000_000_000
    /// A sum of a shift: a thousand of the largest amounts. Five of them together are still an integer that
    /// every reader of JSON holds.
    package static let sum: ClosedRange<Int64> = -1_000_000_000_000_000...1_000_000_000_000_000
    /// A sum that is not negative.
    package static let total: ClosedRange<Int64> = 0...1_000_000_000_000_000
}
