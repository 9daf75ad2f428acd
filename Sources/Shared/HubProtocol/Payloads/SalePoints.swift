/// What a sale does to its member's points (docs/concepts/offers-and-people.md): the member `points` of
/// `order.completed`.
package struct SalePoints: Fact {
    /// Points that the sale earns, 0 or more.
    package private(set) var earned: Int64
    /// Points that pay a part of it, 0 or more.
    package private(set) var spent: Int64
    /// Minor units that the spent points take off.
    package private(set) var value: Int64

    package init(earned: Int64, spent: Int64, value: Int64) {
        self.earned = earned
        self.spent = spent
        self.value = value
    }

    /// What the member's balance changes by.
    package var delta: Int64 { earned - spent }

    package init() { self.init(earned: 0, spent: 0, value: 0) }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("earned", &earned, in: PayloadRange.count)
        try m.number("spent", &spent, in: PayloadRange.count)
        try m.number("value", &value, in: PayloadRange.count)
    }
}

/// What a void or a refund gives back of a sale's points: the member `points` of `order.voided` and
/// `refund.completed`.
package struct ReturnedPoints: Fact {
    /// Earned points that the member loses again.
    package private(set) var earnedReturned: Int64
    /// Spent points that the member gets back.
    package private(set) var spentReturned: Int64

    package init(earnedReturned: Int64, spentReturned: Int64) {
        self.earnedReturned = earnedReturned
        self.spentReturned = spentReturned
    }

    /// What the member's balance changes by.
    package var delta: Int64 { spentReturned - earnedReturned }

    package init() { self.init(earnedReturned: 0, spentReturned: 0) }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("earnedReturned", &earnedReturned, in: PayloadRange.count)
        try m.number("spentReturned", &spentReturned, in: PayloadRange.count)
    }
}

/// Bounds of numbers in payloads.
package enum PayloadRange {
    /// One amount in minor units, or a count.
    package static let count: ClosedRange<Int64> = 0...1_000_000_000_000
    /// The same for amounts that may be negative, as a difference of counted cash.
    package static let difference: ClosedRange<Int64> = -1_000_000_000_000...1_000_000_000_000
    /// What one adjustment of a member's points may add or take off: ninety of the largest stay within what a
    /// balance can be.
    package static let points: ClosedRange<Int64> = -100_000_000_000_000...100_000_000_000_000
    /// A sum of a shift: a thousand of the largest amounts. Five of them together are still an integer that
    /// every reader of JSON holds.
    package static let sum: ClosedRange<Int64> = -1_000_000_000_000_000...1_000_000_000_000_000
    /// A sum that is not negative.
    package static let total: ClosedRange<Int64> = 0...1_000_000_000_000_000
}
