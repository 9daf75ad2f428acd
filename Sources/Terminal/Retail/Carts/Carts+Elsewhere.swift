import Base
internal import HubProtocol
internal import MachineRuntime
internal import OfflineCore

/// Carts of the store's other tills.
extension Carts {
    /// This terminal's id; nil: it sees no other tills.
    package var terminalId: String? { tills?.terminalId }

    /// The parked carts of other tills, with the currency of their totals.
    package func elsewhere() async throws(CartRefusal) -> (carts: [CartElsewhere], currency: String) {
        guard let parked = tills?.parked, !parked.isEmpty else { return ([], "") }
        let here = Set(try await list().map(\.id.description))
        do throws(SaleRefusal) {
            return (parked.filter { !here.contains($0.id) }, try await checkout.currency())
        } catch {
            throw .sale(error)
        }
    }

    /// Makes another till's cart this one's; durable when it returns. One that is this till's stays so.
    /// Where the hub has not said for long which tills there are, whoever may copy it decides.
    package func take(_ id: String) async throws(CartRefusal) -> KeptCart {
        try await take(id, isAuthorized: false)
    }

    private func take(_ id: String, isAuthorized: Bool) async throws(CartRefusal) -> KeptCart {
        if let own = try await list().first(where: { $0.id == ULID(id) }) { return own }
        guard let key = ULID(id) else { throw .unknownCart(id) }
        if try await CartRefusal.accessing(await store.sale(of: key)) != nil { throw .elsewhere(.sold, id) }
        guard let tills else { throw .unknownCart(id) }
        if !isAuthorized, await !tills.areConfirmed { try await authorizeCopy(PersonClaim()) }
        if let obstacle = await tills.take(key.description) { throw .elsewhere(obstacle, id) }
        return try await cart(id)
    }

    /// Copies lines, member and coupons of a cart whose till is silent into a new one, never what was taken.
    /// A cart that can be taken is taken; one that was copied here before is the same copy.
    package func copy(_ id: String, by claim: PersonClaim) async throws(CartRefusal) -> KeptCart {
        try await authorizeCopy(claim)
        do throws(CartRefusal) {
            return try await take(id, isAuthorized: true)
        } catch .elsewhere(.silent, _) {
            // Its till cannot say whether it has sold it.
        }
        guard let tills, let key = ULID(id), let copy = await copied(key) else {
            throw .elsewhere(.contentUnknown, id)
        }
        let copies = try await list().filter { $0.journey?.copiedFrom != nil && $0.journey?.turn == 0 }
        if let before = copies.first(where: { $0.journey?.copiedFrom == copy.journey?.copiedFrom }) {
            return before
        }
        // Others do not look at more of one till.
        guard copies.count < NeighbourLimits.copiesUnsold else { throw .elsewhere(.tooMany, id) }
        let kept = try await changing(copy.id) { _ in .success(copy) }
        tills.noteCopy(kept)
        return kept
    }

    private func copied(_ key: ULID) async -> KeptCart? {
        guard let cart = await tills?.content(of: key.description, as: freshId(), at: time.wallMilliseconds())
        else { return nil }
        var copy = KeptCart(
            id: cart.id, name: cart.name, since: cart.since, lines: cart.lines, currency: cart.currency,
            total: cart.total, memberId: cart.memberId, coupons: cart.coupons)
        var journey = CartJourney()
        journey.copiedFrom = cart.journey?.copiedFrom ?? key.description
        copy.journey = journey
        return copy
    }

    /// Who may sell a cart that another till may sell as well.
    func authorizeCopy(_ claim: PersonClaim) async throws(CartRefusal) {
        guard checkout.authority.hasPeople else { return }
        do throws(AuthorityRefusal) {
            _ = try await checkout.authority.authorize(claim, [.cartCopy])
        } catch {
            throw .sale(.authority(error))
        }
    }

    /// Refuses a cart that another till has by a grant of this one.
    func checkGranted(_ key: ULID) async throws(CartRefusal) {
        guard let taker = try await CartRefusal.accessing(await store.taker(of: key)) else { return }
        throw .elsewhere(.granted(to: taker), key.description)
    }

    /// Refuses a cart that another till has or sold as well, until a person has decided.
    func checkDouble(of cart: ULID, _ journey: CartJourney?) throws(CartRefusal) {
        guard journey?.isDoubleKnown != true else { return }
        let other =
            journey?.elsewhere ?? tills?.doubles(of: cart.description, copiedFrom: journey?.copiedFrom)
        if let other { throw .elsewhere(.doubled(at: other), cart.description) }
    }
}
