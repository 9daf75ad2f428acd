package import HubProtocol

/// A coupon of the chain as the change feed shows one: the fields of its import, and how many sales took it.
package struct CouponState: Hashable, Sendable {
    /// As it goes into the change feed, with `uses` as they were last counted.
    package let value: JSONValue
    /// Sales and redemptions less those that were voided, from 0 on.
    package let uses: Int64
    /// Nil: any number.
    private let maximumUses: Int64?

    private static let usesKey = "uses"

    /// - Parameter value: the coupon's value in the feed.
    package init(_ value: JSONValue) {
        self.value = value
        uses = value[Self.usesKey]?.integer ?? 0
        maximumUses = value["maxUses"]?.integer
    }

    /// Whether sales took it more often than its import allows; false for a coupon without a limit.
    package var isOverused: Bool { maximumUses.map { uses > $0 } ?? false }

    /// Uses that are left, below zero for one that is overused; nil for a coupon without a limit, and for one
    /// that is not for use without the hub.
    package var usesLeft: Int64? {
        guard value["offline"]?.bool == true else { return nil }
        return maximumUses.map { Merging.add(-uses, to: $0) ?? 0 }
    }

    /// `commutative_delta`: the uses with `delta` added, never fewer than none: a sale that was accepted
    /// before the coupon was known did not count, and gives nothing back.
    package func counted(_ delta: Int64) -> CouponState {
        var fields = value.object ?? [:]
        let sum = min(Merging.add(delta, to: uses) ?? uses, JSONValue.exactIntegers.upperBound)
        fields[Self.usesKey] = .integer(max(0, sum))
        return CouponState(.object(fields))
    }
}
