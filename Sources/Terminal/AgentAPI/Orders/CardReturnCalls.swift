package import HubProtocol

/// Money that the terminal's own card machine has to give back to a card.
package struct CardReturnRecord: AgentDocument {
    /// The refund that it belongs to; of a void the order's id.
    package let refundId: String
    /// The sale that was charged, a ULID.
    package let orderId: String
    /// As printed on the sale's receipt.
    package let orderNumber: String
    /// A tender of the store.
    package let method: String
    /// What goes back.
    package let amount: MoneyAmount
    /// RFC 3339.
    package let madeAt: String
    /// `waiting`: the machine has not responded; `returned`; `refused`: owed to the customer; `paidInCash`.
    package let state: String
    /// Why the machine refused it; nil: it did not.
    package let reason: String?

    /// A return; `reason` is nil unless the machine refused it.
    package init(
        refundId: String, orderId: String, orderNumber: String, method: String, amount: MoneyAmount,
        madeAt: String, state: String, reason: String?
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

    /// Every member is required; `reason` may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            refundId: try members.string("refundId"), orderId: try members.string("orderId"),
            orderNumber: try members.string("orderNumber"), method: try members.string("method"),
            amount: try members.document("amount"), madeAt: try members.string("madeAt"),
            state: try members.string("state"), reason: try members.nullable("reason", members.string))
    }

    /// Eight members; `reason` is null where the machine did not refuse.
    package var json: JSONValue {
        [
            "refundId": .string(refundId), "orderId": .string(orderId), "orderNumber": .string(orderNumber),
            "method": .string(method), "amount": amount.json, "madeAt": .string(madeAt),
            "state": .string(state), "reason": JSONValue(reason),
        ]
    }
}

/// `GET /v1/card-returns`: what goes back to cards, or was refused and nobody has paid.
package struct CardReturnsCall: AgentCall {
    /// The document of `pos orders owed`.
    package struct Response: AgentDocument {
        /// The oldest first.
        package let returns: [CardReturnRecord]

        /// A list.
        package init(returns: [CardReturnRecord]) {
            self.returns = returns
        }

        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(returns: try members.documents("returns"))
        }

        /// `{"returns":[…]}`.
        package var json: JSONValue { ["returns": JSONValue(documents: returns)] }
    }

    /// The request has no parameters.
    package init() {}

    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.cardReturns) }
}

/// `POST /v1/card-returns/{id}/cash`: pays in cash what the card machine refused to give back.
package struct PayCardReturnCall: AgentCall {
    /// The movement of cash.
    package typealias Response = MoveCashCall.Response

    /// The ``CardReturnRecord/refundId``.
    package let refundId: String
    /// Who pays it; it needs an approver in a store with cashiers.
    package let person: AgentPerson

    /// A request to pay what is owed for `refundId`.
    package init(refundId: String, person: AgentPerson) {
        (self.refundId, self.person) = (refundId, person)
    }

    /// Reads the body of a request; members beside the person are refused.
    package init(refundId: String, body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names)
        self.init(refundId: refundId, person: try AgentPerson(members))
    }

    /// `POST`, with the person.
    package var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.one(of: AgentRoutes.cardReturns, refundId, "cash"),
            body: .object(person.added(to: [:])))
    }
}
