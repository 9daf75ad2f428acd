public import HubProtocol
public import Pricing

/// Whether coupons give it is decided by the coupons: an import of promotions leaves that as it is.
extension Promotion: ImportedEntity {
    public var key: EntityKey { EntityKey("promotion", id) }

    public func value(over known: JSONValue?) -> JSONValue {
        var fields = json.object ?? [:]
        fields["needsCoupon"] = .bool(known?["needsCoupon"]?.bool ?? false)
        return .object(fields)
    }
}

/// A coupon's uses are counted by sales: an import of coupons leaves them as they are. A promotion that a
/// coupon once named goes on to need one, also when the coupon names another later, so that nobody gets it
/// by accident.
extension Coupon: ImportedEntity {
    public var key: EntityKey { EntityKey("coupon", code) }
    public var basis: EntityKey? { EntityKey("promotion", promotionId) }

    public func value(over known: JSONValue?) -> JSONValue {
        var fields = json.object ?? [:]
        fields["uses"] = .integer(known?["uses"]?.integer ?? 0)
        return .object(fields)
    }

    public func basisValue(over known: JSONValue) -> JSONValue {
        var fields = known.object ?? [:]
        fields["needsCoupon"] = true
        return .object(fields)
    }
}
