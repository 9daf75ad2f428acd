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
    let states: [NoteListKey: NoteState]
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

    /// Whether a till that had the cart by this grant, or after it, or its maker names a later ownership than
    /// its turn, or another grant of that one. What others write of the cart says nothing.
    ///
    /// - Parameter maker: of the grant.
    func contradicts(_ grant: GrantedRight, of maker: String) -> Bool {
        let owners = CartOwners(of: grant.right, in: states).owners(from: maker, by: grant)
        return states.contains { list, state in
            guard owners.contains(list.terminalId) else { return false }
            switch state.carts[grant.right] {
            case .open(let parked): return parked.turn > grant.turn
            case .granted(let other):
                return other.turn > grant.turn || other.turn == grant.turn && other != grant
            // Who has it no more gave it away first, or had it before.
            case .ended, nil: return false
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
    package func origin(of cart: String, before owner: String) -> String? {
        states.filter { $0.key.terminalId == owner }.compactMap { $0.value.origins[cart] }.first
    }
}
