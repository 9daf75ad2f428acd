package import HubProtocol
package import Pricing

/// Whether coupons give it is decided by the coupons: an import of promotions leaves that as it is.
extension Promotion: ImportedEntity {
    package var key: EntityKey { EntityKey("promotion", id) }
    /// The promotion's one store; empty for one of every store.
    package var audience: String { storeId ?? "" }

    /// The record's fields, with `needsCoupon` as it was; false for a new promotion.
    package func value(over known: JSONValue?) -> JSONValue {
        var fields = json.object ?? [:]
        fields["needsCoupon"] = .bool(known?["needsCoupon"]?.bool ?? false)
        return .object(fields)
    }
}

/// A coupon's uses are counted by sales: an import of coupons leaves them as they are. A promotion that a
/// coupon once named goes on to need one, also when the coupon names another later, so that nobody gets it
/// by accident.
extension Coupon: ImportedEntity {
    /// Entity `coupon`, by the code as the file has it.
    package var key: EntityKey { EntityKey("coupon", code) }
    /// The promotion that the coupon gives; the hub or the same import has to have it.
    package var basis: EntityKey? { EntityKey("promotion", promotionId) }

    /// The record's fields, with `uses` as they were counted; 0 for a new coupon.
    package func value(over known: JSONValue?) -> JSONValue {
        var fields = json.object ?? [:]
        fields["uses"] = .integer(known?["uses"]?.integer ?? 0)
        return .object(fields)
    }

    /// Marks the promotion as one that needs a coupon; no import takes the mark off again.
    package func basisValue(over known: JSONValue) -> JSONValue {
        var fields = known.object ?? [:]
        fields["needsCoupon"] = true
        return .object(fields)
    }
}
