/// A card authorisation as the payment routes show it (http.md section 6).
///
/// Request: `POST /v1/payments/authorizations`, header `Idempotency-Key`, body
/// `{"orderId","amount":{"amount","currency"}}`. Response of every payment route: this object. `201` when
/// newly decided, `200` with `Idempotent-Replayed: true` when known; an unknown key is `404 not_found`.
package struct PaymentAuthorization: Fact {
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
    package private(set) var key = ""
    /// The order that the card pays, a ULID; empty for a void that came before its authorisation.
    package private(set) var orderId = ""
    /// `unknown` leads to `authorized` or `declined`, `storedOffline` to `captured` or `forwardDeclined`;
    /// `authorized` to `captured` or `voided`, `captured` to `voided` or `refunded`; the others are final.
    package private(set) var state = State.unknown
    /// Minor units.
    package private(set) var amount: Int64 = 0
    /// ISO 4217, for example `EUR`; `XXX` where ``orderId`` is empty.
    package private(set) var currency = ""
    /// What is printed on the receipt; nil unless authorised.
    package private(set) var approvalCode: String?
    /// Why it was declined, for the cashier.
    package private(set) var declineReason: String?
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

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        if var money = try m.group("amount", .required) {
            try money.number("amount", &amount)
            try money.text("currency", &currency)
            m.end(money)
        }
        try m.text("approvalCode", &approvalCode, .optional.orNull)
        try m.text("declineReason", &declineReason, .optional.orNull)
        try m.text("key", &key)
        try m.text("orderId", &orderId)
        try m.moment("settledAt", &settledAt, .optional)
        try m.mark("simulated", &isSimulated)
        try m.word("state", &state, of: "a state of a payment")
    }
}
