internal import Base
package import HubProtocol

/// A payment that the service has not decided, as the hub requests it.
package struct UndecidedPayment: Hashable, Sendable {
    /// ``PaymentAuthorization/State/unknown`` or `storedOffline`.
    package let payment: PaymentAuthorization
    /// The terminal that it came from.
    package let terminalId: String
    /// The sealed token of a stored one.
    package let sealed: PaymentDetails.SealedToken?
    /// When the terminal stored it, milliseconds since 1970; nil for one that is unknown.
    package let storedAt: Int64?

    package init(
        payment: PaymentAuthorization, terminalId: String, sealed: PaymentDetails.SealedToken?,
        storedAt: Int64?
    ) {
        self.payment = payment
        self.terminalId = terminalId
        self.sealed = sealed
        self.storedAt = storedAt
    }
}

/// What the payment service has to get about a payment that it granted.
package struct PaymentCall: Hashable, Sendable {
    /// What is to be done; the raw value is the last part of the gateway's path.
    package enum Kind: String, Hashable, Sendable {
        case capture, void, refund
    }

    /// Counts up; calls of one payment are made in this order.
    package let id: Int64
    package let key: String
    /// The terminal that requested the payment.
    package let terminalId: String
    /// What is to be done.
    package let kind: Kind
    /// The idempotency key of the call.
    package let callKey: String
    /// Minor units.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String

    package init(
        id: Int64, key: String, terminalId: String, kind: Kind, callKey: String, amount: Int64,
        currency: String
    ) {
        self.id = id
        self.key = key
        self.terminalId = terminalId
        self.kind = kind
        self.callKey = callKey
        self.amount = amount
        self.currency = currency
    }
}

/// A stored payment that the service refused: goods are gone and no money came.
package struct PaymentDebt: Hashable, Sendable {
    /// The refused payment, with the reason.
    package let payment: PaymentAuthorization
    /// The terminal that took it.
    package let terminalId: String
    /// When it was refused, milliseconds since 1970.
    package let refusedAt: Int64

    package init(payment: PaymentAuthorization, terminalId: String, refusedAt: Int64) {
        self.payment = payment
        self.terminalId = terminalId
        self.refusedAt = refusedAt
    }

    /// As the audit, the dashboard and back offices show it.
    package var json: JSONValue {
        [
            "key": .string(payment.key), "orderId": .string(payment.orderId),
            "terminalId": .string(terminalId),
            "amount": ["amount": .integer(payment.amount), "currency": .string(payment.currency)],
            "reason": JSONValue(payment.declineReason),
            "refusedAt": .string(Timestamp.text(milliseconds: refusedAt)),
        ]
    }
}
