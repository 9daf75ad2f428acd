/// What some offers take off the same goods one after another.
struct OfferTally {
    /// An offer that may be given, and the lines that it is for.
    struct Candidate {
        let promotion: Promotion
        /// The coupon that gives it; nil: the promotion by itself.
        let coupon: String?
        /// Places of lines, in the order of ``OfferGoods/order``.
        let reached: [Int]
    }

    private struct Grant {
        let candidate: Int
        let place: Int
        let amount: Int64
    }

    /// Minor units, all lines together.
    private(set) var total: Int64 = 0
    private var grants: [Grant] = []
    /// What is left of each line's price.
    private var left: [Int64]
    /// How many offers reduced each line.
    private var parts: [Int]
    private let lines: [Basket.Line]

    init(_ goods: OfferGoods) {
        lines = goods.lines
        left = lines.map { max(0, $0.price) }
        parts = lines.map { _ in 0 }
    }

    /// Whether `candidate`, a place in the list of candidates, took anything off.
    func took(_ candidate: Int) -> Bool { grants.contains { $0.candidate == candidate } }

    /// Of each line what was taken off, in that order.
    func parts(of candidates: [Candidate]) -> [[Reductions.Part]] {
        var result: [[Reductions.Part]] = lines.map { _ in [] }
        for grant in grants {
            let candidate = candidates[grant.candidate]
            result[grant.place].append(
                Reductions.Part(
                    promotionId: candidate.promotion.id, name: candidate.promotion.name,
                    coupon: candidate.coupon, amount: grant.amount))
        }
        return result
    }

    /// Whether goods at their full prices fulfil what `candidate` wants of them.
    func fulfils(_ candidate: Candidate) throws(PricingError) -> Bool {
        try basis(of: candidate) != nil
    }

    /// Takes what `candidate` gives, whose place in the list of candidates is `number`.
    mutating func take(_ candidate: Candidate, number: Int) throws(PricingError) {
        guard let basis = try basis(of: candidate) else { return }
        let amounts = try amounts(of: candidate.promotion, basis)
        for (place, amount) in zip(basis.places, amounts) where amount > 0 {
            left[place] -= amount
            parts[place] += 1
            total += amount
            grants.append(Grant(candidate: number, place: place, amount: amount))
        }
    }

    /// The lines that an offer takes from, with their sums.
    private struct Basis {
        let places: [Int]
        let quantityMilli: Int64
        /// What is left to pay of them.
        let worth: Int64
    }

    /// Nil when they are not what the offer is for.
    private func basis(of candidate: Candidate) throws(PricingError) -> Basis? {
        let promotion = candidate.promotion
        let places = candidate.reached.filter { parts[$0] < Reductions.mostParts }
        let quantity = try MoneyRange.sum(places.lazy.map { [lines] in lines[$0].quantityMilli })
        let worth = try MoneyRange.sum(places.lazy.map { [left] in left[$0] })
        guard quantity > 0, quantity >= promotion.minimumQuantityMilli, worth > 0,
            worth >= promotion.minimumAmount
        else { return nil }
        return Basis(places: places, quantityMilli: quantity, worth: worth)
    }

    private func amounts(of promotion: Promotion, _ basis: Basis) throws(PricingError) -> [Int64] {
        switch promotion.reduction {
        case .percent(let basisPoints) where promotion.minimumAmount > 0:
            return try spread(Self.share(basisPoints, of: basis.worth), over: basis)
        case .percent(let basisPoints):
            var shares: [Int64] = []
            for place in basis.places { shares.append(try Self.share(basisPoints, of: left[place])) }
            return shares
        case .amount(let amount): return try spread(amount, over: basis)
        case .bundle(let amount):
            return try spread(
                Self.product(amount, promotion.sets(of: basis.quantityMilli, basis.worth)), over: basis)
        case .price(let price):
            return basis.places.map { place in
                max(0, left[place] - Self.product(price, lines[place].quantityMilli, over: 1_000))
            }
        }
    }

    private static func share(_ basisPoints: Int64, of amount: Int64) throws(PricingError) -> Int64 {
        min(amount, try MoneyRange.share(of: amount, times: basisPoints, over: 10_000))
    }

    /// As much as money can hold, if it is more: no line costs more than that.
    private static func product(_ amount: Int64, _ count: Int64, over divisor: Int64 = 1) -> Int64 {
        (try? MoneyRange.share(of: amount, times: count, over: divisor)) ?? MoneyRange.maximum
    }

    /// `amount`, or what is left if that is less, over lines by what is left of each.
    private func spread(_ amount: Int64, over basis: Basis) throws(PricingError) -> [Int64] {
        try MoneyRange.parts(of: min(amount, basis.worth), over: basis.places.map { left[$0] })
    }
}

extension Promotion {
    /// How often a bundle is full; at least once where its minima are reached.
    fileprivate func sets(of quantityMilli: Int64, _ worth: Int64) -> Int64 {
        guard minimumAmount > 0 else { return quantityMilli / max(1, minimumQuantityMilli) }
        let byAmount = worth / minimumAmount
        return minimumQuantityMilli > 0 ? min(byAmount, quantityMilli / minimumQuantityMilli) : byAmount
    }
}
