package import HubProtocol

/// What a document of the type `cash` says: cash that entered or left a drawer outside of a sale.
package struct CashDocument: Fact {
    /// What happened to the drawer.
    package enum Kind: RawRepresentable, Hashable, Sendable {
        case move(CashMove.Kind)
        /// What was in the drawer when the shift was opened.
        case float

        package init?(rawValue: String) {
            guard rawValue != Self.float.rawValue else {
                self = .float
                return
            }
            guard let kind = CashMove.Kind(rawValue: rawValue) else { return nil }
            self = .move(kind)
        }

        package var rawValue: String {
            switch self {
            case .move(let kind): kind.rawValue
            case .float: "float"
            }
        }
    }

    /// Minor units, 0 or more.
    package var amount: Int64 = 0
    package var cashierId: String?
    package var kind: Kind = .move(.noSale)
    package var reason: String?

    package init() {}

    package init(_ kind: Kind, _ amount: Int64, by cashierId: String?, reason: String? = nil) {
        (self.kind, self.amount, self.cashierId, self.reason) = (kind, amount, cashierId, reason)
    }

    package init(_ move: CashMove) {
        self.init(.move(move.kind), move.amount, by: move.cashierId, reason: move.reason)
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: PayloadRange.count)
        try m.text("cashierId", &cashierId, .optional)
        try m.word("kind", &kind, of: "in, out, drop, float or noSale")
        try m.text("reason", &reason, .optional)
    }
}

/// What a document of the type `debt` says: a card that was taken offline and refused afterwards. Its id is
/// the payment's key.
package struct DebtDocument: Fact {
    /// What is owed from then on, in minor units: the payment without what came back of it before.
    package var amount: Int64 = 0
    package var reason: String?

    package init() {}

    package init(_ amount: Int64, reason: String?) {
        (self.amount, self.reason) = (amount, reason)
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: PayloadRange.count)
        try m.text("reason", &reason, .optional)
    }
}

/// What a document of the type `debtSettled` says: a debt got less, or ended.
package struct DebtSettledDocument: Fact {
    /// What settled it.
    package enum Way: String, Hashable, Sendable {
        case refund, void
        /// The customer paid.
        case paid
        /// Nobody will.
        case writtenOff
    }

    /// Minor units.
    package var amount: Int64 = 0
    package var way: Way = .paid
    /// The id of its ``DebtDocument``.
    package var debtId = ""
    /// As an operator typed it.
    package var reason: String?

    package init() {}

    package init(_ debtId: String, _ amount: Int64, by way: Way, reason: String? = nil) {
        (self.debtId, self.amount, self.way, self.reason) = (debtId, amount, way, reason)
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: PayloadRange.count)
        try m.word("by", &way, of: "refund, void, paid or writtenOff")
        try m.text("debtId", &debtId)
        try m.text("reason", &reason, .optional)
    }
}

/// What a document of the type `points` says: a member's balance changed outside of a sale.
package struct PointsDocument: Fact {
    /// Points that were added or, negative, taken off.
    package var delta: Int64 = 0
    package var memberId = ""
    package var reason: String?

    package init() {}

    package init(_ memberId: String, _ delta: Int64, reason: String?) {
        (self.memberId, self.delta, self.reason) = (memberId, delta, reason)
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("delta", &delta)
        try m.text("memberId", &memberId)
        try m.text("reason", &reason, .optional)
    }
}

/// What a document of the type `flag` says: a flag came or went after the intake of what it is about, or it
/// is one of an entry without a document of its own.
package struct FlagDocument: Fact {
    /// Of an entry about a card machine alone: the entry, which has no document of its own.
    package var cardDay: CardDayClosing?
    /// The same of a person's decision.
    package var cardDecision: CardDecision?
    package var flag = ""
    package var isSet: Bool?
    /// Of ``discarded`` alone: what the terminal says, which counts in its shift and in no figure of sales.
    package var stated: SaleDocument?
    /// The same of cash that moved outside of a sale.
    package var statedCash: CashDocument?
    /// The type that a document of it would have: `order`, `void`, `refund` or `cash`.
    package var statedType: String?
    /// The id of the document that it is about; of ``discarded`` that of the refused entry, and of a card
    /// machine that of its entry, which have none.
    package var subject = ""

    /// The flag of a refused entry that a person gave up, and whose money moved all the same.
    package static let discarded = "discarded"

    package init() {}

    package init(_ flag: String, isSet: Bool, of subject: String) {
        (self.flag, self.isSet, self.subject) = (flag, isSet, subject)
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.part("cardDay", &cardDay, .optional)
        try m.part("cardDecision", &cardDecision, .optional)
        try m.text("flag", &flag)
        try m.flag("set", &isSet, .required)
        try m.part("stated", &stated, .optional)
        try m.part("statedCash", &statedCash, .optional)
        try m.text("statedType", &statedType, .optional)
        try m.text("subject", &subject)
    }
}
