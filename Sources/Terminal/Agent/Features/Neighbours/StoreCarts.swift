internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import Retail
internal import TerminalStore

/// The carts of the store's other tills.
struct StoreCarts: CartSharing {
    let neighbours: NeighboursFeature
    let terminalId: String

    var parked: [CartElsewhere] {
        guard let run = neighbours.run, let notes = run.notes?.storeNotes else { return [] }
        let tills = run.tills
        return notes.openCarts.filter { $0.owner != terminalId }.map { owner, cart in
            CartElsewhere(
                id: cart.id, name: cart.name.isEmpty ? nil : cart.name, count: cart.count, total: cart.total,
                owner: owner, ownerNumber: tills[owner]?.number,
                isReachable: tills[owner]?.isReachable ?? false)
        }
    }

    var areConfirmed: Bool { get async { await neighbours.notConfirmedSince() == nil } }

    func isNoted(_ cart: String) -> Bool { neighbours.run?.notes?.storeNotes.end(of: cart) != nil }

    func take(_ cart: String) async -> CartObstacle? {
        guard let run = neighbours.run, let claims = run.claims, let notes = run.notes?.storeNotes else {
            return .unknown
        }
        let (owner, claim): (String, RightClaim)
        if let found = notes.openCarts.first(where: { $0.cart.id == cart }), found.owner != terminalId {
            owner = found.owner
            // The same for each try, so that a response that was lost costs nothing but time.
            claim = RightClaim(
                claimId: "\(cart)-\(found.cart.turn)", kind: .cart, right: cart,
                origin: found.cart.origin ?? owner)
        } else {
            let place = notes.whereabouts(of: cart)
            guard case .granted(let grant, let giver)? = place, grant.to == terminalId,
                run.isReachable(giver)
            else { return CartObstacle(place, at: terminalId, isReachable: run.isReachable) }
            // What was given to an earlier copy of this disk, which alone knew that it was claimed.
            owner = giver
            claim = RightClaim(
                claimId: grant.claimId, kind: .cart, right: cart,
                origin: notes.origin(of: cart, before: giver) ?? giver)
        }
        switch await claims.want(claim, of: owner) {
        case .granted: return nil
        case .refused(.granted, let other) where other != terminalId && other != nil:
            return CartObstacle(takenBy: other ?? "", isReachable: run.isReachable)
        case .refused(let refusal, let other): return Self.obstacle(refusal, other, at: terminalId, of: owner)
        case .silent: return .silent(owner)
        case .notReady: return .notReady
        case .notKept: return .notKept
        }
    }

    private static func obstacle(
        _ refusal: ClaimRefusal, _ other: String?, at terminalId: String, of owner: String
    ) -> CartObstacle {
        switch refusal {
        case .sold: .sold
        // Its grant comes with the owner's notes.
        case .granted where other == terminalId: .silent(owner)
        case .granted: .granted(to: other ?? "")
        case .inUse: .inUse
        case .hasMoney: .hasMoney
        case .tooManyClaims: .tooMany
        case _: .notGiven
        }
    }

    /// What this till gave away itself it knows best, unless it heard of a later ownership.
    func content(of cart: String, as id: ULID, at now: Int64) async -> KeptCart? {
        let given = (try? await neighbours.run?.claims?.around.rights.given(cart)) ?? nil
        let heard = await neighbours.run?.cartContents?.content(of: cart)
        let isHeardLater = heard.map { $0.turn > given?.turn ?? 0 } ?? false
        guard let moved = isHeardLater ? heard?.content : given?.content else { return nil }
        return KeptCart(moved, id: id, at: now)
    }

    func noteCopy(_ cart: KeptCart) {
        let note = NoteNews.parked(cart, beside: nil, at: neighbours.time.wallMilliseconds())
        if let note { neighbours.run?.notes?.request(note) }
    }

    func doubles(of cart: String, copiedFrom first: String?) -> String? {
        guard let notes = neighbours.run?.notes?.storeNotes, notes.hasCopies else { return nil }
        return notes.doubles(of: cart, copiedFrom: first)
    }
}

extension CartObstacle {
    /// Of a cart that no till has parked.
    ///
    /// - Parameter own: this till.
    init(_ place: StoreNotes.Whereabouts?, at own: String, isReachable: (String) -> Bool) {
        switch place {
        case .sold: self = .sold
        case .granted(let grant, _) where grant.to != own:
            self.init(takenBy: grant.to, isReachable: isReachable)
        // It is claimed of its giver.
        case .granted(_, let giver): self = isReachable(giver) ? .notReady : .silent(giver)
        case nil: self = .unknown
        }
    }

    /// One that is silent may have gone down with the cart.
    fileprivate init(takenBy taker: String, isReachable: (String) -> Bool) {
        self = isReachable(taker) ? .granted(to: taker) : .silent(taker)
    }
}
