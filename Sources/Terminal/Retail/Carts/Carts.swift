package import Base
package import MachineRuntime
internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Synchronization

/// The carts of this terminal: keeps them, gives them back, and lets go of them.
///
/// A cart stays on disk from its first line until its sale is recorded or it is dropped: a front end or an
/// agent that is killed in between loses nothing. The sale takes the cart's id as its key, so that a cart
/// resumed twice is sold once.
package struct Carts: Sendable {
    /// A shop with more customers waiting has another problem; the list has to stay readable.
    package static let maximumCarts = 200

    let store: any CartStore
    let checkout: Checkout
    let time: any SystemTime
    let tills: (any CartSharing)?
    private let recent = RecentQuotes()

    /// - Parameters:
    ///   - checkout: prices what is kept, by the rules of a sale.
    ///   - tills: the others of the store; nil, the default: this terminal sees none.
    package init(
        store: any CartStore, checkout: Checkout, time: any SystemTime, tills: (any CartSharing)? = nil
    ) {
        (self.store, self.checkout, self.time, self.tills) = (store, checkout, time, tills)
    }

    /// Prices a cart for a front end, which sends it to be kept next.
    package func quote(_ request: SaleRequest) async throws(SaleRefusal) -> Quote {
        let quote = try await checkout.quote(request)
        if let key = request.key { recent.note(quote, of: request, key) }
        return quote
    }

    /// Keeps what a front end has on its screen; durable when it returns. Another cart that it had there is
    /// left, and never lost.
    ///
    /// - Parameters:
    ///   - returns: goods that come back for it; nil: none.
    ///   - revision: of the front end's changes, rising.
    package func keep(
        _ request: SaleRequest, for returns: RefundRequest? = nil, revision: Int64, by frontEnd: FrontEnd
    ) async throws(CartRefusal) -> KeptCart {
        guard let key = request.key else { throw .unknownCart("") }
        var next = try await priced(request, for: returns, id: key, name: nil)
        next.revision = revision
        return try await changing(key, on: frontEnd) { [next] before in
            Result { () throws(CartRefusal) in try KeptCart.replaced(before, by: next, of: frontEnd) }
        }
    }

    /// The carts on the screen of `frontEnd` are left for the next counter.
    ///
    /// - Parameter frontEnd: nil: every front end inside the agent's process.
    /// - Returns: how many were.
    @discardableResult
    package func leave(_ frontEnd: FrontEnd?) async throws(CartRefusal) -> Int {
        return try await CartRefusal.accessing(await store.leave(frontEnd))
    }

    /// Parks what `request` contains, with what was taken for it; durable when it returns. A request whose
    /// key is that of a cart on disk replaces that one.
    package func park(
        _ request: SaleRequest, for returns: RefundRequest? = nil, name: String?, by frontEnd: FrontEnd? = nil
    ) async throws(CartRefusal) -> KeptCart {
        if let name, name.utf8.count > TextBound.entered {
            throw .textTooLong(field: "name", limit: TextBound.entered)
        }
        let carts = try await list()
        let former = carts.first { $0.id == request.key }
        if former == nil, let key = request.key { try await checkGranted(key) }
        var next = try await priced(request, for: returns, id: former?.id ?? freshId(), name: name)
        next.journey = former?.journey ?? CartJourney()
        next.journey?.isDoubleKnown = false
        let waiting = carts.count { if case .open = $0.state { false } else { $0.id != next.id } }
        guard waiting < Self.maximumCarts else { throw .tooManyCarts(limit: Self.maximumCarts) }
        return try await changing(next.id) { [next] before in
            if let other = before?.holder(beside: frontEnd) { return .failure(.inUse(other)) }
            return .success(before?.renamed(next, name: name) ?? next)
        }
    }

    /// Every cart that was neither sold nor dropped, the oldest first.
    package func list() async throws(CartRefusal) -> [KeptCart] {
        return try await CartRefusal.accessing(await store.carts())
    }

    /// The cart of an id as typed.
    package func cart(_ id: String) async throws(CartRefusal) -> KeptCart {
        if let cart = try await list().first(where: { $0.id == ULID(id) }) { return cart }
        guard let key = ULID(id) else { throw .unknownCart(id) }
        let sale = try await CartRefusal.accessing(await store.sale(of: key))
        guard let sale else {
            try await checkGranted(key)
            throw .unknownCart(id)
        }
        throw await shown(.alreadySold(orderNumber: sale.orderNumber, soldAt: sale.soldAt))
    }

    /// Takes a cart up again.
    ///
    /// - Parameters:
    ///   - frontEnd: on whose screen it is then; nil: of a command that ends at once.
    ///   - claim: who takes it off another screen, with the approver where ``ApprovalAction/cartCopy`` needs
    ///     one. Nil: one that is on another screen is refused, as it always is in a store without cashiers,
    ///     where nobody can approve.
    package func resume(
        _ id: String, by frontEnd: FrontEnd? = nil, taking claim: PersonClaim? = nil
    ) async throws(CartRefusal) -> KeptCart {
        let cart = try await cart(id)
        let now = time.wallMilliseconds()
        var isApproved = false
        if let claim, cart.holder(beside: frontEnd) != nil, checkout.authority.hasPeople {
            try await authorizeCopy(claim)
            isApproved = true
        }
        var isDouble = false
        do throws(CartRefusal) {
            try checkDouble(of: cart.id, cart.journey)
        } catch {
            guard let claim else { throw error }
            if !isApproved { try await authorizeCopy(claim) }
            isDouble = true
        }
        let isKnown = isDouble || tills?.isNoted(cart.id.description) == true
        return try await changing(cart.id, on: frontEnd) { [isApproved, isDouble] before in
            guard let before else { return .failure(.unknownCart(id)) }
            return Result { () throws(CartRefusal) in
                var next = try before.resumed(by: frontEnd, isApproved: isApproved, at: now)
                if isKnown { next.journey = next.journey ?? CartJourney() }
                if isDouble { next.journey?.isDoubleKnown = true }
                return next
            }
        }
    }

    /// The member of the cart on the screen of `frontEnd`, as typed; nil: there is no such cart, or it has no
    /// member.
    ///
    /// - Parameter frontEnd: nil: of all screens the cart that changed last.
    package func openMember(of frontEnd: FrontEnd?) async -> String? {
        // A status is no reason to fail for a cart that cannot be read.
        ((try? await store.openCart(of: frontEnd)) ?? nil)?.memberId
    }

    /// Removes the cart; nothing of it was sold. A card that was requested for it is voided first.
    ///
    /// - Parameter isHandedBack: the customer has back what was taken.
    package func drop(
        _ id: String, isHandedBack: Bool = false, by frontEnd: FrontEnd? = nil
    ) async throws(CartRefusal) -> KeptCart {
        let cart = try await cart(id)
        try cart.checkDrop(isHandedBack: isHandedBack, by: frontEnd)
        do throws(SaleRefusal) {
            try await checkout.dropSuspended(cart.id)
        } catch {
            if case .cardOutcomeUnknown(let detail, _) = error { throw .cardUnknown(detail: detail) }
            throw .sale(error)
        }
        // Somebody may have taken it up meanwhile.
        return try await changing(cart.id, isDeletion: true) { before in
            guard let before else { return .failure(.unknownCart(id)) }
            return Result { () throws(CartRefusal) in
                try before.checkDrop(isHandedBack: isHandedBack, by: frontEnd)
                return before
            }
        }
    }

    /// Refuses the sale of a cart that is on another screen: who sells it takes it up first.
    package func checkSale(of key: ULID, by frontEnd: FrontEnd?) async throws(CartRefusal) {
        guard let place = try await CartRefusal.accessing(await store.place(of: key)) else {
            return try await checkGranted(key)
        }
        if let screen = place.screen, screen.text != frontEnd?.text { throw .inUse(screen) }
        try checkDouble(of: key, place.journey)
        guard place.journey == nil, tills?.isNoted(key.description) == true else { return }
        // It was put aside in an earlier copy of this disk: its sale names it all the same.
        _ = try await changing(key) { before in
            guard var next = before else { return .failure(.unknownCart(key.description)) }
            next.journey = next.journey ?? CartJourney()
            return .success(next)
        }
    }

    func changing(
        _ id: ULID, on screen: FrontEnd? = nil, isDeletion: Bool = false,
        _ body: @escaping @Sendable (KeptCart?) -> Result<KeptCart, CartRefusal>
    ) async throws(CartRefusal) -> KeptCart {
        let result = try await CartRefusal.accessing(
            await store.change(id, on: screen, isDeletion: isDeletion, body))
        do throws(CartRefusal) {
            return try result.get()
        } catch {
            throw await shown(error)
        }
    }

    /// With the store's time of a sale.
    private func shown(_ refusal: CartRefusal) async -> CartRefusal {
        guard case .alreadySold(let number, let soldAt, _) = refusal else { return refusal }
        return .alreadySold(
            orderNumber: number, soldAt: soldAt,
            shownAt: await checkout.policy.calendar.localTime(at: soldAt))
    }

    /// What is kept of a request: its lines as they were just priced, else priced now. Goods that come back
    /// are kept without a line, too: their customer has not chosen yet.
    private func priced(
        _ request: SaleRequest, for returns: RefundRequest?, id: ULID, name: String?
    ) async throws(CartRefusal) -> KeptCart {
        if let open = request.payments.first(where: { $0.amountMinor == nil }) {
            throw .amountMissing(method: open.method)
        }
        let taken: [TakenTender]
        let content: (lines: [KeptCart.Line], currency: String, total: Int64)
        do throws(SaleRefusal) {
            taken = try await checkout.taken(by: request.payments)
            content =
                if request.lines.isEmpty, returns != nil {
                    ([], try await checkout.currency(), 0)
                } else {
                    try await lines(of: request)
                }
        } catch {
            throw .sale(error)
        }
        var cart = KeptCart(
            id: id, name: name, since: time.wallMilliseconds(), lines: content.lines,
            currency: content.currency, total: content.total, memberId: request.memberId,
            coupons: request.coupons, points: request.points, taken: taken)
        cart.returns = returns
        let signedIn = (try? await checkout.authority.signedIn()) ?? nil
        cart.cashierId = signedIn?.signIn.cashier.id
        return cart
    }

    private func lines(
        of request: SaleRequest
    ) async throws(SaleRefusal) -> (lines: [KeptCart.Line], currency: String, total: Int64) {
        let quote =
            if let known = recent.quote(of: request) { known } else { try await self.quote(request) }
        let lines = zip(request.lines, quote.lines).map { entry, line in
            KeptCart.Line(entry: entry, sku: line.sku, name: line.name, total: line.price.total)
        }
        return (lines, quote.currency, quote.totals.total)
    }

    func freshId() -> ULID {
        var generator = SystemRandomNumberGenerator()
        return ULID(milliseconds: UInt64(clamping: time.wallMilliseconds()), using: &generator)
    }
}

extension KeptCart {
    /// `next` in place of it, under its former name unless another one is given.
    fileprivate func renamed(_ next: KeptCart, name: String?) -> KeptCart {
        var parked = KeptCart(
            id: id, name: name ?? self.name, since: next.since, lines: next.lines, currency: next.currency,
            total: next.total, memberId: next.memberId, coupons: next.coupons, points: next.points,
            taken: next.taken)
        (parked.cashierId, parked.returns, parked.journey) = (next.cashierId, next.returns, next.journey)
        return parked
    }
}

extension Checkout {
    /// The catalogue's currency.
    func currency() async throws(SaleRefusal) -> String {
        let currency: String?
        do throws(CatalogueError) {
            currency = try await ports.catalogue.currency()
        } catch {
            throw SaleRefusal(error)
        }
        // Without an article nothing can be sold, and so nothing comes back for it.
        guard let currency else { throw .noLines }
        return currency
    }

    /// What was taken for a cart that is not sold: tenders of the store, each with its amount.
    func taken(by payments: [SaleRequest.Payment]) throws(SaleRefusal) -> [TakenTender] {
        var taken: [TakenTender] = []
        for payment in payments {
            guard let tender = policy.tender(payment.method) else {
                throw .unknownPaymentMethod(payment.method, known: policy.tenders.tenders.map(\.method))
            }
            guard let amount = payment.amountMinor, amount != 0 else { continue }
            guard amount > 0 else { throw .negativePayment }
            taken.append(
                TakenTender(
                    method: tender.method, kind: tender.kind, amount: amount, reference: payment.reference))
        }
        return taken
    }
}

/// What carts on screens came to a moment ago, so that keeping one does not price it again.
private final class RecentQuotes: Sendable {
    /// One for each screen of a terminal; more of them are priced again.
    private static let most = 16

    private let state = Mutex<[(key: ULID, request: SaleRequest, quote: Quote)]>([])

    func note(_ quote: Quote, of request: SaleRequest, _ key: ULID) {
        state.withLock { entries in
            entries.removeAll { $0.key == key }
            entries.append((key, Self.content(of: request), quote))
            if entries.count > Self.most { entries.removeFirst() }
        }
    }

    /// Nil for a request whose content another quote was of.
    func quote(of request: SaleRequest) -> Quote? {
        let content = Self.content(of: request)
        return state.withLock { entries in
            entries.first { $0.key == request.key && $0.request == content }?.quote
        }
    }

    /// What its price depends on.
    private static func content(of request: SaleRequest) -> SaleRequest {
        var content = SaleRequest(
            lines: request.lines, memberId: request.memberId, coupons: request.coupons)
        content.points = request.points
        return content
    }
}
