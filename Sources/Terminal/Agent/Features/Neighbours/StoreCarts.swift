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

    var hasCopies: Bool { neighbours.run?.notes?.storeNotes.hasCopies ?? false }

    func take(_ cart: String) async -> CartObstacle? {
        guard let run = neighbours.run, let claims = run.claims, let notes = run.notes?.storeNotes else {
            return .unknown
        }
        guard let (owner, parked) = notes.openCarts.first(where: { $0.cart.id == cart }),
            owner != terminalId
        else {
            switch notes.end(of: cart) {
            case .granted(let grant) where grant.to != terminalId: return .granted(to: grant.to)
            case .ended(.sold): return .sold
            case .granted: return .notReady
            case .open, .ended, nil: return .unknown
            }
        }
        // The same for each try, so that a response that was lost costs nothing but time.
        let claim = RightClaim(
            claimId: "\(cart)-\(parked.turn)", kind: .cart, right: cart, origin: parked.origin ?? owner)
        switch await claims.want(claim, of: owner) {
        case .granted: return nil
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

    func content(of cart: String, as id: ULID, at now: Int64) async -> KeptCart? {
        guard let moved = await neighbours.run?.cartContents?.content(of: cart) else { return nil }
        return KeptCart(moved, id: id, at: now)
    }

    func noteCopy(_ cart: KeptCart) {
        let note = NoteNews.parked(cart, beside: nil, at: neighbours.time.wallMilliseconds())
        if let note { neighbours.run?.notes?.request(note) }
    }

    func doubles(of cart: KeptCart) -> String? {
        guard let notes = neighbours.run?.notes?.storeNotes else { return nil }
        return notes.doubles(of: cart.id.description, copiedFrom: cart.journey?.copiedFrom)
    }
}
