package import HubProtocol

/// What the notes of one list say: carts, refunds, and what was granted and released. Notes only add to it:
/// the order in which they come changes nothing, a cart that ended stays ended, and no note lowers what was
/// given back.
package struct NoteState: Hashable, Sendable {
    /// What is known of a cart.
    package enum Cart: Hashable, Sendable {
        /// Its maker can sell it.
        case open(ParkedCart)
        /// It is another till's by a grant.
        case granted(GrantedRight)
        /// Nobody sells it any more; how it ended is not known when a checkpoint has it no longer.
        case ended(EndedCart.End?)
    }

    /// By their ids.
    package private(set) var carts: [String: Cart] = [:]
    /// By their ids.
    package private(set) var refunds: [String: NotedRefund] = [:]
    /// What the list's maker gave away, by the claims.
    package private(set) var grants: [ClaimKey: GrantedRight] = [:]
    /// What was released, and when by the maker's clock, by the claims.
    package private(set) var releases: [ClaimKey: Int64] = [:]
    /// The carts that the list's maker gave away, by their ids, in order of the notes.
    package private(set) var cartGrants: [String: [GrantedRight]] = [:]
    /// The lowest number of an ownership that the list names, by the carts.
    package private(set) var firstTurns: [String: Int64] = [:]
    /// The tills that had carts first which the maker has from others, by the carts.
    package private(set) var origins: [String: String] = [:]
    /// Copies that the maker made of carts, by those carts.
    package private(set) var copies: [String: Set<String>] = [:]
    /// Copies that the maker sold, by their ids.
    package private(set) var soldCopies: [String: SoldCopy] = [:]
    /// A cart that the maker granted twice in one ownership: it gives away what it does not have.
    package private(set) var grantedTwice: String?
    /// Notes of known kinds whose bodies could not be read; they are kept and passed on all the same.
    package private(set) var unread = 0

    /// Nothing is known yet.
    package init() {}

    /// Adds what a note says. A kind that is not known changes nothing.
    package mutating func add(_ note: NeighbourNote) {
        guard let kind = NoteKind(rawValue: note.kind) else { return }
        do throws(ShapeError) {
            switch kind {
            case .cartParked: add(try ParkedCart(json: note.body))
            case .cartGranted, .refundGranted, .leaseGiven:
                let grant = try GrantedRight(json: note.body)
                if grant.kind.note == kind { add(grant) } else { unread += 1 }
            case .released: add(try ReleasedRight(json: note.body))
            case .cartEnded: end(try EndedCart(json: note.body), at: note.madeAt)
            case .refundMade: add(try NotedRefund(json: note.body))
            case .checkpoint: add(try CheckpointPart(json: note.body))
            }
        } catch {
            unread += 1
        }
    }

    /// The carts that are open, by their ids.
    package var openCarts: [ParkedCart] {
        let open = carts.values.compactMap { cart -> ParkedCart? in
            if case .open(let parked) = cart { parked } else { nil }
        }
        return open.sorted { $0.id < $1.id }
    }

    /// The refunds that were made at `moment` or later by their maker's clock, by their ids.
    package func refunds(since moment: Int64) -> [NotedRefund] {
        refunds.values.filter { $0.madeAt >= moment }.sorted { $0.refundId < $1.refundId }
    }

    /// What was granted at `moment` or later by its maker's clock, by the claims.
    package func grants(since moment: Int64) -> [GrantedRight] {
        grants.filter { $0.value.madeAt >= moment }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// What was released at `moment` or later by its maker's clock, by the claims.
    package func releases(since moment: Int64) -> [ReleasedRight] {
        releases.filter { $0.value >= moment }.sorted { $0.key < $1.key }.map { key, madeAt in
            ReleasedRight(taker: key.taker, claimId: key.claimId, madeAt: madeAt)
        }
    }

    /// The copies that were sold at `moment` or later by their maker's clock, by their ids.
    package func soldCopies(since moment: Int64) -> [SoldCopy] {
        soldCopies.values.filter { $0.soldAt >= moment }.sorted { $0.id < $1.id }
    }

    /// The number of the last ownership of a cart that the list names; 0: it does not name the cart.
    package func turn(of cart: String) -> Int64 { carts[cart]?.turn ?? 0 }

    /// Whether a checkpoint that says only `checkpoint` takes nothing away of this: no cart that ended is
    /// open in it, and it has each refund since `moment`, with the same amount at least, each grant, and each
    /// copy that was sold.
    package func isCovered(by checkpoint: NoteState, since moment: Int64) -> Bool {
        guard checkpoint.openCarts.allSatisfy({ carts[$0.id].map(\.isOpen) ?? true }) else { return false }
        guard grants(since: moment).allSatisfy({ checkpoint.grants[ClaimKey($0)] == $0 }) else {
            return false
        }
        guard soldCopies(since: moment).allSatisfy({ checkpoint.soldCopies[$0.id] != nil }) else {
            return false
        }
        return refunds(since: moment).allSatisfy { refund in
            checkpoint.refunds[refund.refundId].map {
                $0.amount >= refund.amount && $0.orderId == refund.orderId
            } ?? false
        }
    }

    /// Ends the carts that were open before a checkpoint and that it does not have: it has all open ones, and
    /// the notes of their ends can lie before it.
    mutating func endCarts(openIn before: NoteState, notIn checkpoint: NoteState) {
        for cart in before.openCarts where checkpoint.carts[cart.id] == nil { carts[cart.id] = .ended(nil) }
    }

    private mutating func name(_ cart: String, turn: Int64) {
        firstTurns[cart] = min(turn, firstTurns[cart] ?? turn)
    }

    private mutating func add(_ cart: ParkedCart) {
        name(cart.id, turn: cart.turn)
        if let origin = cart.origin { origins[cart.id] = origin }
        if let first = cart.copiedFrom { copies[first, default: []].insert(cart.id) }
        switch carts[cart.id] {
        case .ended: return
        case .open(let known) where known.turn >= cart.turn: return
        case .granted(let grant) where grant.turn >= cart.turn: return
        case .open, .granted, nil: carts[cart.id] = .open(cart)
        }
    }

    private mutating func add(_ grant: GrantedRight) {
        let isKnown = grants.updateValue(grant, forKey: ClaimKey(grant)) != nil
        guard grant.kind == .cart, !isKnown else { return }
        name(grant.right, turn: grant.turn)
        cartGrants[grant.right, default: []].append(grant)
        switch carts[grant.right] {
        case .ended: return
        case .granted(let known) where known.turn == grant.turn: grantedTwice = grantedTwice ?? grant.right
        case .granted(let known) where known.turn > grant.turn: return
        case .open(let known) where known.turn > grant.turn: return
        case .open, .granted, nil: carts[grant.right] = .granted(grant)
        }
    }

    private mutating func add(_ release: ReleasedRight) {
        let key = ClaimKey(taker: release.taker, claimId: release.claimId)
        releases[key] = max(release.madeAt, releases[key] ?? release.madeAt)
    }

    private mutating func end(_ cart: EndedCart, at moment: Int64) {
        if cart.end == .sold, case .open(let parked)? = carts[cart.id], let first = parked.copiedFrom {
            add(SoldCopy(id: cart.id, copiedFrom: first, soldAt: moment))
        }
        switch carts[cart.id] {
        case .ended: return
        case .open, .granted, nil: carts[cart.id] = .ended(cart.end)
        }
    }

    private mutating func add(_ copy: SoldCopy) {
        copies[copy.copiedFrom, default: []].insert(copy.id)
        soldCopies[copy.id] = copy
        carts[copy.id] = .ended(.sold)
    }

    private mutating func add(_ refund: NotedRefund) {
        guard let known = refunds[refund.refundId] else {
            refunds[refund.refundId] = refund
            return
        }
        // One id with two amounts: the larger one counts.
        if refund.amount > known.amount { refunds[refund.refundId] = refund }
    }

    private mutating func add(_ part: CheckpointPart) {
        for cart in part.carts { add(cart) }
        for grant in part.grants { add(grant) }
        for refund in part.refunds { add(refund) }
        for release in part.releases { add(release) }
        for copy in part.copies { add(copy) }
    }
}

extension NoteState.Cart {
    /// Whether its maker can still sell it.
    package var isOpen: Bool { if case .open = self { true } else { false } }

    /// Of its last ownership; 0 of one that ended.
    package var turn: Int64 {
        switch self {
        case .open(let parked): parked.turn
        case .granted(let grant): grant.turn
        case .ended: 0
        }
    }
}
