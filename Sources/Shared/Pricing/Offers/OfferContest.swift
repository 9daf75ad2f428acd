/// Chooses which offers a sale gets where not all go together: those with which the most comes off.
struct OfferContest {
    /// In the order in which they are given.
    let candidates: [OfferTally.Candidate]
    let goods: OfferGoods

    /// What a sale gets.
    struct Choice {
        /// Places in the list of candidates, ascending.
        let chosen: [Int]
        let tally: OfferTally
    }

    /// The most selections that are all tried. A sale in which more groups meet chooses group by group
    /// instead: 64 is six groups of two, or two of eight, and takes less than a millisecond.
    static let mostSelections = 64

    /// Of several with the same total the first: groups before an exclusive offer, then by the order of the
    /// candidates.
    func best() throws(PricingError) -> Choice {
        var free: [Int] = []
        var exclusive: [Int] = []
        var named: [String: [Int]] = [:]
        for (number, candidate) in candidates.enumerated() {
            switch candidate.promotion.competition {
            case .none: free.append(number)
            case .group(let name): named[name, default: []].append(number)
            case .exclusive: exclusive.append(number)
            }
        }
        free += named.values.lazy.filter { $0.count == 1 }.joined()
        let groups = named.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map(\.value)
        var best = try choice(beside: free, from: groups)
        for number in exclusive { best = try better(best, [number]) }
        return best
    }

    private func choice(beside free: [Int], from groups: [[Int]]) throws(PricingError) -> Choice {
        let selections = groups.reduce(1) { min($0 * $1.count, Self.mostSelections + 1) }
        guard selections <= Self.mostSelections else { return try stepwise(beside: free, from: groups) }
        var best: Choice?
        for selection in 0..<selections {
            var rest = selection
            var chosen = free
            // The last group changes first, so that the first selection has the first of each.
            for group in groups.reversed() {
                chosen.append(group[rest % group.count])
                rest /= group.count
            }
            best = try better(best, chosen)
        }
        if let best { return best }
        return try better(nil, free)
    }

    /// Group by group, by what the whole sale comes to with the groups before.
    private func stepwise(beside free: [Int], from groups: [[Int]]) throws(PricingError) -> Choice {
        var settled = try better(nil, free)
        for group in groups {
            var best: Choice?
            for number in group { best = try better(best, settled.chosen + [number]) }
            settled = best ?? settled
        }
        return settled
    }

    private func better(_ best: Choice?, _ numbers: [Int]) throws(PricingError) -> Choice {
        let chosen = numbers.sorted()
        var tally = OfferTally(goods)
        for number in chosen { try tally.take(candidates[number], number: number) }
        if let best, best.tally.total >= tally.total { return best }
        return Choice(chosen: chosen, tally: tally)
    }
}
