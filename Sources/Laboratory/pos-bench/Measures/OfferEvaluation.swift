import Base

internal import Pricing

/// What promotions take off a sale of 20 lines in a store with 2,000 of them, as terminal and hub compute it
/// from their index; and what it costs to make the index. The yardstick only looks which promotions reach a
/// line.
///
/// Most promotions are of an article or a department. Some are of the whole sale from an amount on, for
/// members, at some hours, in groups, or exclusive; on the average a sale gets about a dozen.
struct OfferEvaluation: RowMeasure {
    private static let promotions = 2_000
    private static let lines = 20
    private static let rounds = 2_000
    private static let clock = StoreClock(offsetSeconds: 8 * 3_600)

    func rows(in workshop: Workshop) -> [Row] {
        let promotions = (0..<Self.promotions).map(Self.promotion)
        let index = PromotionIndex(promotions)
        var (evaluations, scans, builds) = (Samples(), Samples(), Samples())
        var reduced: Int64 = 0
        for round in 0..<Self.rounds {
            let basket = Self.basket(round)
            evaluations.add(
                Stopwatch.busyTime {
                    let cut = try? Offers(index, typed: [:]).reductions(for: basket)
                    reduced += Int64(cut?.lines.joined().count ?? 0)
                })
            scans.add(
                Stopwatch.busyTime {
                    reduced += Int64(promotions.count { Self.reaches($0, basket) })
                })
        }
        for _ in 0..<20 {
            builds.add(Stopwatch.busyTime { reduced += Int64(PromotionIndex(promotions).count) })
        }
        withExtendedLifetime(reduced) {}
        return [
            Row(
                name: "offers on 20 lines, 2,000 promotions, p50", figure: evaluations.median(), unit: .time,
                yardstick: ("a look at each promotion", scans.median()), aim: .atMost(1e6)),
            Row(name: "the same, p99", figure: evaluations.percentile(0.99), unit: .time),
            Row(name: "index of 2,000 promotions, p50", figure: builds.median(), unit: .time),
        ]
    }

    private static func reaches(_ promotion: Promotion, _ basket: Basket) -> Bool {
        basket.lines.contains { line in
            (promotion.sku ?? line.sku) == line.sku
                && (promotion.department ?? line.department) == line.department
        }
    }

    private static func basket(_ round: Int) -> Basket {
        Basket(
            lines: (0..<lines).map { line in
                let article = (round * 31 + line * 57) % 1_200
                return Basket.Line(
                    sku: "B\(article)", department: "D\(article % 60)",
                    quantityMilli: Int64(1 + (round + line) % 4) * 1_000,
                    price: Int64(120 + article * 37 % 2_900))
            }, coupons: [], memberId: nil, membership: round % 2 == 0 ? .init(tier: "gold") : nil,
            // Another hour with each round, through the weeks.
            moment: 1_767_225_600_000 + Int64(round) * 3_600_000, clock: clock, isOffline: true)
    }

    private static func promotion(_ number: Int) -> Promotion {
        let isGeneral = number % 20 == 0
        let isOfDepartment = number % 20 == 1
        return Promotion(
            id: "P\(number)", name: "Promotion \(number)", reduction: reduction(number),
            sku: isGeneral || isOfDepartment ? nil : "B\(number % 1_200)",
            department: isOfDepartment ? "D\(number / 20 % 60)" : nil,
            minimumQuantityMilli: number % 4 == 2 ? 2_000 : 0, startsAt: nil, endsAt: nil, worksOffline: true,
            needsCoupon: false, minimumAmount: isGeneral ? Int64(number % 97) * 1_000 + 5_000 : 0,
            hours: number % 5 == 0 ? WeeklyHours(days: [.friday, .saturday], from: 1_020, until: 120) : nil,
            audience: number % 7 == 0 ? .tiers(["gold"]) : .everyone, competition: competition(number))
    }

    private static func reduction(_ number: Int) -> Promotion.Reduction {
        switch number % 4 {
        case 0: .percent(basisPoints: Int64(100 + number % 900))
        case 1: .amount(Int64(50 + number % 400))
        case 2: .bundle(Int64(20 + number % 100))
        case _: number % 20 == 3 ? .price(Int64(100 + number)) : .percent(basisPoints: 500)
        }
    }

    private static func competition(_ number: Int) -> Promotion.Competition {
        switch number % 40 {
        case 0: .group("whole sale")
        case 1, 5: .group("group \(number % 6)")
        case 20: .exclusive
        case _: .none
        }
    }
}
