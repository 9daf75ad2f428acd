import HubProtocol

/// A sale of a cart that was put aside. Tills that do not see each other can sell one twice: as it was, and
/// as a copy. All copies of a cart count as that cart.
package struct CartSale: Hashable, Sendable {
    /// The first cart's id.
    package let cart: String

    /// Nil where the sale names no cart.
    init?(_ order: CompletedOrder) {
        guard let id = order.copiedFrom ?? order.cartId, !id.isEmpty else { return nil }
        cart = TextBound.key(id)
    }

    /// Keeps a sale: cart, the order's key.
    package static let insertion = """
        INSERT INTO cart_sales (cart, order_id) VALUES ($1, $2) ON CONFLICT (cart, order_id) DO NOTHING
        """

    /// A row where the cart was sold before in the same store, by a sale that was not voided: cart, the
    /// order's key, the store.
    package static let others = """
        SELECT 1 FROM cart_sales c JOIN orders o ON o.order_id = c.order_id
        WHERE c.cart = $1 AND c.order_id <> $2 AND o.store_id = $3 AND o.voided_by IS NULL LIMIT 1
        """
}
