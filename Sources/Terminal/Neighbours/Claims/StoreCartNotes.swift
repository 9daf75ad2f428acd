package import HubProtocol

/// The carts of the store, by the notes of the tills that had them.
extension StoreNotes {
    /// The carts that their owners can sell: the last ownership of each.
    package var openCarts: [(owner: String, cart: ParkedCart)] {
        let epochs = Dictionary(states.keys.map { ($0.terminalId, $0.epoch) }, uniquingKeysWith: max)
        let open = Set(states.values.flatMap { state in state.carts.filter(\.value.isOpen).keys })
        return open.sorted().compactMap { id in
            // In a later epoch its maker names again what it has.
            guard let last = CartOwners(of: id, in: states).ownerships.last, let epoch = epochs[last.owner],
                case .open(let cart)? = states[NoteListKey(last.owner, epoch)]?.carts[id],
                cart.turn > last.turn
            else { return nil }
            return (last.owner, cart)
        }
    }

    /// What became of a cart that nobody has parked, by the tills that had it; nil: nothing is known of it.
    package func end(of cart: String) -> NoteState.Cart? {
        let owners = CartOwners(of: cart, in: states).owners
        let known = states.compactMap { owners.contains($0.key.terminalId) ? $0.value.carts[cart] : nil }
        if let sold = known.first(where: { $0 == .ended(.sold) }) { return sold }
        return known.max { $0.turn < $1.turn }
    }

    /// Carts of which a list says something else than `before`.
    func carts(changedSince before: StoreNotes) -> Set<String> {
        var changed: Set<String> = []
        for (list, state) in states {
            let known = before.states[list]?.carts ?? [:]
            guard known != state.carts else { continue }
            for (id, cart) in state.carts where known[id] != cart { changed.insert(id) }
        }
        return changed
    }

    // MARK: Copies

    /// Whether any till copied a cart.
    package var hasCopies: Bool { states.values.contains { !$0.copies.isEmpty } }

    /// The till that has, or sold, a copy of the same cart as this one, or sold what this one is a copy of;
    /// nil: none is known.
    ///
    /// Of one maker no more copies count than a till that is honest makes.
    package func doubles(of cart: String, copiedFrom first: String?) -> String? {
        let root = first ?? cart
        let owners = first == nil ? [] : CartOwners(of: root, in: states).owners
        for (list, state) in states.sorted(by: { $0.key < $1.key }) {
            let maker = list.terminalId
            if owners.contains(maker), state.carts[root] == .ended(.sold) { return maker }
            guard let copies = state.copies[root]?.subtracting([cart]), !copies.isEmpty else { continue }
            if !copies.isDisjoint(with: MadeCopies(of: maker, in: self).counted) { return maker }
        }
        return nil
    }

    /// Tills that copied more carts than count.
    var copiers: [String] {
        Set(states.filter { $0.value.copies.count > NeighbourLimits.copiesUnsold }.keys.map(\.terminalId))
            .filter { MadeCopies(of: $0, in: self).areTooMany }.sorted()
    }

    /// Whether a cart that its maker gave away is not named by its taker yet.
    fileprivate func isOnTheWay(_ grant: GrantedRight) -> Bool {
        turn(of: grant.right, at: grant.to) <= grant.turn
            && !hasLeft(grant.right, grant.to, after: grant.turn)
    }
}

/// The copies of carts that one till made and did not drop.
private struct MadeCopies {
    private var unsold: Set<String> = []
    private var sold: Set<String> = []

    init(of maker: String, in notes: StoreNotes) {
        for (list, state) in notes.states where list.terminalId == maker {
            for copy in state.copies.values.joined() {
                switch state.carts[copy] {
                case .open: unsold.insert(copy)
                case .granted(let grant): if notes.isOnTheWay(grant) { unsold.insert(copy) }
                case .ended(.sold): sold.insert(copy)
                // A checkpoint names those that are open or sold.
                case .ended, nil: break
                }
            }
        }
    }

    /// The newest, as far as they count.
    var counted: Set<String> {
        Set(unsold.sorted(by: >).prefix(NeighbourLimits.copiesUnsold)).union(
            sold.sorted(by: >).prefix(NeighbourLimits.copiesSold))
    }

    var areTooMany: Bool {
        unsold.count > NeighbourLimits.copiesUnsold || sold.count > NeighbourLimits.copiesSold
    }
}
