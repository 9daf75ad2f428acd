import Base

/// A card authorisation as the payment routes show it (http.md section 6).
///
/// Request: `POST /v1/payments/authorizations`, header `Idempotency-Key`, body
/// `{"orderId","amount":{"amount","currency"}}`. Response of every payment route: this object. `201` when
/// newly decided, `200` with `Idempotent-Replayed: true` when known; an unknown key is `404 not_found`.
package struct PaymentAuthorization: Hashable, Sendable {
    /// Decided by the hub's payment service; the raw value is the text of `state`.
    package enum State: String, Hashable, Sendable {
        case authorized
        case declined
        case captured
        case voided
        /// All of the money went back.
        case refunded
        /// The payment service has not responded; the hub requests it again by the same key.
        case unknown
        /// A terminal's token that is not forwarded yet.
        case storedOffline
        /// The payment service refused a forwarded token: a debt.
        case forwardDeclined
    }

    /// The idempotency key: a ULID minted by the terminal.
    package let key: String
    /// The order that the card pays, a ULID; empty for a void that came before its authorisation.
    package let orderId: String
    /// `unknown` leads to `authorized` or `declined`, `storedOffline` to `captured` or `forwardDeclined`;
    /// `authorized` to `captured` or `voided`, `captured` to `voided` or `refunded`; the others are final.
    package let state: State
    /// Minor units.
    package let amount: Int64
    /// ISO 4217, for example `EUR`; `XXX` where ``orderId`` is empty.
    package let currency: String
    /// What is printed on the receipt; nil unless authorised.
    package let approvalCode: String?
    /// Why it was declined, for the cashier.
    package let declineReason: String?
    /// Whether a simulator decided, so that no money moves. Member `simulated`, which only then is there.
    package var isSimulated = false
    /// When an operator noted that a debt was paid or written off, milliseconds since 1970; nil for all else.
    /// Member `settledAt`, RFC 3339, which only then is there.
    package var settledAt: Int64?

    /// Makes an authorisation that is not simulated and no settled debt; set ``isSimulated`` and
    /// ``settledAt`` afterwards where it is.
    package init(
        key: String, orderId: String, state: State, amount: Int64, currency: String, approvalCode: String?,
        declineReason: String?
    ) {
        self.key = key
        self.orderId = orderId
        self.state = state
        self.amount = amount
        self.currency = currency
        self.approvalCode = approvalCode
        self.declineReason = declineReason
    }

    /// Reads the response; a missing `simulated` is false, a `settledAt` that is no time is nil. Throws
    /// ``ShapeError`` for a state that this version does not have.
    package init(json: JSONValue) throws(ShapeError) {
        key = try json.requiredString("key")
        orderId = try json.requiredString("orderId")
        guard let state = State(rawValue: try json.requiredString("state")) else {
            throw ShapeError(path: "state", expected: "a state of a payment")
        }
        self.state = state
        let money = try json.requiredObject("amount")
        amount = try money.requiredInteger("amount")
        currency = try money.requiredString("currency")
        approvalCode = json["approvalCode"]?.string
        declineReason = json["declineReason"]?.string
        isSimulated = json["simulated"]?.bool ?? false
        settledAt = json["settledAt"]?.string.flatMap(Timestamp.milliseconds(of:))
    }

    /// The response of every payment route; the amount is a money object.
    package var json: JSONValue {
        var members: JSONObject = [
            "key": .string(key), "orderId": .string(orderId), "state": .string(state.rawValue),
            "amount": ["amount": .integer(amount), "currency": .string(currency)],
            "approvalCode": JSONValue(approvalCode), "declineReason": JSONValue(declineReason),
        ]
        if isSimulated { members["simulated"] = true }
        if let settledAt { members["settledAt"] = .string(Timestamp.text(milliseconds: settledAt)) }
        return .object(members)
    }
}
