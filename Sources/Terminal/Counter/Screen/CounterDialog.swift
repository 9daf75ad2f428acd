package import AgentAPI
package import HubProtocol

/// What is over the cart. One at a time; Escape closes it.
package enum CounterDialog: Sendable {
    case menu(selected: Int)
    case help
    case entry(Field, LineEditor)
    case tender(LineEditor, selected: Int)
    /// The sale is on disk; the next key begins the next one.
    case paid(SaleResponse, Paper)
    case carts([CartRecord]?, selected: Int)
    case search(LineEditor, [ProductCall.Response], selected: Int)
    /// What the line is sold as that the catalogue does not have; nil: the agent has not responded yet.
    case departments([DepartmentRecord]?, EnteredLine, selected: Int)
    /// The newest orders, and what is typed or scanned of a receipt.
    case orders([OrderEntry]?, LineEditor, selected: Int)
    /// The lines of a sale, and which of them come back.
    case refund(CounterRefund, marked: Set<Int>, selected: Int)
    case refunded(RefundResponse)
    /// Card sales whose result nobody has seen.
    case unseen([UnseenSalesCall.Sale], selected: Int)
    /// What the hub refused; nil: the agent has not responded yet.
    case refusals([CounterRefusal]?, selected: Int)
    /// One of them, and the keys that decide on it.
    case refusal(CounterRefusal)
    /// Nil: the agent has not responded yet.
    case printer(PrinterCall.Response?)
    /// The open shift, or the one that was just closed; nil: the agent has not responded yet.
    case shift(CounterShift?)
    /// The other tills of the store; nil: the agent has not responded yet.
    case tills(NeighboursCall.Response?, selected: Int)
    /// What does not work now, why, and what ends it.
    case obstacles
    /// The cart is full; the next counter offers it.
    case leave
    /// A cart that a window left, with what was taken for it.
    case offer(CartSummary)
    /// What goes back to the customer before a cart is emptied or dropped.
    case handBack(CounterHandBack)

    package enum Field: Hashable, Sendable {
        case quantity, discount, price, member, coupon, parkName, offlineReason
        /// Off the whole cart.
        case discountAll
        /// Points of the member that the sale spends.
        case points
        /// Of a voucher that pays.
        case voucherNumber(CounterScreen.TenderChoice)
        /// How much of a scanned article that is sold by weight or measure.
        case openQuantity(EnteredLine, name: String)
        /// The price of a scanned article that has no fixed one, in its currency.
        case openPrice(EnteredLine, name: String, currency: String)
        /// Of a member who is made with a telephone number that nobody has.
        case memberName(phone: String)
        case cashier
        case cashierPIN(id: String)
        /// Who approves the action that was refused.
        case approver(action: String)
        case approverPIN(id: String, action: String)
        case refundReason(CounterRefund, marked: Set<Int>)
        case dropReason(CartRecord)
        case voidReason(UnseenSalesCall.Sale)
        case discardReason(CounterRefusal)
        /// Cash in the drawer at the begin, and at the end.
        case shiftFloat(currency: String)
        case shiftCounted(currency: String)
        case cashAmount(CashMove.Kind, currency: String)
        case cashReason(CashMove.Kind, amount: Int64, currency: String)

        /// Of the amount that is typed, where it is not the cart's.
        var currency: String? {
            switch self {
            case .openPrice(_, _, let currency), .shiftFloat(let currency), .shiftCounted(let currency),
                .cashAmount(_, let currency), .cashReason(_, _, let currency):
                currency
            default: nil
            }
        }

        /// Whether what is typed is a name or a reason, which stays as it is; anything else is a number or a
        /// code, for which a Chinese input method may type full-width characters.
        var isProse: Bool {
            switch self {
            case .memberName, .parkName, .offlineReason, .refundReason, .dropReason, .voidReason,
                .discardReason, .cashReason:
                true
            case .quantity, .discount, .price, .member, .coupon, .discountAll, .points, .voucherNumber,
                .openQuantity, .openPrice, .cashier, .cashierPIN, .approver, .approverPIN, .shiftFloat,
                .shiftCounted, .cashAmount:
                false
            }
        }

        /// Whether what is typed is a secret.
        package var isSecret: Bool {
            switch self {
            case .cashierPIN, .approverPIN: true
            default: false
            }
        }
    }
}

/// What is known of a receipt's paper.
package enum Paper: Hashable, Sendable {
    /// Nobody has looked yet.
    case unknown
    /// No printer is configured.
    case none
    case printing
    case printed
    /// It waits in the spool; the text is the printer's, nil: it has none.
    case waiting(String?)
}

/// What a key of the footer and a row of the menu do.
package enum CounterAction: Int, CaseIterable, Hashable, Sendable {
    case help, search, quantity, discount, price, member, coupon, park, refund, pay, sign, banner, offline
    case remove, openItem, discountAll, points, voidLast, shift, decide, printer, tills, leave

    /// F1 to F12; nil: the action has none.
    package var functionKey: Int? { rawValue < 12 ? rawValue + 1 : nil }

    /// The letter of the menu, and with Alt everywhere.
    package var letter: Unicode.Scalar {
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
        case .openItem: "u"
        case .discountAll: "a"
        case .points: "i"
        case .voidLast: "v"
        case .shift: "z"
        case .decide: "w"
        case .printer: "t"
        case .tills: "l"
        case .leave: "q"
        }
    }
}
