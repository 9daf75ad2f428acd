package import Base
internal import HubProtocol
internal import Pricing

/// One way in which a part of a cart was taken that is not sold yet.
package struct TakenTender: MemberDocument {
    /// A tender of the store.
    package var method = ""
    /// Minor units, above 0.
    package var amount = MoneyAmount()
    /// Whether the customer has handed it over; else it is charged with the sale.
    package var isInHand = false
    /// The number of a voucher; nil: none.
    package var reference: String?

    /// A tender, as the agent has it.
    package init(method: String, amount: MoneyAmount, isInHand: Bool, reference: String? = nil) {
        (self.method, self.amount, self.isInHand, self.reference) = (method, amount, isInHand, reference)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("method", &method)
        try amount.members(&m)
        try m("inHand", &isInHand)
        try m.optional("reference", &reference)
    }
}

/// What was taken for a cart that is not sold yet, as the agent has it on disk, and the decision what becomes
/// of it. Counter, line dialogue and commands use this and nothing else.
package struct TakenMoney: Hashable, Sendable {
    /// In the order of taking.
    package let parts: [TakenTender]

    /// Nothing, unless `parts` has some.
    package init(_ parts: [TakenTender] = []) {
        self.parts = parts
    }

    package var isNone: Bool { parts.isEmpty }
    /// Minor units.
    package var sum: Int64 { parts.reduce(0) { $0 + $1.amount.amount } }
    /// Minor units that the customer has handed over.
    package var inHand: Int64 { parts.lazy.filter(\.isInHand).reduce(0) { $0 + $1.amount.amount } }
    /// As the payments of a sale.
    package var tenders: [SellCall.Tender] {
        parts.map {
            SellCall.Tender(method: $0.method, amountMinor: $0.amount.amount, reference: $0.reference)
        }
    }

    /// What stays once the cart comes to `total`: a card is charged with the sale, so one that is not needed
    /// any more is not charged, while what was handed over stays until it is handed back.
    ///
    /// - Parameter total: minor units, what comes back for it taken off.
    package func fitting(_ total: Int64) -> TakenMoney {
        sum > max(0, total) ? TakenMoney(parts.filter(\.isInHand)) : self
    }

    /// What a cashier does with it when a cart ends so.
    package func handBack(at end: CartEnd) -> HandBack {
        switch end {
        // The sale has it, or the cart keeps it.
        case .sold, .parked, .left: HandBack(inHand: [], notCharged: [])
        case .emptied:
            HandBack(inHand: parts.filter(\.isInHand), notCharged: parts.filter { !$0.isInHand })
        }
    }
}

/// How a front end lets go of a cart. Behind each of them it begins with a new customer: nothing of the one
/// before stays on the screen, no member, no coupon, no points and no money.
package enum CartEnd: CaseIterable, Hashable, Sendable {
    case sold
    /// It waits under a name.
    case parked
    /// The window closes with it; the next counter offers it.
    case left
    /// Nothing of it is sold.
    case emptied
}

/// What the customer gets back of a cart that is emptied.
package struct HandBack: Hashable, Sendable {
    package let inHand: [TakenTender]
    /// Cards and wallets that would have been charged with the sale.
    package let notCharged: [TakenTender]

    /// What goes back, and what was never charged.
    package init(inHand: [TakenTender], notCharged: [TakenTender]) {
        (self.inHand, self.notCharged) = (inHand, notCharged)
    }

    /// Whether there is nothing to say.
    package var isNothing: Bool { inHand.isEmpty && notCharged.isEmpty }

    /// Lines for the cashier, each of some 40 columns: what goes back, then what was never charged.
    ///
    /// - Parameter name: of a tender, in the language.
    package func lines(in language: Language, _ name: (String) -> String) -> [String] {
        let texts = language.cartTexts
        let back = inHand.map {
            texts.handBack($0.amount.text, method: name($0.method), reference: $0.reference)
        }
        return back + notCharged.map { texts.notCharged($0.amount.text, method: name($0.method)) }
    }
}
