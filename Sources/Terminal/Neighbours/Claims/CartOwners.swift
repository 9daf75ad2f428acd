internal import HubProtocol

/// Which tills had one cart one after the other, by the notes of all tills: the first one, and from there on
/// whoever the one before granted it to. What another till writes of it makes that till no owner.
///
/// Two tills can both write that they had a cart first. The one that later owners name counts, then the one
/// that named the lower turn, then the lower id: which of them lies is not to be seen, and an alarm names
/// both.
struct CartOwners {
    /// From one grant to the next.
    struct Ownership: Hashable {
        let owner: String
        /// Of the grant by which it began; 0 of the first one.
        let turn: Int64
    }

    /// What one till says of the cart, in all its epochs.
    private struct Naming {
        /// The lowest number of an ownership that it names.
        var firstTurn: Int64
        var origin: String?
        var grants: [GrantedRight] = []
        /// Whether it says that it can sell the cart.
        var isOpen = false
    }

    /// By the makers.
    private var namings: [String: Naming] = [:]
    /// Those that can have had it first, in order of their ids: one, or those of which that is not to be
    /// seen. Where the first one's notes are not known, the one that follows.
    private(set) var first: [String] = []
    /// All that is known of how the cart went on, its first owner first; empty: nobody names it.
    private(set) var ownerships: [Ownership] = []

    /// Looks the cart up in each list: what the lists say of others costs nothing.
    init(of cart: String, in states: [NoteListKey: NoteState]) {
        for (list, state) in states {
            guard let turn = state.firstTurns[cart] else { continue }
            var naming = namings[list.terminalId] ?? Naming(firstTurn: turn)
            naming.firstTurn = min(turn, naming.firstTurn)
            naming.origin = state.origins[cart] ?? naming.origin
            naming.grants += state.cartGrants[cart] ?? []
            naming.isOpen = naming.isOpen || state.carts[cart]?.isOpen == true
            namings[list.terminalId] = naming
        }
        let ranked = namings.map { (maker: $0.key, rank: rank(of: $0.key, $0.value)) }
        guard let best = ranked.map(\.rank).min(by: <) else { return }
        first = ranked.filter { $0.rank == best }.map(\.maker).sorted()
        ownerships = first.first.map { [Ownership(owner: $0, turn: 0)] } ?? []
        while let last = ownerships.last,
            let next = namings[last.owner]?.grants.filter({ $0.turn > last.turn })
                .min(by: { ($0.turn, $0.claimId) < ($1.turn, $1.claimId) })
        {
            ownerships.append(Ownership(owner: next.to, turn: next.turn))
        }
    }

    /// The lowest one had it first.
    private func rank(of maker: String, _ naming: Naming) -> (Int, Int, Int64) {
        let others = namings.count { $0.key != maker && $0.value.origin == maker }
        return (naming.origin == nil ? 0 : 1, -others, naming.firstTurn)
    }

    /// All that had it.
    var owners: Set<String> { Set(ownerships.map(\.owner)) }

    /// The maker of a grant, its taker, and all that had the cart from one of them.
    func owners(from maker: String, by grant: GrantedRight) -> Set<String> {
        var (owners, next) = (Set<String>(), [maker, grant.to])
        while let owner = next.popLast() {
            guard owners.insert(owner).inserted else { continue }
            next += (namings[owner]?.grants ?? []).map(\.to)
        }
        return owners
    }

    /// Tills that say they can sell the cart, and are none of its owners.
    ///
    /// - `isFirst`: it says that it had it first, and not from another one.
    var strangers: [(maker: String, isFirst: Bool)] {
        let known = owners.union(first)
        return namings.filter { $0.value.isOpen && !known.contains($0.key) }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.origin == nil) }
    }
}
