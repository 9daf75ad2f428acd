import HubCore
import HubProtocol
import Pricing
import Testing

@Suite("EntityPlan")
struct EntityPlanTests {
    private func member(_ id: String, _ profile: JSONObject, points: Int64 = 0) -> MemberEntry {
        MemberEntry(id: id, profile: profile, openingPoints: points)
    }

    private func promotion(_ id: String) -> Promotion {
        Promotion(
            id: id, name: id, reduction: .amount(5), sku: nil, department: nil, minimumQuantityMilli: 0,
            startsAt: nil, endsAt: nil, worksOffline: false, needsCoupon: false)
    }

    private func coupon(_ code: String, of promotion: String) -> Coupon {
        Coupon(
            code: code, promotionId: promotion, memberId: nil, maximumUses: 2, uses: 0, expiresAt: nil,
            worksOffline: true)
    }

    private func values(_ plan: EntityPlan) -> [JSONValue] { plan.written.compactMap(\.value) }

    @Test("A member is written field by field, and opens with points only without a profile")
    func members() {
        let known: [EntityKey: JSONValue] = [
            EntityKey("member", "points"): ["points": 7],
            EntityKey("member", "known"): ["name": "Li", "newer": 1, "phone": "1", "points": -3],
            EntityKey("member", "same"): ["name": "Wang", "points": 9],
        ]
        let plan = EntityPlan(
            [
                member("new", ["name": "Wu", "phone": .null], points: 5),
                member("points", ["name": "Zhao"], points: 5),
                member("known", ["name": "Li Na", "phone": .null], points: 5),
                member("same", ["name": "Wang"], points: 5),
            ], beside: known)
        #expect(
            values(plan) == [
                ["name": "Wu", "points": 5], ["name": "Zhao", "points": 12],
                ["name": "Li Na", "newer": 1, "points": -3],
            ])
        #expect(plan.counts == (new: 1, changed: 2, unchanged: 1))
        #expect(plan.objection == nil)
    }

    @Test("Points that cannot be counted are refused at their place")
    func overflow() {
        let known: [EntityKey: JSONValue] = [
            EntityKey("member", "m"): ["points": .integer(MemberState.range.upperBound)]
        ]
        let plan = EntityPlan(
            [member("n", ["name": "N"]), member("m", ["name": "M"], points: 1)], beside: known)
        #expect(plan.objection?.place == 1)
    }

    @Test("Coupons mark their promotions first, and keep their uses; promotions keep the mark")
    func coupons() {
        let known: [EntityKey: JSONValue] = [
            EntityKey("promotion", "p"): promotion("p").json,
            EntityKey("coupon", "old"): coupon("old", of: "p").json.with("uses", 4).with("maxUses", 9),
        ]
        let list = [coupon("new", of: "p"), coupon("old", of: "p")]
        #expect(EntityPlan.keys(of: list).count == 3)
        let plan = EntityPlan(list, beside: known)
        #expect(
            values(plan) == [
                promotion("p").json.with("needsCoupon", true), coupon("new", of: "p").json,
                coupon("old", of: "p").json.with("uses", 4),
            ])
        #expect(plan.counts == (new: 1, changed: 1, unchanged: 0))
        let marked = promotion("p").json.with("needsCoupon", true)
        let again = EntityPlan([promotion("p")], beside: [EntityKey("promotion", "p"): marked])
        #expect(again.written.isEmpty)
    }

    @Test("A coupon marks the promotion of one store in that store alone")
    func storePromotion() {
        let known: [EntityKey: JSONValue] = [
            EntityKey("promotion", "p"): ["id": "p", "storeId": "S1", "needsCoupon": false]
        ]
        let plan = EntityPlan([coupon("A", of: "p")], beside: known)
        #expect(plan.written.map(\.audience) == ["S1", ""])
    }

    @Test("A coupon of an unknown promotion is refused at its place")
    func unknownPromotion() {
        let known = [EntityKey("promotion", "p"): promotion("p").json]
        let plan = EntityPlan([coupon("a", of: "p"), coupon("b", of: "q")], beside: known)
        #expect(plan.objection?.place == 1)
        #expect(plan.objection?.message.contains("import promotions first") == true)
    }

    @Test("Each record that is in the list twice is refused at its place, up to the most that are reported")
    func twice() {
        let plan = EntityPlan([promotion("p"), promotion("p"), promotion("q"), promotion("p")], beside: [:])
        #expect(plan.objections.map(\.place) == [1, 3])
        let many = EntityPlan((0...30).map { _ in promotion("p") }, beside: [:])
        #expect(many.objections.map(\.place) == Array(1...ImportObjection.most))
    }
}

extension JSONValue {
    fileprivate func with(_ key: String, _ value: JSONValue) -> JSONValue {
        var fields = object ?? [:]
        fields[key] = value
        return .object(fields)
    }
}
