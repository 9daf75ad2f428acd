package import Pricing

/// The response of `POST /v1/promotions/evaluate` (http.md section 6):
/// `{"discount","lines":[{"discount","offers":[{"promotionId","name","coupon","amount"}]}],
/// "coupons":[{"code","outcome":"taken|refused","reason","leased"}]}`, lines and coupons as many and in the
/// order of the query, every amount an integer of minor units; `leased` is missing where it is not true.
package struct ReductionsShape: Hashable, Sendable {
    /// Of each line what is taken off it, in order.
    package let lines: [[Reductions.Part]]
    /// The result of each coupon of the request, in the same order.
    package let coupons: [Reductions.CouponResponse]

    /// The result of the hub's own evaluation.
    package init(_ reductions: Reductions) {
        lines = reductions.lines
        coupons = reductions.coupons
    }

    /// Reads the response; a reason that this version does not have becomes `nothingToTakeOff`. Throws
    /// ``ShapeError``.
    package init(json: JSONValue) throws(ShapeError) {
        var lines: [[Reductions.Part]] = []
        for line in try json.requiredArray("lines") {
            var parts: [Reductions.Part] = []
            for offer in try line.requiredArray("offers") { parts.append(try Self.part(offer)) }
            lines.append(parts)
        }
        self.lines = lines
        var coupons: [Reductions.CouponResponse] = []
        for coupon in try json.requiredArray("coupons") { coupons.append(try Self.coupon(coupon)) }
        self.coupons = coupons
    }

    /// The response; its sums are computed from the parts.
    package var json: JSONValue {
        [
            "discount": .integer(lines.joined().reduce(0) { $0 + $1.amount }),
            "lines": .array(lines.map(Self.line)), "coupons": .array(coupons.map(Self.coupon)),
        ]
    }

    private static func line(_ parts: [Reductions.Part]) -> JSONValue {
        [
            "discount": .integer(parts.reduce(0) { $0 + $1.amount }),
            "offers": .array(
                parts.map { part in
                    [
                        "promotionId": .string(part.promotionId), "name": .string(part.name),
                        "coupon": JSONValue(part.coupon), "amount": .integer(part.amount),
                    ]
                }),
        ]
    }

    private static func part(_ json: JSONValue) throws(ShapeError) -> Reductions.Part {
        Reductions.Part(
            promotionId: try json.requiredString("promotionId"), name: try json.requiredString("name"),
            coupon: try json.optionalString("coupon"),
            amount: try json.requiredInteger("amount", in: 1...(1 << 53 - 1)))
    }

    private static func coupon(_ response: Reductions.CouponResponse) -> JSONValue {
        var members: JSONObject = [
            "code": .string(response.code), "outcome": response.objection == nil ? "taken" : "refused",
            "reason": JSONValue(response.objection?.rawValue),
        ]
        if response.isLeased { members["leased"] = true }
        return .object(members)
    }

    private static func coupon(_ json: JSONValue) throws(ShapeError) -> Reductions.CouponResponse {
        let code = try json.requiredString("code")
        switch try json.requiredString("outcome") {
        case "taken":
            return Reductions.CouponResponse(
                code: code, objection: nil, isLeased: json["leased"] == true)
        case "refused":
            // A newer hub's reason is not known here; it still means that the coupon gives nothing.
            let reason = try json.requiredString("reason")
            return Reductions.CouponResponse(
                code: code, objection: CouponObjection(rawValue: reason) ?? .nothingToTakeOff)
        case _: throw ShapeError(path: "outcome", expected: "taken or refused")
        }
    }
}
