internal import Base
internal import HubProtocol
internal import Retail

/// The column `content` of a grant: what this till gave away by it, for who gets it and for its own eyes.
struct GrantContent: Fact {
    /// Of a cart what another till gets; nil: the grant is of a receipt, or the cart was not here.
    private var cart: MovedCart?
    /// Who was signed in with the cart's last change.
    private var cashierId: String?
    private var journey: CartJourney?
    /// Of a receipt what its taker may take back.
    private(set) var lines: [CompletedRefund.Line] = []

    init() {}

    init(_ row: GrantTable.Row) {
        (cart, cashierId, journey) = (row.cart.map(MovedCart.init), row.cart?.cashierId, row.cart?.journey)
        lines = row.lines.map(RefundPayload.line)
    }

    mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.part("cart", &cart, .valid)
        try m.text("cashierId", &cashierId, .valid)
        try m.part("journey", &journey, .valid)
        try m.list("lines", &lines)
    }

    /// The cart as it stood here; nil: there was none.
    func kept(_ right: String) -> KeptCart? {
        guard let id = ULID(right), let cart, var kept = KeptCart(cart, id: id, at: cart.parkedAt) else {
            return nil
        }
        kept.cashierId = cashierId
        kept.journey = journey ?? kept.journey
        return kept
    }
}
