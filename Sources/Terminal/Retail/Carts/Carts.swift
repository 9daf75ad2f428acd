public import Base
public import MachineRuntime
internal import Pricing

/// Parks carts, and gives them back.
///
/// A cart that is resumed stays on disk until its sale is recorded: a front end that is killed in between
/// loses nothing. The sale takes the cart's id as its key, so that a cart resumed twice is sold once.
public struct Carts: Sendable {
    /// A shop with more customers waiting has another problem; the list has to stay readable.
    public static let maximumCarts = 200
    /// As every text that is passed on unread, see ``CheckoutPolicy/maximumTextBytes``.
    public static let maximumNameBytes = 200

    private let store: any CartStore
    private let checkout: Checkout
    private let time: any SystemTime

    /// - Parameter checkout: prices what is parked, by the rules of a sale.
    public init(store: any CartStore, checkout: Checkout, time: any SystemTime) {
        (self.store, self.checkout, self.time) = (store, checkout, time)
    }

    /// Parks what `request` contains; durable when it returns. A request whose key is that of a parked cart
    /// replaces that one, as a cart that was resumed and is parked again.
    public func park(_ request: SaleRequest, name: String?) async throws(CartRefusal) -> ParkedCart {
        if let name, name.utf8.count > Self.maximumNameBytes {
            throw .textTooLong(field: "name", limit: Self.maximumNameBytes)
        }
        let quote: Quote
        do throws(SaleRefusal) {
            quote = try await checkout.quote(request)
        } catch {
            throw .sale(error)
        }
        let parked = try await list()
        let former = parked.first { $0.id == request.key }
        guard former != nil || parked.count < Self.maximumCarts else {
            throw .tooManyCarts(limit: Self.maximumCarts)
        }
        let now = time.wallMilliseconds()
        let cart = ParkedCart(
            id: former?.id ?? Self.id(at: now), name: name ?? former?.name, parkedAt: now,
            lines: zip(request.lines, quote.lines).map { entry, line in
                ParkedCart.Line(entry: entry, sku: line.sku, name: line.name, total: line.price.total)
            }, currency: quote.currency, total: quote.totals.total, memberId: request.memberId,
            coupons: request.coupons, points: request.points)
        try await keep(cart)
        return cart
    }

    /// Every cart that was neither sold nor dropped, the oldest first.
    public func list() async throws(CartRefusal) -> [ParkedCart] {
        do throws(StorageError) {
            return try await store.carts()
        } catch {
            throw CartRefusal(error)
        }
    }

    /// The cart of an id as typed.
    public func cart(_ id: String) async throws(CartRefusal) -> ParkedCart {
        guard let cart = try await list().first(where: { $0.id == ULID(id) }) else {
            throw .unknownCart(id)
        }
        return cart
    }

    /// Notes that somebody works on the cart again.
    public func resume(_ id: String) async throws(CartRefusal) -> ParkedCart {
        var cart = try await cart(id)
        cart.resumedAt = time.wallMilliseconds()
        try await keep(cart)
        return cart
    }

    /// Removes the cart; nothing of it was sold. A card that was requested for it is voided first.
    public func drop(_ id: String) async throws(CartRefusal) -> ParkedCart {
        let cart = try await cart(id)
        do throws(SaleRefusal) {
            try await checkout.dropSuspended(cart.id)
        } catch {
            throw .sale(error)
        }
        do throws(StorageError) {
            try await store.delete(cart.id)
        } catch {
            throw CartRefusal(error)
        }
        return cart
    }

    /// Removes the cart that a sale was made of. What cannot be removed is not listed either, since its sale
    /// is recorded, so an error here is no error of the sale.
    public func sold(_ key: ULID) async {
        try? await store.delete(key)
    }

    private func keep(_ cart: ParkedCart) async throws(CartRefusal) {
        do throws(StorageError) {
            try await store.keep(cart)
        } catch {
            throw CartRefusal(error)
        }
    }

    private static func id(at now: Int64) -> ULID {
        var generator = SystemRandomNumberGenerator()
        return ULID(milliseconds: UInt64(clamping: now), using: &generator)
    }
}
