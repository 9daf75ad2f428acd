import Base
package import Pricing

/// A `promotion` of the change feed: the columns of the import file in camelCase, and `needsCoupon`, which
/// the hub notes of those that coupons name. Times are RFC 3339. The members of ``PromotionTerms`` are
/// missing where they say nothing.
extension Promotion {
    /// The kind of ``Reduction``; the raw value is the text in feed and import file.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case percent
        case amount
        case bundle
        case price
    }

    /// Reads the value of a `promotion`. Throws ``ShapeError`` without `id`, or for a kind, share or amount
    /// out of range.
    package init(json: JSONValue) throws(ShapeError) {
        guard let kind = Kind(rawValue: try json.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "percent, amount, bundle or price")
        }
        self.init(
            id: try json.requiredString("id"), name: TextBound.shown(json["name"]?.string ?? ""),
            reduction: try Self.reduction(kind, in: json), sku: json["sku"]?.string,
            department: json["department"]?.string,
            minimumQuantityMilli: try json.optionalInteger("minQuantityMilli", in: 0...(1 << 53 - 1)) ?? 0,
            startsAt: try json.optionalMoment("startsAt"), endsAt: try json.optionalMoment("endsAt"),
            worksOffline: json["offline"]?.bool ?? false, needsCoupon: json["needsCoupon"]?.bool ?? false,
            storeId: try json.optionalString("storeId"),
            minimumAmount: try json.optionalInteger(PromotionTerms.minimumAmount, in: 0...(1 << 53 - 1)) ?? 0,
            hours: try PromotionTerms.hours(in: json), audience: try PromotionTerms.audience(in: json),
            competition: try PromotionTerms.competition(in: json))
    }

    /// The value of a `promotion`: `percentBasisPoints` or `amountMinor` is `null`, depending on ``kind``.
    /// `storeId` is left out of one for every store, so that it is the same document as in versions without
    /// it.
    package var json: JSONValue {
        let (percent, amount): (Int64?, Int64?) =
            switch reduction {
            case .percent(let basisPoints): (basisPoints, nil)
            case .amount(let amount), .bundle(let amount), .price(let amount): (nil, amount)
            }
        var members: JSONObject = [
            "id": .string(id), "name": .string(name), "kind": .string(kind.rawValue), "sku": JSONValue(sku),
            "department": JSONValue(department), "percentBasisPoints": JSONValue(percent),
            "amountMinor": JSONValue(amount), "minQuantityMilli": .integer(minimumQuantityMilli),
            "startsAt": JSONValue(startsAt.map(Timestamp.text)),
            "endsAt": JSONValue(endsAt.map(Timestamp.text)),
            "offline": .bool(worksOffline), "needsCoupon": .bool(needsCoupon),
        ]
        if let storeId { members["storeId"] = .string(storeId) }
        for (key, value) in PromotionTerms.members(of: self) { members[key] = value }
        return .object(members)
    }

    /// Follows from ``reduction``.
    package var kind: Kind {
        switch reduction {
        case .percent: .percent
        case .amount: .amount
        case .bundle: .bundle
        case .price: .price
        }
    }

    private static func reduction(_ kind: Kind, in json: JSONValue) throws(ShapeError) -> Reduction {
        switch kind {
        case .percent:
            .percent(basisPoints: try json.requiredInteger("percentBasisPoints", in: 1...10_000))
        case .amount: .amount(try json.requiredInteger("amountMinor", in: 1...(1 << 53 - 1)))
        case .bundle: .bundle(try json.requiredInteger("amountMinor", in: 1...(1 << 53 - 1)))
        case .price: .price(try json.requiredInteger("amountMinor", in: 1...(1 << 53 - 1)))
        }
    }
}
