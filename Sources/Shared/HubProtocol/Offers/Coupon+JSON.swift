import Base
package import Pricing

/// A `coupon` of the change feed: the columns of the import file in camelCase, and `uses`, which the hub
/// counts. Times are RFC 3339.
extension Coupon {
    /// Reads the value of a `coupon`. What is missing is the least: no member, no limit, no use, no end, not
    /// offline. Throws ``ShapeError``.
    package init(json: JSONValue) throws(ShapeError) {
        self.init(
            code: try json.requiredString("code"), promotionId: try json.requiredString("promotionId"),
            memberId: json["memberId"]?.string,
            maximumUses: try json.optionalInteger("maxUses", in: 0...(1 << 53 - 1)),
            uses: try json.optionalInteger("uses", in: JSONValue.exactIntegers) ?? 0,
            expiresAt: try json.optionalMoment("expiresAt"), worksOffline: json["offline"]?.bool ?? false)
    }

    /// The value of a `coupon`; nil is written as `null`.
    package var json: JSONValue {
        [
            "code": .string(code), "promotionId": .string(promotionId), "memberId": JSONValue(memberId),
            "maxUses": JSONValue(maximumUses), "uses": .integer(uses),
            "expiresAt": JSONValue(expiresAt.map(Timestamp.text)), "offline": .bool(worksOffline),
        ]
    }
}
