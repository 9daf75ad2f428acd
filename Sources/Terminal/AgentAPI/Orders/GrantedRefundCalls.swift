internal import HubProtocol

/// A refund that another till of the store may make of a sale of this one, and has not made.
package struct GrantedRefundRecord: MemberDocument {
    /// The id for ``TakeBackRefundCall``.
    package var refundId = ""
    /// As printed on the sale's receipt.
    package var orderNumber = ""
    package var amount = MoneyAmount()
    /// The till that may make it.
    package var terminalId = ""
    /// Nil: it was not heard since the start.
    package var number: Int64?
    /// RFC 3339.
    package var madeAt = ""
    /// Since that till was heard last, or since the start.
    package var silentSeconds: Int64 = 0

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("refundId", &refundId)
        try m("orderNumber", &orderNumber)
        try m("amount", &amount)
        try m("terminalId", &terminalId)
        try m.nullable("number", &number)
        try m("madeAt", &madeAt)
        try m("silentSeconds", &silentSeconds)
    }
}

/// `GET /v1/granted-refunds`: what other tills of the store may give back of sales of this one.
package struct GrantedRefundsCall: AgentCall {
    /// The document of `pos orders granted`.
    package struct Response: MemberDocument {
        /// The oldest first.
        package var granted: [GrantedRefundRecord] = []

        package init(granted: [GrantedRefundRecord]) { self.granted = granted }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("granted", &granted)
        }
    }

    /// The request has no parameters.
    package init() {}

    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.grantedRefunds) }
}

/// `POST /v1/granted-refunds/{id}/take-back`: lets this till give back again what a silent one was granted.
package struct TakeBackRefundCall: RefundAct {
    /// What was taken back.
    package typealias Response = GrantedRefundRecord

    package static let place = (route: AgentRoutes.grantedRefunds, verb: "take-back")
    /// The ``GrantedRefundRecord/refundId``.
    package let refundId: String
    /// It needs an approver in a store with cashiers.
    package let person: AgentPerson

    package init(refundId: String, person: AgentPerson) {
        (self.refundId, self.person) = (refundId, person)
    }
}
