import HubProtocol

/// What members have and spent, kept beside the ``Book`` by arithmetic of its own.
@MainActor
final class MemberBook {
    /// A code that a few sales may use, each for a tenth off.
    struct Coupon {
        let code: String
        /// How many sales.
        let uses: Int
    }

    /// What one sale did.
    struct Deed {
        let member: String
        let points: SalePoints?
        let coupon: String?
    }

    let members: [String]
    let coupons: [Coupon]
    /// By the sale's key; of a void sale nothing.
    private var deeds: [String: Deed] = [:]
    /// What voids took back that members may have spent before.
    private var takenBack: [String: Int64] = [:]

    init(count: Int) {
        members = (0..<count).map { "M\($0 + 1)" }
        coupons = (0..<count).map { Coupon(code: "TENTH-OFF-\($0 + 1)", uses: 3) }
    }

    /// Points of each member on the first day.
    static let begin: Int64 = 800
    /// Minor units of a sale that earn a point.
    static let earnEvery: Int64 = 100
    /// What a coupon takes off, as a part of 100.
    static let percent: Int64 = 10

    /// What the hub imports.
    var lists: [(kind: String, text: String)] {
        [
            (
                "members",
                members.indices.reduce("id,phone,name,points,tier\n") {
                    "\($0)\(members[$1]),\(4_900_000 + $1),Name \($1),\(Self.begin),\n"
                }
            ),
            (
                "promotions",
                "id,name,kind,percent_basis_points,offline\nP1,A tenth off,percent,\(Self.percent * 100),true\n"
            ),
            (
                "coupons",
                coupons.reduce("code,promotion_id,max_uses,offline\n") {
                    "\($0)\($1.code),P1,\($1.uses),true\n"
                }
            ),
        ]
    }

    func add(_ deed: Deed, _ key: String) { deeds[key] = deed }
    func void(_ key: String) {
        guard let deed = deeds.removeValue(forKey: key) else { return }
        takenBack[deed.member, default: 0] += deed.points?.earned ?? 0
    }

    func has(_ key: String) -> Bool { deeds[key] != nil }

    /// What a member has after all sales.
    func balance(of member: String) -> Int64 {
        deeds.values.reduce(Self.begin) { $1.member == member ? $0 + ($1.points?.delta ?? 0) : $0 }
    }

    /// The first that was used too often: points of a member, or a code; nil: nothing was.
    var overspent: String? {
        if let member = members.first(where: { balance(of: $0) + takenBack[$0, default: 0] < 0 }) {
            return "\(member) has \(balance(of: member)) points"
        }
        for coupon in coupons {
            let uses = deeds.values.count { $0.coupon == coupon.code }
            if uses > coupon.uses { return "\(coupon.code) was used \(uses) times" }
        }
        return nil
    }
}
