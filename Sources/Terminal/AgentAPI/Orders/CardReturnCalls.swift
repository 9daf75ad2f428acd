public import HubProtocol

/// Money that the terminal's own card machine has to give back to a card.
public struct CardReturnRecord: AgentDocument {
    /// The refund that it belongs to; of a void the order's id.
    public let refundId: String
    /// The sale that was charged, a ULID.
    public let orderId: String
    /// As printed on the sale's receipt.
    public let orderNumber: String
    /// A tender of the store.
    public let method: String
    /// What goes back.
    public let amount: MoneyAmount
    /// RFC 3339.
    public let madeAt: String
    /// `waiting`: the machine has not responded; `returned`; `refused`: owed to the customer; `paidInCash`.
    public let state: String
    /// Why the machine refused it; nil: it did not.
    public let reason: String?

    /// A return; `reason` is nil unless the machine refused it.
    public init(
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
    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            refundId: try members.string("refundId"), orderId: try members.string("orderId"),
            orderNumber: try members.string("orderNumber"), method: try members.string("method"),
            amount: try members.document("amount"), madeAt: try members.string("madeAt"),
            state: try members.string("state"), reason: try members.nullable("reason", members.string))
    }

    /// Eight members; `reason` is null where the machine did not refuse.
    public var json: JSONValue {
        [
            "refundId": .string(refundId), "orderId": .string(orderId), "orderNumber": .string(orderNumber),
            "method": .string(method), "amount": amount.json, "madeAt": .string(madeAt),
            "state": .string(state), "reason": JSONValue(reason),
        ]
    }
}

/// `GET /v1/card-returns`: what goes back to cards, or was refused and nobody has paid.
public struct CardReturnsCall: AgentCall {
    /// The document of `pos orders owed`.
    public struct Response: AgentDocument {
        /// The oldest first.
        public let returns: [CardReturnRecord]

        /// A list.
        public init(returns: [CardReturnRecord]) {
            self.returns = returns
        }

        /// The member is required.
        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(returns: try members.documents("returns"))
        }

        /// `{"returns":[…]}`.
        public var json: JSONValue { ["returns": JSONValue(documents: returns)] }
    }

    /// The request has no parameters.
    public init() {}

    /// `GET`.
    public var request: AgentRequest { AgentRequest("GET", AgentRoutes.cardReturns) }
}

/// `POST /v1/card-returns/{id}/cash`: pays in cash what the card machine refused to give back.
public struct PayCardReturnCall: AgentCall {
    /// The movement of cash.
    public typealias Response = MoveCashCall.Response

    /// The ``CardReturnRecord/refundId``.
    public let refundId: String
    /// Who pays it; it needs an approver in a store with cashiers.
    public let person: AgentPerson

    /// A request to pay what is owed for `refundId`.
    public init(refundId: String, person: AgentPerson) {
        (self.refundId, self.person) = (refundId, person)
    }

    /// Reads the body of a request; members beside the person are refused.
    public init(refundId: String, body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names)
        self.init(refundId: refundId, person: try AgentPerson(members))
    }

    /// `POST`, with the person.
    public var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.one(of: AgentRoutes.cardReturns, refundId, "cash"),
            body: .object(person.added(to: [:])))
    }
}
