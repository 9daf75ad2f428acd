internal import HubProtocol

/// Which tills had each cart one after the other, by the notes of all tills: the first one, and from there on
/// whoever the one before granted it to. What another till writes of it makes that till no owner.
///
/// Two tills can both write that they had a cart first. The one that later owners name counts, then the one
/// that named the lower turn, then the lower id: which of them lies is not to be seen, and both are named by
/// an alarm.
struct CartOwners {
    /// From one grant to the next.
    struct Ownership: Hashable {
        let owner: String
        /// Of the grant by which it began; 0 of the first one.
        let turn: Int64
    }

    /// What one till says of a cart.
    private struct Naming {
        /// Nil where it says only that the cart ended.
        var firstTurn: Int64?
        var origin: String?
        var grants: [GrantedRight] = []
    }

    /// By the carts and the makers.
    private var namings: [String: [String: Naming]] = [:]

    /// - Parameter only: the one cart of interest; nil: all.
    init(_ states: [NoteListKey: NoteState], of only: String? = nil) {
        for (list, state) in states {
            for (cart, turn) in state.firstTurns where only == nil || cart == only {
                let known = namings[cart]?[list.terminalId]?.firstTurn ?? turn
                namings[cart, default: [:]][list.terminalId, default: Naming()].firstTurn = min(turn, known)
            }
            for (cart, origin) in state.origins where only == nil || cart == only {
                namings[cart, default: [:]][list.terminalId, default: Naming()].origin = origin
            }
            for grant in state.grants.values
            where grant.kind == .cart && (only == nil || grant.right == only) {
                namings[grant.right, default: [:]][list.terminalId, default: Naming()].grants.append(grant)
            }
        }
    }

    var carts: [String] { namings.keys.sorted() }

    /// The till that had a cart first, or tills of which that is not to be seen, in order of their ids. Where
    /// the first one is not known, the one that follows.
    func first(of cart: String) -> [String] {
        let makers = namings[cart] ?? [:]
        func ranks(_ maker: String, _ naming: Naming, _ turn: Int64) -> (Int, Int, Int64) {
            let others = makers.count { $0.key != maker && $0.value.origin == maker }
            return (naming.origin == nil ? 0 : 1, -others, turn)
        }
        let ranked = makers.compactMap { maker, naming in
            naming.firstTurn.map { (maker: maker, rank: ranks(maker, naming, $0)) }
        }
        guard let best = ranked.map(\.rank).min(by: <) else { return [] }
        return ranked.filter { $0.rank == best }.map(\.maker).sorted()
    }

    /// All that is known of how a cart went on, its first owner first; empty: nobody names it.
    func ownerships(of cart: String) -> [Ownership] {
        guard let first = first(of: cart).first else { return [] }
        var all = [Ownership(owner: first, turn: 0)]
        while let last = all.last,
            let next = namings[cart]?[last.owner]?.grants.filter({ $0.turn > last.turn })
                .min(by: { ($0.turn, $0.claimId) < ($1.turn, $1.claimId) })
        {
            all.append(Ownership(owner: next.to, turn: next.turn))
        }
        return all
    }

    /// The maker of a grant, its taker, and all that had the cart from one of them.
    func owners(from maker: String, by grant: GrantedRight) -> Set<String> {
        var (owners, next) = (Set<String>(), [maker, grant.to])
        while let owner = next.popLast() {
            guard owners.insert(owner).inserted else { continue }
            next += (namings[grant.right]?[owner]?.grants ?? []).map(\.to)
        }
        return owners
    }
}
