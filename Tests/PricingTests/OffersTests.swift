import Base
import Pricing
import Testing

@Suite struct OffersTests {
    @Test("a percentage is rounded half away from zero once per line, of the lines that it reaches")
    func percent() throws {
        let cut = try reductions(
            [promotion("P", .percent(basisPoints: 1_000), sku: "TEA")],
            lines: [line("TEA", price: 1_005), line("RICE", price: 1_005), line("TEA", price: 4)])
        #expect(amounts(cut) == [[101], [], []])
        #expect(cut.lines[0].first?.name == "name of P")
    }

    @Test("an amount comes off a sale once, spread by what the lines cost, to the unit") func amount() throws
    {
        let cut = try reductions(
            [promotion("P", .amount(100))],
            lines: [line("A", price: 100), line("B", price: 100), line("C", price: 100)])
        #expect(amounts(cut) == [[34], [33], [33]])
    }

    @Test("a bundle's amount comes off as often as the bundle is full, over all its lines") func bundle()
        throws
    {
        let three = promotion("P", .bundle(50), department: "drinks", minimum: 3_000)
        let lines = [
            line("A", "drinks", 2_000, price: 400), line("B", "food", 9_000, price: 900),
            line("C", "drinks", 5_000, price: 600),
        ]
        #expect(amounts(try reductions([three], lines: lines)) == [[40], [], [60]])
        #expect(amounts(try reductions([three], lines: [line("A", "drinks", 2_999, price: 9)])) == [[]])
    }

    @Test("a minimum quantity counts over all lines of a promotion") func minimum() throws {
        let offer = promotion("P", .percent(basisPoints: 5_000), sku: "A", minimum: 2_000)
        #expect(amounts(try reductions([offer], lines: [line("A", price: 10)])) == [[]])
        #expect(
            amounts(try reductions([offer], lines: [line("A", price: 10), line("A", price: 20)]))
                == [[5], [10]])
    }

    @Test("promotions follow each other by id on what is left, and no line falls below zero") func stacked()
        throws
    {
        let offers = [
            promotion("P3", .amount(900)), promotion("P1", .percent(basisPoints: 5_000)),
            promotion("P2", .percent(basisPoints: 5_000)),
        ]
        #expect(amounts(try reductions(offers, lines: [line("A", price: 1_000)])) == [[500, 250, 250]])
    }

    @Test("coupons come after promotions, and what a coupon gives is not given without it") func coupons()
        throws
    {
        let offers = [
            promotion("A", .amount(100), needsCoupon: true), promotion("B", .percent(basisPoints: 5_000)),
        ]
        let lines = [line("X", price: 150)]
        #expect(amounts(try reductions(offers, lines: lines)) == [[75]])
        let cut = try reductions(offers, coupons: [coupon("C", "A")], brought: ["C"], lines: lines)
        #expect(amounts(cut) == [[75, 75]])
        #expect(cut.lines[0].map(\.coupon) == [nil, "C"])
        #expect(cut.coupons == [.init(code: "C", objection: nil)])
    }

    @Test("each thing that speaks against a coupon is named, and then it takes nothing off") func objections()
        throws
    {
        let offers = [
            promotion("A", .amount(1), needsCoupon: true),
            promotion("OLD", .amount(1), endsAt: 1_000, needsCoupon: true),
            promotion("TEA", .amount(1), sku: "TEA", needsCoupon: true),
        ]
        let known = [
            coupon("good", "A"), coupon("late", "A", expiresAt: 1_000), coupon("hers", "A", memberId: "M2"),
            coupon("mine", "A", memberId: "M1"), coupon("spent", "A", maximumUses: 2, uses: 2),
            coupon("old", "OLD"), coupon("lost", "nothing"), coupon("tea", "TEA"),
        ]
        let brought = [
            "good", "good", "late", "hers", "mine", "spent", "old", "lost", "tea", "nobody's",
        ]
        let cut = try reductions(
            offers, coupons: known, brought: brought, memberId: "M1", lines: [line("X", price: 50)])
        #expect(
            cut.coupons.map(\.objection) == [
                nil, .repeated, .expired, .otherMember, nil, .usedUp, .notInForce, .notInForce,
                .nothingToTakeOff, .unknown,
            ])
        #expect(amounts(cut) == [[1, 1]])
    }

    @Test("without the hub only what works offline is given") func offline() throws {
        let offers = [
            promotion("A", .amount(1), worksOffline: false), promotion("B", .amount(2)),
            promotion("C", .amount(4), needsCoupon: true),
        ]
        let known = [coupon("here", "C"), coupon("there", "C", worksOffline: false)]
        let cut = try reductions(
            offers, coupons: known, brought: ["here", "there"], isOffline: true,
            lines: [line("X", price: 50)])
        #expect(amounts(cut) == [[2, 4]])
        #expect(cut.coupons.map(\.objection) == [nil, .needsHub])
    }

    @Test("a promotion is in force from its start until just before its end") func times() throws {
        let offer = promotion("P", .amount(1), startsAt: 1_000, endsAt: 1_001)
        #expect(amounts(try reductions([offer], moment: 999, lines: [line("X", price: 5)])) == [[]])
        #expect(amounts(try reductions([offer], moment: 1_000, lines: [line("X", price: 5)])) == [[1]])
        #expect(amounts(try reductions([offer], moment: 1_001, lines: [line("X", price: 5)])) == [[]])
    }

    @Test("a line bears eight offers, and the ninth leaves it as it is") func manifold() throws {
        let offers = (1...9).map { promotion("P\($0)", .amount(1)) }
        #expect(
            amounts(try reductions(offers, lines: [line("X", price: 50)])) == [Array(repeating: 1, count: 8)])
    }

    @Test("an absurd amount takes what a line costs and no more") func absurd() throws {
        let offers = [promotion("P", .bundle(MoneyRange.maximum), minimum: 1)]
        #expect(
            amounts(try reductions(offers, lines: [line("X", price: 5), line("Y", price: 0)])) == [[5], []])
    }

    @Test("over many drawn sales parts add up, stay positive and leave every line at zero or more")
    func drawn() throws {
        var random = SplitMix64(seed: 20_261_121)
        for _ in 0..<2_000 {
            let lines = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                line(
                    ["A", "B", "C"].randomElement(using: &random) ?? "A", "",
                    Int64.random(in: 1...5_000, using: &random),
                    price: Int64.random(in: 0...10_000, using: &random))
            }
            let amount = Int64.random(in: 1...20_000, using: &random)
            let cut = try reductions([promotion("P", .amount(amount))], lines: lines)
            let taken = cut.lines.map { $0.reduce(0) { $0 + $1.amount } }
            #expect(taken.reduce(0, +) == min(amount, lines.reduce(0) { $0 + $1.price }))
            #expect(zip(taken, lines).allSatisfy { 0 <= $0 && $0 <= $1.price })
            #expect(cut.lines.joined().allSatisfy { $0.amount > 0 })
        }
    }

    @Test("time changes a basket's offers when one that reaches it begins or ends, or its coupon expires")
    func nextChange() throws {
        let offers = Offers(
            promotions: [
                promotion("P1", .amount(1), sku: "TEA", startsAt: 10, endsAt: 60),
                promotion("P2", .amount(1), sku: "RICE", endsAt: 20),
                promotion("P3", .amount(1), sku: "TEA", endsAt: 30, needsCoupon: true),
            ], coupons: [coupon("C", "P3", expiresAt: 25)])
        func next(_ sku: String, _ coupons: [String], at moment: Int64) -> Int64? {
            offers.nextChange(
                for: Basket(
                    lines: [line(sku, price: 9)], coupons: coupons, memberId: nil, moment: moment,
                    isOffline: true))
        }
        #expect(next("TEA", [], at: 9) == 10)
        #expect(next("TEA", [], at: 10) == 60)
        #expect(next("TEA", ["C"], at: 10) == 25)
        #expect(next("TEA", ["C"], at: 25) == 30)
        #expect(next("TEA", [], at: 60) == nil)
        #expect(next("SALT", [], at: 0) == nil)
    }

    private func reductions(
        _ promotions: [Promotion], coupons: [Coupon] = [], brought: [String] = [], memberId: String? = nil,
        moment: Int64 = 5_000, isOffline: Bool = false, lines: [Basket.Line]
    ) throws -> Reductions {
        try Offers(promotions: promotions, coupons: coupons).reductions(
            for: Basket(
                lines: lines, coupons: brought, memberId: memberId, moment: moment, isOffline: isOffline))
    }

    private func amounts(_ cut: Reductions) -> [[Int64]] {
        cut.lines.map { $0.map(\.amount) }
    }

    private func line(
        _ sku: String, _ department: String = "", _ quantity: Int64 = 1_000, price: Int64
    ) -> Basket.Line {
        Basket.Line(sku: sku, department: department, quantityMilli: quantity, price: price)
    }

    private func promotion(
        _ id: String, _ reduction: Promotion.Reduction, sku: String? = nil, department: String? = nil,
        minimum: Int64 = 0, startsAt: Int64? = nil, endsAt: Int64? = nil, worksOffline: Bool = true,
        needsCoupon: Bool = false
    ) -> Promotion {
        Promotion(
            id: id, name: "name of \(id)", reduction: reduction, sku: sku, department: department,
            minimumQuantityMilli: minimum, startsAt: startsAt, endsAt: endsAt, worksOffline: worksOffline,
            needsCoupon: needsCoupon)
    }

    private func coupon(
        _ code: String, _ promotionId: String, memberId: String? = nil, maximumUses: Int64? = nil,
        uses: Int64 = 0, expiresAt: Int64? = nil, worksOffline: Bool = true
    ) -> Coupon {
        Coupon(
            code: code, promotionId: promotionId, memberId: memberId, maximumUses: maximumUses, uses: uses,
            expiresAt: expiresAt, worksOffline: worksOffline)
    }
}
