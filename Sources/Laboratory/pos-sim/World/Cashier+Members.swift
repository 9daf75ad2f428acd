import AgentAPI
import Base
import HubProtocol

/// Sales of members: points and coupons, with and without the hub.
extension Cashier {
    /// Sells a basket to a member, who may pay with points, and may have a coupon.
    func sellToMember() async {
        let place = Int(draw.below(UInt64(world.members.members.count)))
        let basket = basket()
        var call = call(basket, key: key())
        call.memberId = world.members.members[place]
        if draw.below(2) == 0 { call.points = 1 + Int64(draw.below(300)) }
        if draw.below(3) == 0 { call.coupons = [world.members.coupons[place].code] }
        var outcome = await insist(call)
        // Other tills return what it lacks within half a minute, where the hub reaches them.
        if case .refused("points_unavailable") = outcome, draw.below(2) == 0 {
            await pause(40)
            outcome = await insist(call)
        }
        switch outcome {
        case .done(let response)?: note(response.sale, of: basket, call)
        case .refused(let code)? where Self.ofMembers.contains(code):
            world.trace.note(till.name, "sale refused \(code)")
        case .refused(let code)?: world.checks.refused("a sale", code, at: till)
        case .unknown?, nil: break
        }
    }

    private static let ofMembers: Set = ["points_unavailable", "points_above_total", "coupon_refused"]

    /// What is taken off a sale is what its points are worth and its coupon gives; all else is a wrong sum.
    func expectedTotal(_ sale: SaleRecord, of basket: Basket, _ call: SellCall) -> Int64 {
        let whole = total(sale.lines, of: basket, sale.orderNumber)
        let offered = sale.lines.reduce(0) { $0 + $1.offers.reduce(0) { $0 + $1.amount } }
        let paid = sale.lines.reduce(0) { $0 + $1.pointsValue }
        let tenth = call.coupons.isEmpty ? 0 : (whole * MemberBook.percent + 50) / 100
        if abs(offered - tenth) > Int64(basket.count) {
            world.fail("sums to the cent", "\(sale.orderNumber): a coupon takes \(offered) off \(whole)")
        }
        if paid != call.points ?? 0 || sale.points?.spent ?? 0 != paid {
            world.fail("sums to the cent", "\(sale.orderNumber): points pay \(paid), not \(call.points ?? 0)")
        }
        let total = whole - offered - paid
        if call.memberId != nil, sale.points?.earned ?? 0 != total / MemberBook.earnEvery {
            world.fail(
                "sums to the cent", "\(sale.orderNumber) earns \(sale.points?.earned ?? 0) of \(total)")
        }
        return total
    }

    /// Keeps what a sale did to its member.
    func noteMember(_ sale: SaleRecord, _ call: SellCall) {
        guard let member = call.memberId else { return }
        world.members.add(
            .init(member: member, points: sale.points, coupon: call.coupons.first), sale.key)
        world.checks.lookAtPoints()
    }
}
