package import HubProtocol

/// One claim in the store: claims of two tills are two, whatever their ids.
package struct ClaimKey: Hashable, Comparable, Sendable {
    /// Whose claim it is.
    package let taker: String
    /// The taker's id of it.
    package let claimId: String

    package init(taker: String, claimId: String) {
        self.taker = taker
        self.claimId = claimId
    }

    /// The claim that was granted.
    package init(_ grant: GrantedRight) { self.init(taker: grant.to, claimId: grant.claimId) }

    /// By taker, then by id.
    package static func < (left: ClaimKey, right: ClaimKey) -> Bool {
        (left.taker, left.claimId) < (right.taker, right.claimId)
    }
}

/// What the notes of all tills say of rights, as one till has them.
package struct StoreNotes: Hashable, Sendable {
    private let states: [NoteListKey: NoteState]
    private let forked: Set<NoteListKey>

    /// - Parameters:
    ///   - states: of each list.
    ///   - forked: lists with two notes under one number.
    package init(states: [NoteListKey: NoteState] = [:], forked: Set<NoteListKey> = []) {
        (self.states, self.forked) = (states, forked)
    }

    /// Whether the list's maker signed no two notes under one number, and granted no cart twice in one
    /// ownership.
    package func isTrusted(_ list: NoteListKey) -> Bool {
        !forked.contains(list) && states[list]?.grantedTwice == nil
    }

    /// Lists whose makers granted a cart twice in one ownership, with that cart.
    package var grantedTwice: [NoteListKey: String] { states.compactMapValues(\.grantedTwice) }

    /// What was given back of a receipt, in minor units by the refunds' ids.
    package func refunds(of receipt: String) -> [String: Int64] {
        var amounts: [String: Int64] = [:]
        for state in states.values {
            for refund in state.refunds.values where refund.orderId == receipt {
                amounts[refund.refundId] = max(refund.amount, amounts[refund.refundId] ?? 0)
            }
        }
        return amounts
    }

    /// Whether a note of `maker` says that it gave back this refund.
    func hasRefund(_ refundId: String, of maker: String) -> Bool {
        states.contains { $0.key.terminalId == maker && $0.value.refunds[refundId] != nil }
    }

    /// Whether a note of `maker` says that the claim was released.
    func isReleased(_ claim: ClaimKey, by maker: String) -> Bool {
        states.contains { $0.key.terminalId == maker && $0.value.releases[claim] != nil }
    }

    /// Whether a cart that `maker` had by this ownership is sold, dropped or granted on, by its notes.
    func hasLeft(_ cart: String, _ maker: String, after turn: Int64) -> Bool {
        states.contains { list, state in
            guard list.terminalId == maker else { return false }
            switch state.carts[cart] {
            case .ended: return true
            case .granted(let grant): return grant.turn > turn
            case .open, nil: return false
            }
        }
    }

    /// The number of the last ownership of a cart that lists of `maker` name; 0: they do not name it.
    func turn(of cart: String, at maker: String) -> Int64 {
        states.filter { $0.key.terminalId == maker }.map { $0.value.turn(of: cart) }.max() ?? 0
    }

    /// Whether another list names a later ownership of a cart than `turn`, or another grant of that one.
    func contradicts(_ grant: GrantedRight) -> Bool {
        states.values.contains { state in
            guard let cart = state.carts[grant.right] else { return false }
            switch cart {
            case .open(let parked): return parked.turn > grant.turn
            case .granted(let other):
                return other.turn > grant.turn || other.turn == grant.turn && other != grant
            // Who has it no more gave it away first, or had it before.
            case .ended: return false
            }
        }
    }

    /// The grant that answers a claim, by the notes of `maker`, with its list; nil: there is none.
    func grant(of claim: ClaimKey, by maker: String) -> (list: NoteListKey, grant: GrantedRight)? {
        for (list, state) in states where list.terminalId == maker {
            if let grant = state.grants[claim] { return (list, grant) }
        }
        return nil
    }

    /// What a till gave of a lease, by the claims.
    func given(of lease: String, by maker: String) -> [ClaimKey: Int64] {
        var amounts: [ClaimKey: Int64] = [:]
        for (list, state) in states where list.terminalId == maker {
            for (key, grant) in state.grants where grant.kind == .lease && grant.right == lease {
                amounts[key] = max(grant.amount, amounts[key] ?? 0)
            }
        }
        return amounts
    }

    /// Whether a list is of an epoch before the last one of its maker.
    func isOver(_ list: NoteListKey) -> Bool {
        states.keys.contains { $0.terminalId == list.terminalId && $0.epoch > list.epoch }
    }

    /// What was granted to a till, with the list of each grant's maker, in order of the claims.
    func grants(to taker: String) -> [(list: NoteListKey, grant: GrantedRight)] {
        states.flatMap { list, state in
            state.grants.values.filter { $0.to == taker }.map { (list, $0) }
        }.sorted { (ClaimKey($0.1), $0.0) < (ClaimKey($1.1), $1.0) }
    }

    /// What a till granted, in order of the claims.
    func grants(by maker: String) -> [GrantedRight] {
        states.filter { $0.key.terminalId == maker }.flatMap { $0.value.grants.values }
            .sorted { ClaimKey($0) < ClaimKey($1) }
    }

    /// Carts that a till has no more, by what its own notes say last.
    func leftCarts(of maker: String) -> [String: NoteState.Cart] {
        var carts: [String: NoteState.Cart] = [:]
        for (list, state) in states where list.terminalId == maker {
            for (id, cart) in state.carts {
                switch (carts[id], cart) {
                case (.ended, _): break
                case (_, .ended), (nil, _): carts[id] = cart
                case (let known?, _): if known.turn < cart.turn { carts[id] = cart }
                }
            }
        }
        return carts.filter { !$0.value.isOpen }
    }

    /// The till that had a cart first, as its owner's notes say; nil: the owner itself.
    func origin(of cart: String, before owner: String) -> String? {
        states.filter { $0.key.terminalId == owner }.compactMap { $0.value.origins[cart] }.first
    }

    /// What became of a cart that nobody has parked; nil: nothing is known of it.
    package func end(of cart: String) -> NoteState.Cart? {
        let known = states.values.compactMap { $0.carts[cart] }
        if let sold = known.first(where: { $0 == .ended(.sold) }) { return sold }
        return known.max { $0.turn < $1.turn }
    }

    /// Whether any till copied a cart.
    package var hasCopies: Bool { states.values.contains { !$0.copies.isEmpty } }

    /// The till that has, or sold, a copy of the same cart as this one, or sold what this one is a copy of;
    /// nil: none is known.
    package func doubles(of cart: String, copiedFrom first: String?) -> String? {
        let root = first ?? cart
        for (list, state) in states.sorted(by: { $0.key < $1.key }) {
            if first != nil, state.carts[root] == .ended(.sold) { return list.terminalId }
            let copies = state.copies[root] ?? []
            if copies.contains(where: { $0 != cart && state.carts[$0] != .ended(.dropped) }) {
                return list.terminalId
            }
        }
        return nil
    }

    /// The carts of the store that their owners can sell, by the notes: the last ownership of each.
    package var openCarts: [(owner: String, cart: ParkedCart)] {
        var carts: [String: (owner: String, cart: ParkedCart)] = [:]
        var turns: [String: Int64] = [:]
        let epochs = Dictionary(states.keys.map { ($0.terminalId, $0.epoch) }, uniquingKeysWith: max)
        for (list, state) in states.sorted(by: { $0.key < $1.key }) {
            for (id, cart) in state.carts where cart.turn > turns[id] ?? 0 {
                switch cart {
                // In a later epoch its maker names again what it has.
                case .open where list.epoch != epochs[list.terminalId]: continue
                case .open(let parked): carts[id] = (list.terminalId, parked)
                case .granted, .ended: carts[id] = nil
                }
                turns[id] = cart.turn
            }
        }
        return carts.values.sorted { $0.cart.id < $1.cart.id }
    }
}
