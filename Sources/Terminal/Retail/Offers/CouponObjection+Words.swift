internal import Pricing

extension CouponObjection {
    /// The message to the cashier about a coupon that takes nothing off: why, and what to do next.
    func message(of code: String) -> String {
        switch self {
        case .unknown: "Nobody knows the coupon \(code); check the code, or sell without it."
        case .repeated: "The coupon \(code) is in the sale twice; take one of them away."
        case .expired: "The coupon \(code) has expired; sell without it."
        case .otherMember:
            "The coupon \(code) is for one member only; name that member with the sale, or sell without it."
        case .usedUp: "The coupon \(code) is used up; sell without it."
        case .needsHub:
            "The coupon \(code) needs the hub, which is not available now; sell without it, or later."
        case .notInForce: "What the coupon \(code) gives is not given now; sell without it."
        case .nothingToTakeOff:
            "Nothing in the sale is what the coupon \(code) is for; scan that article, or sell without it."
        }
    }
}
