package import HubProtocol

/// `GET /v1/card-machine`: the terminal's own card machine, and what is not finished at it.
package struct CardMachineCall: AgentCall {
    /// A call without arguments.
    package init() {}

    /// `GET /v1/card-machine`; a free machine is connected to, and no money moves.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.cardMachine) }

    /// Whether the machine would take a card.
    package enum State: String, DocumentValue {
        /// No machine is configured.
        case none
        case ready, busy, unreachable, refused
        /// The result of a payment is open, and no other one is taken before it is known.
        case undecided
    }

    /// A request whose end is not known, or which a person has still to do something about.
    package struct Open: MemberDocument {
        /// The id for ``DecideCardCall``.
        package var key = ""
        /// `charge`, `refund` or `reversal`.
        package var purpose = ""
        /// As in docs/reference/card-machine.md: `sent`, `unknown`, `voiding`, `voidRequested`.
        package var state = ""
        /// Minor units.
        package var amount: Int64 = 0
        /// ISO 4217.
        package var currency = ""
        /// RFC 3339.
        package var since = ""
        /// Whether queries prove nothing, so that a person decides.
        package var isForPerson = false

        /// An open request.
        package init(
            key: String, purpose: String, state: String, amount: Int64, currency: String, since: String,
            isForPerson: Bool
        ) {
            self.key = key
            self.purpose = purpose
            self.state = state
            self.amount = amount
            self.currency = currency
            self.since = since
            self.isForPerson = isForPerson
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("key", &key)
            try m("purpose", &purpose)
            try m("state", &state)
            try m("amount", &amount)
            try m("currency", &currency)
            try m("since", &since)
            try m("forPerson", &isForPerson)
        }
    }

    /// The document of `pos card status --json`, and of `pos card test --json`.
    package struct Response: MemberDocument {
        /// As `cardMachine.kind`; nil: no machine is configured.
        package var kind: String?
        /// As `cardMachine.address`.
        package var address: String?
        package var state = State.none
        /// The machine's own id; nil where it was not reached, or has none.
        package var machineId: String?
        /// The newest booking of the machine; nil: none is known.
        package var lastReceipt: Int64?
        /// Whether the newest booking is one that this till did not see: somebody else used the machine.
        package var isForeign = false
        /// What the machine can do.
        package var can: [String] = []
        /// The oldest first.
        package var waiting: [Open] = []

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m.nullable("kind", &kind)
            try m.nullable("address", &address)
            try m("state", &state)
            try m.nullable("machineId", &machineId)
            try m.nullable("lastReceipt", &lastReceipt)
            try m("foreign", &isForeign)
            try m("can", &can)
            try m("waiting", &waiting)
        }
    }
}

/// `POST /v1/card-machine/test`: a login or registration, without money.
package struct CardTestCall: AgentCall {
    /// The same document as ``CardMachineCall``.
    package typealias Response = CardMachineCall.Response

    /// A call without arguments.
    package init() {}

    /// `POST /v1/card-machine/test`; it can take 30 s.
    package var request: AgentRequest {
        AgentRequest("POST", AgentRoutes.cardMachine + "/test", body: [:])
    }
}

/// `POST /v1/card-machine/last`: the newest booking of the machine.
package struct CardLastCall: AgentCall {
    /// A call without arguments.
    package init() {}

    /// `POST /v1/card-machine/last`; it can take 30 s.
    package var request: AgentRequest {
        AgentRequest("POST", AgentRoutes.cardMachine + "/last", body: [:])
    }

    /// The document of `pos card last --json`.
    package struct Response: MemberDocument {
        /// Nil: the machine has no booking, or gives its bookings no numbers.
        package var receipt: Int64?
        /// Minor units; nil where the machine said none.
        package var amount: Int64?
        /// ISO 4217; nil without an amount.
        package var currency: String?
        /// By the machine's clock: `MMDD HHMMSS` (zvt), RFC 3339 (nexo); nil where it said none.
        package var at: String?
        /// Whether it gives money back that another booking took.
        package var isReversal = false
        /// Whether the bank approved it.
        package var isApproved = false

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m.nullable("receipt", &receipt)
            try m.nullable("amount", &amount)
            try m.nullable("currency", &currency)
            try m.nullable("at", &at)
            try m("reversal", &isReversal)
            try m("approved", &isApproved)
        }
    }
}

/// `POST /v1/card-machine/close-day`: the machine's own end of day, beside what this till did with it.
package struct CardCloseDayCall: AgentCall {
    /// Who closes it.
    package let person: AgentPerson

    /// An end of day.
    package init(person: AgentPerson) { self.person = person }

    /// Reads the body of a request.
    ///
    /// - Throws: `unknownField` for a member that names nobody.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names)
        person = try AgentPerson(members)
    }

    /// `POST /v1/card-machine/close-day`; it can take minutes.
    package var request: AgentRequest {
        AgentRequest("POST", AgentRoutes.cardMachine + "/close-day", body: .object(person.added(to: [:])))
    }

    /// The document of `pos card close-day --json`.
    package struct Response: MemberDocument {
        /// What the machine closed, in minor units: charges less what went back; nil where it said none.
        package var machine: Int64?
        /// What this till did with the machine since its last end of day.
        package var till: Int64 = 0
        /// `machine` less `till`; nil without the former. Zero where both agree.
        package var difference: Int64?
        /// The machine's sum where the response to the end of day before was lost, so that the machine has
        /// two periods and this till one; ``machine`` is nil then.
        package var secondSum: Int64?
        /// ISO 4217.
        package var currency = ""
        /// What people decided since both agreed last, as `card.decided` has it; empty where they agree now.
        package var decided: [JSONValue] = []

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m.nullable("machine", &machine)
            try m("till", &till)
            try m.nullable("difference", &difference)
            try m.optional("secondSum", &secondSum)
            try m("currency", &currency)
            try m("decided", &decided)
        }
    }
}

/// `POST /v1/card-machine/decide`: a person decides what nobody knows, with the machine's paper.
package struct DecideCardCall: AgentCall {
    /// The ``CardMachineCall/Open/key``.
    package let key: String
    /// Whether the card was charged.
    package let isCharged: Bool
    /// The number on the machine's paper, or why it was not charged.
    package let text: String
    /// Who decides it.
    package let person: AgentPerson

    /// A decision.
    package init(key: String, isCharged: Bool, text: String, person: AgentPerson) {
        self.key = key
        self.isCharged = isCharged
        self.text = text
        self.person = person
    }

    /// Reads the body of a request.
    ///
    /// - Throws: `malformed` without `key`, `decision` and `text`, `unknownField` for another member.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union(["key", "decision", "text"]))
        guard let key = try members.text("key"), let decision = try members.text("decision"),
            ["charged", "notCharged"].contains(decision), let text = try members.text("text")
        else { throw members.malformed("key, decision and text", "there, decision as charged or notCharged") }
        self.init(
            key: key, isCharged: decision == "charged", text: text, person: try AgentPerson(members))
    }

    /// `POST /v1/card-machine/decide`.
    package var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.cardMachine + "/decide",
            body: .object(
                person.added(to: [
                    "key": .string(key), "decision": isCharged ? "charged" : "notCharged",
                    "text": .string(text),
                ])))
    }

    /// The document of `pos card decide --json`.
    package struct Response: MemberDocument {
        package var key = ""
        /// `charged` or `declined`.
        package var state = ""

        /// A decision that is on disk.
        package init(key: String, state: String) { (self.key, self.state) = (key, state) }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("key", &key)
            try m("state", &state)
        }
    }
}
