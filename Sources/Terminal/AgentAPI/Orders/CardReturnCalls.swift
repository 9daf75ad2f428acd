package import HubProtocol

/// Money that the terminal's own card machine has to give back to a card.
package struct CardReturnRecord: MemberDocument {
    package enum State: String, DocumentValue {
        /// The machine has not responded.
        case waiting
        /// The machine took it on, and a person confirms it.
        case requested
        case returned
        /// The machine refused it: it is owed to the customer.
        case refused
        case paidInCash
    }

    /// The refund that it belongs to; of a void the order's id.
    package var refundId = ""
    /// The sale that was charged, a ULID.
    package var orderId = ""
    /// As printed on the sale's receipt.
    package var orderNumber = ""
    /// A tender of the store.
    package var method = ""
    /// What goes back.
    package var amount = MoneyAmount()
    /// RFC 3339.
    package var madeAt = ""
    package var state = State.waiting
    /// Why the machine refused it; nil: it did not.
    package var reason: String?
    /// Whether it waits for a person to begin it, with the customer's card.
    package var needsCard = false

    /// A return; `reason` is nil unless the machine refused it.
    package init(
        refundId: String, orderId: String, orderNumber: String, method: String, amount: MoneyAmount,
        madeAt: String, state: State, reason: String?
    ) {
        self.refundId = refundId
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.method = method
        self.amount = amount
        self.madeAt = madeAt
        self.state = state
        self.reason = reason
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("refundId", &refundId)
        try m("orderId", &orderId)
        try m("orderNumber", &orderNumber)
        try m("method", &method)
        try m("amount", &amount)
        try m("madeAt", &madeAt)
        try m("state", &state)
        try m.nullable("reason", &reason)
        try m.optional("needsCard", &needsCard, absent: false)
    }
}

/// `GET /v1/card-returns`: what goes back to cards, or was refused and nobody has paid.
package struct CardReturnsCall: AgentCall {
    /// The document of `pos orders owed`.
    package struct Response: MemberDocument {
        /// The oldest first.
        package var returns: [CardReturnRecord] = []

        /// A list.
        package init(returns: [CardReturnRecord]) {
            self.returns = returns
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("returns", &returns)
        }
    }

    /// The request has no parameters.
    package init() {}

    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.cardReturns) }
}

/// A person does something about one refund; the request's body has the person alone.
package protocol RefundAct: AgentCall {
    /// Below which the refund's id stands, and what is done behind it.
    static var place: (route: String, verb: String) { get }
    var refundId: String { get }
    var person: AgentPerson { get }

    init(refundId: String, person: AgentPerson)
}

extension RefundAct {
    /// Reads the body of a request; members beside the person are refused.
    package init(refundId: String, body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names)
        self.init(refundId: refundId, person: try AgentPerson(members))
    }

    /// `POST`, with the person.
    package var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.one(of: Self.place.route, refundId, Self.place.verb),
            body: .object(person.added(to: [:])))
    }
}

/// `POST /v1/card-returns/{id}/card`: sends to the card machine again what waits, with the customer there.
package struct ReturnToCardCall: RefundAct {
    /// All of the refund, or of the order's void, as it is then.
    package typealias Response = CardReturnsCall.Response

    package static let place = (route: AgentRoutes.cardReturns, verb: "card")
    /// The ``CardReturnRecord/refundId``.
    package let refundId: String
    /// Who refunds it.
    package let person: AgentPerson

    package init(refundId: String, person: AgentPerson) {
        (self.refundId, self.person) = (refundId, person)
    }
}

/// `POST /v1/card-returns/{id}/cash`: pays in cash what the card machine refused, or
/// what waits for a card.
package struct PayCardReturnCall: RefundAct {
    /// The movement of cash.
    package typealias Response = MoveCashCall.Response

    package static let place = (route: AgentRoutes.cardReturns, verb: "cash")
    /// The ``CardReturnRecord/refundId``.
    package let refundId: String
    /// Who pays it; it needs an approver in a store with cashiers.
    package let person: AgentPerson

    package init(refundId: String, person: AgentPerson) {
        (self.refundId, self.person) = (refundId, person)
    }
}
