public import AgentAPI

/// What is over the cart. One at a time; Escape closes it.
public enum CounterDialog: Sendable {
    case menu(selected: Int)
    case help
    /// One field.
    case entry(Field, LineEditor)
    case tender(LineEditor, selected: Int)
    /// The sale is on disk; the next key begins the next one.
    case paid(SaleResponse)
    case carts([CartRecord]?, selected: Int)
    case search(LineEditor, [ProductCall.Response], selected: Int)
    case orders([OrderEntry]?, selected: Int)
    /// The lines of an order, and which of them come back.
    case refund(OrderEntry, marked: Set<Int>, selected: Int)
    case refunded(RefundResponse)
    /// The cart is full, and leaving drops it.
    case leave

    /// What a field is for.
    public enum Field: Hashable, Sendable {
        case quantity, discount, price, member, coupon, parkName, offlineReason
        case cashier
        case cashierPIN(id: String)
        /// Who approves the action that was refused.
        case approver(action: String)
        case approverPIN(id: String, action: String)
        case refundReason(OrderEntry, marked: Set<Int>)

        /// Whether what is typed is a secret.
        public var isSecret: Bool {
            switch self {
            case .cashierPIN, .approverPIN: true
            default: false
            }
        }
    }
}

/// What a key of the footer and a row of the menu do.
public enum CounterAction: Int, CaseIterable, Hashable, Sendable {
    case help, search, quantity, discount, price, member, coupon, park, refund, pay, sign, banner, offline
    case remove, leave

    /// F1 to F12; nil: the action has none.
    public var functionKey: Int? { rawValue < 12 ? rawValue + 1 : nil }

    /// The letter of the menu, and with Alt everywhere.
    public var letter: Unicode.Scalar {
        switch self {
        case .help: "h"
        case .search: "f"
        case .quantity: "n"
        case .discount: "d"
        case .price: "e"
        case .member: "m"
        case .coupon: "c"
        case .park: "k"
        case .refund: "r"
        case .pay: "p"
        case .sign: "s"
        case .banner: "b"
        case .offline: "o"
        case .remove: "x"
        case .leave: "q"
        }
    }
}
