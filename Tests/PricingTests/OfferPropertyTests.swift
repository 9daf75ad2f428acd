import Base
import Pricing
import Testing

/// Drawn sales against an evaluator that reads every promotion and tries every selection.
@Suite("Promotions against a naive evaluator")
struct OfferPropertyTests {
    @Test(
        "what comes off is the most that a selection takes, and the index misses nothing",
        arguments: 0..<8)
    func oracle(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var uniques = 0
        for _ in 0..<150 {
            let promotions = Self.promotions(Int.random(in: 0...40, using: &random), &random)
            let basket = Self.basket(&random)
            let cut = try Offers(promotions: promotions + Self.byCoupon, coupons: Self.coupons)
                .reductions(for: basket)
            let naive = NaiveOffers(
                promotions: promotions + Self.byCoupon, coupons: Self.coupons, basket: basket
            ).best
            #expect(cut.total == naive[0].total)
            for response in cut.coupons where Self.coupons.contains(where: { $0.code == response.code }) {
                let given = cut.lines.joined().contains { $0.coupon == response.code }
                #expect(given == (response.objection == nil), "\(response)")
            }
            guard naive.count == 1 || naive[1].total < naive[0].total else { continue }
            uniques += 1
            #expect(cut.lines.map { $0.map { "\($0.promotionId) \($0.amount)" } } == naive[0].lines)
        }
        #expect(uniques > 30)
    }

    @Test(
        "promotions and lines in any order give the same, and no line falls below zero",
        arguments: 0..<8)
    func permutations(seed: UInt64) throws {
        var random = SplitMix64(seed: 1_000 + seed)
        for _ in 0..<150 {
            let promotions = Self.promotions(Int.random(in: 0...40, using: &random), &random)
            let basket = Self.basket(&random)
            let cut = try Offers(promotions: promotions + Self.byCoupon, coupons: Self.coupons)
                .reductions(for: basket)
            let order = basket.lines.indices.shuffled(using: &random)
            let shuffled = Basket(
                lines: order.map { basket.lines[$0] }, coupons: basket.coupons, memberId: nil,
                membership: basket.membership, moment: basket.moment, clock: basket.clock, isOffline: true)
            let other = try Offers(
                promotions: (promotions + Self.byCoupon).shuffled(using: &random),
                coupons: Self.coupons.shuffled(using: &random)
            ).reductions(for: shuffled)
            #expect(Self.texts(cut, basket) == Self.texts(other, shuffled))
            for (line, parts) in zip(basket.lines, cut.lines) {
                #expect(parts.allSatisfy { $0.amount > 0 })
                #expect(parts.count <= Reductions.mostParts)
                #expect(parts.reduce(0) { $0 + $1.amount } <= line.price)
            }
        }
    }

    @Test("the parts of an amount are the amount, whatever the lines") func sums() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<500 {
            let basket = Self.basket(&random)
            let whole = basket.lines.reduce(0) { $0 + $1.price }
            let amount = Int64.random(in: 1...30_000, using: &random)
            let offer = drawn("P", .amount(amount), minimumAmount: whole)
            guard whole > 0 else { continue }
            #expect(
                try Offers(promotions: [offer], coupons: []).reductions(for: basket).total
                    == min(amount, whole))
        }
    }

    private static func texts(_ cut: Reductions, _ basket: Basket) -> [String] {
        zip(basket.lines, cut.lines).map { line, parts in
            "\(line) " + parts.map { "\($0.promotionId) \($0.amount)" }.joined(separator: ",")
        }.sorted()
    }

    private static func basket(_ random: inout SplitMix64) -> Basket {
        Basket(
            lines: (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Basket.Line(
                    sku: "S\(Int.random(in: 0...4, using: &random))",
                    department: ["", "D0", "D1"].randomElement(using: &random) ?? "",
                    quantityMilli: Int64.random(in: 1...4, using: &random) * 1_000,
                    price: Int64.random(in: 0...6_000, using: &random))
            }, coupons: Array(codes.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))),
            memberId: nil,
            membership: [nil, .init(tier: nil), .init(tier: "gold")].randomElement(using: &random) ?? nil,
            moment: Int64.random(in: 0...604_800_000, using: &random),
            clock: StoreClock(offsetSeconds: Int64.random(in: -44...56, using: &random) * 900),
            isOffline: true)
    }

    /// What codes give, with each kind of competition.
    private static let byCoupon = [
        drawn("C0", .amount(700), needsCoupon: true),
        drawn("C1", .percent(basisPoints: 1_500), needsCoupon: true, competition: .group("g0")),
        drawn("C2", .percent(basisPoints: 4_000), needsCoupon: true, competition: .exclusive),
        drawn("C3", .bundle(250), needsCoupon: true, minimumAmount: 3_000, audience: .members),
    ]

    /// One code for each of them.
    private static let coupons = byCoupon.enumerated().map { number, promotion in
        Coupon(
            code: "CODE\(number)", promotionId: promotion.id, memberId: nil, maximumUses: nil, uses: 0,
            expiresAt: nil, worksOffline: true)
    }

    private static let codes = coupons.map(\.code) + ["NONE"]

    /// At most two groups of three, so that every selection is tried.
    private static func promotions(_ count: Int, _ random: inout SplitMix64) -> [Promotion] {
        var seats = [0, 0]
        return (0..<count).map { number in
            var competition = Promotion.Competition.none
            let group = Int.random(in: 0...7, using: &random)
            if group < 2, seats[group] < 3 {
                competition = .group("g\(group)")
                seats[group] += 1
            } else if group == 7 {
                competition = .exclusive
            }
            let sku = Int.random(in: 0...3, using: &random)
            let reduction: Promotion.Reduction =
                switch Int.random(in: 0...3, using: &random) {
                case 0: .percent(basisPoints: Int64.random(in: 1...3_000, using: &random))
                case 1: .amount(Int64.random(in: 1...900, using: &random))
                case 2: .bundle(Int64.random(in: 1...300, using: &random))
                default: .price(Int64.random(in: 1...3_000, using: &random))
                }
            let from = Int64.random(in: 0..<1_440, using: &random)
            return drawn(
                "P\(number)", reduction, sku: sku < 2 ? "S\(Int.random(in: 0...6, using: &random))" : nil,
                department: sku == 2 ? "D\(Int.random(in: 0...2, using: &random))" : nil,
                minimum: Int64.random(in: 0...3, using: &random) * 1_000,
                minimumAmount: max(0, Int64.random(in: -6_000...9_000, using: &random)),
                hours: Bool.random(using: &random)
                    ? nil : WeeklyHours(days: [.monday, .friday], from: from, until: (from + 700) % 1_440),
                audience: [.everyone, .everyone, .members, .tiers(["gold"])].randomElement(using: &random)
                    ?? .everyone, competition: competition)
        }
    }
}

/// Reads every promotion, and tries every selection that is allowed.
private struct NaiveOffers {
    struct Result {
        let total: Int64
        let lines: [[String]]
    }

    let promotions: [Promotion]
    let coupons: [Coupon]
    let basket: Basket

    /// The promotions of the basket's codes, in their order.
    private var byCode: [String] {
        basket.coupons.compactMap { code in coupons.first { $0.code == code }?.promotionId }
    }

    /// Every selection's result, the largest first.
    var best: [Result] {
        let given = promotions.filter { promotion in
            guard !promotion.needsCoupon || byCode.contains(promotion.id) else { return false }
            let isFor: Bool =
                switch promotion.audience {
                case .everyone: true
                case .members: basket.membership != nil
                case .tiers(let tiers): tiers.contains(basket.membership?.tier ?? "")
                }
            return isFor && (promotion.hours?.contains(basket.moment, by: basket.clock) ?? true)
        }
        var selections: [[Promotion]] = [given.filter { $0.competition == .none }]
        for group in ["g0", "g1"] {
            let rivals = given.filter {
                $0.competition == .group(group) && !take([$0]).lines.joined().isEmpty
            }
            guard !rivals.isEmpty else { continue }
            selections = selections.flatMap { selection in rivals.map { selection + [$0] } }
        }
        selections += given.filter { $0.competition == .exclusive }.map { [$0] }
        return selections.map(take).sorted { $0.total > $1.total }
    }

    private func take(_ selection: [Promotion]) -> Result {
        func turn(_ promotion: Promotion) -> Int {
            if let place = byCode.firstIndex(of: promotion.id) { return 3 + place }
            if case .price = promotion.reduction { return 0 }
            return promotion.minimumAmount > 0 ? 2 : 1
        }
        var left = basket.lines.map(\.price)
        var lines: [[String]] = basket.lines.map { _ in [] }
        for promotion in selection.sorted(by: { (turn($0), $0.id) < (turn($1), $1.id) }) {
            let reached = basket.lines.indices.filter { place in
                let line = basket.lines[place]
                return (promotion.sku ?? line.sku) == line.sku
                    && (promotion.department ?? line.department) == line.department && lines[place].count < 8
            }
            for (place, amount) in amounts(of: promotion, reached, left) where amount > 0 {
                left[place] -= amount
                lines[place].append("\(promotion.id) \(amount)")
            }
        }
        return Result(total: zip(basket.lines, left).reduce(0) { $0 + $1.0.price - $1.1 }, lines: lines)
    }

    private func amounts(of promotion: Promotion, _ reached: [Int], _ left: [Int64]) -> [(Int, Int64)] {
        let quantity = reached.reduce(0) { $0 + basket.lines[$1].quantityMilli }
        let worth = reached.reduce(0) { $0 + left[$1] }
        guard worth > 0, worth >= promotion.minimumAmount, quantity >= promotion.minimumQuantityMilli
        else {
            return []
        }
        func half(_ amount: Int64, _ points: Int64) -> Int64 { (amount * points + 5_000) / 10_000 }
        switch promotion.reduction {
        case .percent(let points) where promotion.minimumAmount == 0:
            return reached.map { ($0, half(left[$0], points)) }
        case .percent(let points): return spread(half(worth, points), worth, reached, left)
        case .amount(let amount): return spread(amount, worth, reached, left)
        case .bundle(let amount):
            var sets = Int64.max
            if promotion.minimumAmount > 0 { sets = worth / promotion.minimumAmount }
            if promotion.minimumQuantityMilli > 0 {
                sets = min(sets, quantity / promotion.minimumQuantityMilli)
            }
            return spread((sets == .max ? quantity : sets) * amount, worth, reached, left)
        case .price(let price):
            return reached.map { place in
                let limit = (2 * price * basket.lines[place].quantityMilli + 1_000) / 2_000
                return (place, max(0, left[place] - limit))
            }
        }
    }

    /// Each its floor; then a unit each to the largest remainders, of equal ones by the goods.
    private func spread(_ amount: Int64, _ worth: Int64, _ reached: [Int], _ left: [Int64]) -> [(
        Int, Int64
    )] {
        let amount = min(amount, worth)
        var parts = reached.map { ($0, amount * left[$0] / worth) }
        let order = reached.indices.sorted { one, other in
            func key(_ index: Int) -> (Int64, String, String, Int64, Int64) {
                let line = basket.lines[reached[index]]
                return (
                    -(amount * left[reached[index]] % worth), line.sku, line.department, line.quantityMilli,
                    line.price
                )
            }
            return key(one) == key(other) ? one < other : key(one) < key(other)
        }
        for index in order.prefix(Int(amount - parts.reduce(0) { $0 + $1.1 })) { parts[index].1 += 1 }
        return parts
    }
}
