extension CartObstacle {
    /// - Parameter cart: its id.
    func english(_ cart: String) -> String {
        switch self {
        case .unknown: CartRefusal.unknownCart(cart).message
        case .granted(let taker):
            "Till \(taker) of the store has this cart; sell it there, or take it from there."
        case .sold: "The cart is sold. Nothing is to be paid."
        case .inUse: "The cart is on a screen of its till; park it there, then take it."
        case .hasMoney:
            "Something was taken for the cart, or a card may be charged for it; sell it at its till."
        case .notGiven:
            "Its till does not give this cart away: it is too long, or older than that till's journal. Sell it there."
        case .tooMany: "This till took five carts that it has not sold; sell or drop one of them."
        case .silent:
            "The cart's till does not respond; try again. `pos cart copy \(cart)` makes a new cart of its lines."
        case .notReady:
            "This till does not know yet what it gave to the others; try again in some seconds (`pos neighbours`)."
        case .doubled(let till):
            "Till \(till) has this cart as well, or sold it; nothing was changed. Look there, then go on with "
                + "--from-window, or --approver ID of a manager."
        case .contentUnknown: "The cart's till does not respond, and what is in the cart is not known here."
        case .notKept: CartRefusal.notRecorded(detail: "the cart was not kept").message
        }
    }
}
