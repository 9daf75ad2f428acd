import HubProtocol

@testable import Neighbours

/// What the logs of all tills have to say.
extension ClaimWorld {
    /// Whether a till that ever had the right is hostile, or ran twice.
    func isExcused(_ right: String) -> Bool {
        let liars = Set(tills.filter(\.isHostile).map(\.terminalId))
        return !owners[right, default: []].isDisjoint(with: liars.union(doubled))
    }

    func findings(afterQuiet: Bool) -> [String] {
        var found = Array(Set(problems)).sorted()
        for (cart, sellers) in sales where sellers.count > 1 {
            guard isExcused(cart) else {
                found.append("\(cart) was sold by \(sellers)")
                continue
            }
            let liars = owners[cart, default: []].intersection(doubled)
            if afterQuiet, !liars.isEmpty, seen.isDisjoint(with: liars), isNoted(cart) {
                found.append("\(cart) was sold twice, and nobody saw \(liars) twice")
            }
        }
        for (right, total) in totals where !isExcused(right) {
            let sum = spent.reduce(0) { $0 + ($1.right == right && !$1.isNamed ? $1.amount : 0) }
            let parts = tills.flatMap(\.disk.held.values).filter { $0.right == right && $0.kind == .lease }
            if sum + parts.reduce(0, { $0 + $1.amount }) > total {
                found.append("\(right): \(sum) of \(total)")
            }
        }
        // Whatever a hostile till gives, no other one has more of a lease than that.
        for till in tills {
            for (right, parts) in Dictionary(grouping: till.disk.held.values, by: \.right) {
                let sum = parts.reduce(0) { $0 + ($1.kind == .lease ? $1.amount : 0) }
                if let total = totals[right], sum > total {
                    found.append("\(till.terminalId) has \(sum) of \(right)")
                }
            }
        }
        return found + (afterQuiet ? idle() : [])
    }

    /// Whether a till beside the one that granted the cart has its note.
    private func isNoted(_ cart: String) -> Bool {
        tills.contains { till in
            till.disk.notes.contains { list, notes in
                list.terminalId != till.terminalId
                    && notes.contains { (try? GrantedRight(json: $0.body))?.right == cart }
            }
        }
    }

    /// Rights that nobody can use, with every till there and well.
    private func idle() -> [String] {
        owners.keys.sorted().filter { right in
            guard totals[right] == nil, !isExcused(right), sales[right] == nil else { return false }
            return !tills.contains { $0.disk.carts[right] != nil }
        }.map { "\($0) is nobody's" }
    }
}
