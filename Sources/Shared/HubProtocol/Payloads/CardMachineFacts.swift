/// The payload of `card.decided` (docs/reference/card-machine.md): a person said what a card machine could
/// not prove. Its entity is `cardRequest`, the entity's id the request's key.
package struct CardDecision: Fact {
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
        case charged, notCharged
    }

    /// What the decision is about. Of what gives money back, ``Verdict/charged`` says that it went back.
    package enum Purpose: String, Hashable, Sendable, CaseIterable {
        case charge
        /// Undoes a charge.
        case reversal
        case refund
    }

    /// The mutation's type.
    package static let type = "card.decided"
    /// The mutation's entity, also of ``CardDayClosing``.
    package static let entity = "cardRequest"

    /// Of the request, at the till and in the sale's payment.
    package var key = ""
    package var verdict = Verdict.notCharged
    package var purpose = Purpose.charge
    /// Minor units.
    package var amount: Int64 = 0
    /// ISO 4217.
    package var currency = ""
    /// What the machine's paper says of the payment; nil: it says nothing.
    package var reference: String?
    /// Why nothing was charged; nil: something was.
    package var reason: String?
    /// Nil in a store without cashiers.
    package var cashierId: String?
    /// Whose PIN allowed it; nil: none was needed.
    package var approverId: String?
    /// The shift that was open; nil: none was.
    package var shiftId: String?
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay = ""

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: PayloadRange.count)
        try m.text("approverId", &approverId, .valid)
        try m.text("businessDay", &businessDay)
        try m.text("cashierId", &cashierId, .valid.orNull)
        try m.text("currency", &currency)
        try m.text("key", &key, upTo: TextBound.name)
        var named: Purpose? = purpose
        try m.word("purpose", &named, .optional, of: "charge, reversal or refund")
        purpose = named ?? .charge
        try m.text("reason", &reason, .valid)
        try m.text("reference", &reference, .valid)
        try m.text("shiftId", &shiftId, .valid)
        try m.word("verdict", &verdict, of: "charged or notCharged")
    }
}

/// The payload of `card.dayClosed` (docs/reference/card-machine.md): a card machine's own end of day, beside
/// what the till did with it since the one before. Its entity is `cardRequest`, the entity's id the
/// closing's.
package struct CardDayClosing: Fact {
    /// The mutation's type.
    package static let type = "card.dayClosed"

    /// The protocol, as in `cardMachine.kind`.
    package var kind = ""
    /// The machine's own id; nil where it said none.
    package var machineId: String?
    /// What the machine counted: charges less what went back, in minor units; nil where it says no sum.
    package var machine: Int64?
    /// The same of the till.
    package var till: Int64 = 0
    /// ISO 4217.
    package var currency = ""
    /// Nil in a store without cashiers.
    package var cashierId: String?
    /// The shift that was open; nil: none was.
    package var shiftId: String?
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay = ""

    /// By how much the machine has more than the till, in minor units; nil where one of the sums is missing
    /// or there is no such number.
    package var difference: Int64? {
        guard let machine else { return nil }
        let (difference, isTooLarge) = machine.subtractingReportingOverflow(till)
        return isTooLarge ? nil : difference
    }

    /// Whether the machine counted something else than the till: a person has to look for the payment that
    /// one of them lacks.
    package var isDifferent: Bool { machine != nil && difference != 0 }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("businessDay", &businessDay)
        try m.text("cashierId", &cashierId, .valid.orNull)
        try m.text("currency", &currency)
        try m.text("kind", &kind, upTo: TextBound.name)
        try m.number("machine", &machine, .valid)
        try m.text("machineId", &machineId, .valid)
        try m.text("shiftId", &shiftId, .valid)
        try m.number("till", &till, in: PayloadRange.sum)
    }
}

/// What the entries of a shift say of a card machine, oldest first: the till and the hub make it of the same
/// entries.
package struct ShiftCardMachine: Fact {
    /// The types of its entries.
    package static let types = [CardDecision.type, CardDayClosing.type]

    package private(set) var decisions: [CardDecision] = []
    package private(set) var days: [CardDayClosing] = []

    /// Of each kind; more are left out, and the journal has them. A shop has one end of day and a few
    /// decisions in a shift: half would do as well, and twice as many let a hostile till fill twice the page.
    private static let most = 50

    package init() {}

    /// Whether there is neither.
    package var isEmpty: Bool { decisions.isEmpty && days.isEmpty }

    /// Adds an entry; does nothing with one of another type, or one that cannot be read.
    package mutating func add(_ type: String, _ payload: JSONValue) {
        switch type {
        case CardDecision.type where decisions.count < Self.most:
            if let decision = try? CardDecision(json: payload) { decisions.append(decision) }
        case CardDayClosing.type where days.count < Self.most:
            if let day = try? CardDayClosing(json: payload) { days.append(day) }
        case _: break
        }
    }

    /// Adds what a later epoch of the journal has of the same shift.
    package mutating func add(_ later: ShiftCardMachine) {
        decisions += later.decisions.prefix(Self.most - decisions.count)
        days += later.days.prefix(Self.most - days.count)
    }

    /// Without the ends of day: what should be in the drawer can be computed from what cards came to.
    package var blind: ShiftCardMachine {
        var blind = self
        blind.days = []
        return blind
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.list("cardDays", &days, .optional)
        try m.list("cardDecisions", &decisions, .optional)
    }
}

/// What a card machine wants of whoever stands before it; for the screen, never a result.
package enum DeviceProgress: String, Hashable, Sendable, CaseIterable {
    case insertCard, enterPIN, removeCard, wait, wrongPIN, approved, declined
}
