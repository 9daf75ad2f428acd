import Pricing
import Testing

/// When, for whom and beside which others promotions are given.
@Suite("Terms of promotions")
struct OfferTermsTests {
    private static let tea = Basket.Line(
        sku: "TEA", department: "drinks", quantityMilli: 2_000, price: 6_000)
    private static let rice = Basket.Line(
        sku: "RICE", department: "food", quantityMilli: 1_000, price: 4_000)

    private func taken(
        _ promotions: [Promotion], from lines: [Basket.Line] = [tea, rice],
        membership: Basket.Membership? = nil,
        coupons: [String] = []
    ) throws -> Reductions {
        let known = promotions.filter(\.needsCoupon).map { promotion in
            Coupon(
                code: "C-" + promotion.id, promotionId: promotion.id, memberId: nil, maximumUses: nil,
                uses: 0, expiresAt: nil, worksOffline: true)
        }
        return try Offers(promotions: promotions, coupons: known).reductions(
            for: Basket(
                lines: lines, coupons: coupons, memberId: nil, membership: membership, moment: 0,
                isOffline: false))
    }

    private func ids(_ cut: Reductions) -> Set<String> { Set(cut.lines.joined().map(\.promotionId)) }

    @Test(
        "an amount or a percentage comes off from a threshold on, to the unit, spread over the lines")
    func thresholds() throws {
        let ten = drawn("T", .amount(1_000), minimumAmount: 10_000)
        #expect(try taken([ten]).amounts == [[600], [400]])
        #expect(try taken([ten], from: [Self.tea]).amounts == [[]])
        let below = Basket.Line(sku: "RICE", department: "food", quantityMilli: 1_000, price: 3_999)
        #expect(try taken([ten], from: [Self.tea, below]).amounts == [[], []])
        // 10 % of 100.03 is 10.00, spread over three lines; rounded line by line it would be 10.02.
        let odd = [3_335, 3_335, 3_333].enumerated().map { place, price in
            Basket.Line(sku: "S\(place)", department: "", quantityMilli: 1_000, price: price)
        }
        let percent = drawn("T", .percent(basisPoints: 1_000), minimumAmount: 10_000)
        #expect(try taken([percent], from: odd).total == 1_000)
        // What is left counts, not what the goods cost before.
        let first = drawn("A", .amount(1))
        #expect(try taken([ten, first]).total == 1)
        // Only what the promotion reaches counts.
        #expect(
            try taken([drawn("T", .amount(1_000), department: "drinks", minimumAmount: 6_001)]).total == 0
        )
    }

    @Test("a bundle of an amount comes off for each full one") func bundles() throws {
        #expect(try taken([drawn("T", .bundle(100), minimumAmount: 3_000)]).total == 300)
        #expect(
            try taken([drawn("T", .bundle(100), minimum: 2_000, minimumAmount: 3_000)]).total == 100)
    }

    @Test("a price is what a unit costs at most, and comes before all others") func prices() throws {
        let price = drawn("Z", .price(2_500), sku: "TEA")
        #expect(try taken([price]).amounts == [[1_000], []])
        #expect(try taken([drawn("Z", .price(3_500), sku: "TEA")]).amounts == [[], []])
        #expect(
            try taken([drawn("A", .percent(basisPoints: 1_000), sku: "TEA"), price]).amounts == [
                [1_000, 500], [],
            ])
        #expect(try taken([drawn("Z", .price(MoneyRange.maximum), sku: "TEA")]).total == 0)
    }

    @Test("members alone get what is for members, and a tier what is for it") func members() throws {
        let all = drawn("A", .amount(1), audience: .members)
        let gold = drawn("G", .amount(2), audience: .tiers(["gold", "silver"]))
        #expect(try taken([all, gold]).total == 0)
        #expect(try taken([all, gold], membership: .init(tier: nil)).total == 1)
        #expect(try taken([all, gold], membership: .init(tier: "gold")).total == 3)
        #expect(try taken([all, gold], membership: .init(tier: "Gold")).total == 1)
        let coupon = drawn("K", .amount(5), needsCoupon: true, audience: .members)
        #expect(try taken([coupon], coupons: ["C-K"]).coupons.map(\.objection) == [.membersOnly])
        #expect(try taken([coupon], membership: .init(tier: nil), coupons: ["C-K"]).total == 5)
    }

    @Test("of a group a sale gets the one with which the most comes off") func groups() throws {
        let (low, high) = (
            drawn("A", .amount(500), competition: .group("g")),
            drawn("B", .percent(basisPoints: 600), competition: .group("g"))
        )
        #expect(try ids(taken([low, high])) == ["B"])
        #expect(try ids(taken([low, high], from: [Self.tea])) == ["A"])
        #expect(try ids(taken([low, high, drawn("C", .amount(1))])) == ["B", "C"])
        #expect(try ids(taken([low, drawn("B", .amount(500), competition: .group("g"))])) == ["A"])
        // The one that takes less now may leave enough for a threshold.
        let threshold = drawn("T", .amount(3_000), minimumAmount: 9_450)
        #expect(try ids(taken([low, high, threshold])) == ["A", "T"])
    }

    @Test("an exclusive promotion is given alone, where more comes off than by the others together")
    func exclusive() throws {
        let others = [drawn("A", .amount(500)), drawn("B", .amount(500))]
        #expect(try ids(taken(others + [drawn("X", .amount(1_001), competition: .exclusive)])) == ["X"])
        #expect(
            try ids(taken(others + [drawn("X", .amount(1_000), competition: .exclusive)])) == ["A", "B"])
        let (less, more) = (
            drawn("X", .amount(1), competition: .exclusive),
            drawn("Y", .amount(2), competition: .exclusive)
        )
        #expect(try ids(taken([less, more])) == ["Y"])
    }

    @Test("a coupon that does not go together with more is refused, and said to be")
    func couponsCompete() throws {
        let better = drawn("B", .amount(900), competition: .group("g"))
        let coupon = drawn("K", .amount(100), needsCoupon: true, competition: .group("g"))
        let plain = drawn("P", .amount(5), needsCoupon: true)
        let cut = try taken([better, coupon, plain], coupons: ["C-K", "C-P"])
        #expect(cut.coupons.map(\.objection) == [.notCombined, nil])
        #expect(cut.total == 905)
        let large = drawn("K", .amount(1_000), needsCoupon: true, competition: .group("g"))
        #expect(try taken([better, large], coupons: ["C-K"]).total == 1_000)
        let useless = drawn("K", .amount(9), sku: "SALT", needsCoupon: true, competition: .exclusive)
        #expect(
            try taken([better, useless], coupons: ["C-K"]).coupons.map(\.objection) == [.nothingToTakeOff]
        )
    }

    @Test("amounts that money cannot hold are refused and never wrap") func overflow() {
        let line = Basket.Line(
            sku: "A", department: "", quantityMilli: 1_000, price: MoneyRange.maximum)
        #expect(throws: PricingError.overflow) {
            try taken([drawn("T", .amount(1), minimumAmount: 5)], from: [line, line])
        }
    }
}

extension Reductions {
    var amounts: [[Int64]] { lines.map { $0.map(\.amount) } }
    var total: Int64 { lines.joined().reduce(0) { $0 + $1.amount } }
}

/// A promotion for tests, everything by default left out.
func drawn(
    _ id: String, _ reduction: Promotion.Reduction, sku: String? = nil, department: String? = nil,
    minimum: Int64 = 0, needsCoupon: Bool = false, minimumAmount: Int64 = 0,
    hours: WeeklyHours? = nil,
    audience: Promotion.Audience = .everyone, competition: Promotion.Competition = .none
) -> Promotion {
    Promotion(
        id: id, name: "name of \(id)", reduction: reduction, sku: sku, department: department,
        minimumQuantityMilli: minimum, startsAt: nil, endsAt: nil, worksOffline: true,
        needsCoupon: needsCoupon, minimumAmount: minimumAmount, hours: hours, audience: audience,
        competition: competition)
}
