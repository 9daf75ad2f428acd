internal import HubCore
package import HubProtocol

/// Whether a transaction's changes stay.
package enum TransactionEnding<Value: Sendable>: Sendable {
    case keep(Value)
    case undo(Value)
}

extension JSONValue {
    /// A document of the store's own; what cannot be read shows as null.
    package static func stored(_ text: String?) -> JSONValue {
        guard let text, let value = try? JSONParser.parse(text.utf8) else { return .null }
        return value
    }
}

/// The table `payments`, as both stores read and write it.
package enum PaymentRows {
    package static let columns =
        "key, terminal_id, order_id, state, amount, currency, approval_code, decline_reason, decided_at"

    /// What a look-up reads besides ``columns``: when a debt was settled.
    package static let settledAt = "settled_at"

    /// The states that a capture or a void goes on from, as SQL lists. Made once: card sales name them.
    package static let capturable = list(PaymentRules.capturable)
    package static let voidable = list(PaymentRules.voidable)
    package static let voidedAtService = list(PaymentRules.voidedAtService)
    package static let refundable = list(PaymentRules.refundable)
    package static let undecided = list(PaymentRules.undecided)

    private static func list(_ states: [PaymentAuthorization.State]) -> String {
        states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// What the service has to get, oldest first; about undecided payments it gets it later.
    package static let calls =
        "SELECT c.id, c.key, c.kind, c.call_key, c.amount, c.currency FROM payment_calls c "
        + "JOIN payments p ON p.key = c.key WHERE p.state NOT IN (\(undecided)) ORDER BY c.id"

    /// Nil for a row of another version's kind.
    package static func call(
        id: Int64, key: String, kind: String, callKey: String, amount: Int64, currency: String
    ) -> PaymentCall? {
        PaymentCall.Kind(rawValue: kind).map {
            PaymentCall(id: id, key: key, kind: $0, callKey: callKey, amount: amount, currency: currency)
        }
    }

    /// Nil where there is no token any more.
    package static func sealed(keyId: String?, token: String?) -> PaymentDetails.SealedToken? {
        guard let keyId, let token else { return nil }
        return PaymentDetails.SealedToken(keyId: keyId, token: token)
    }

    /// A payment out of its row. A state that this version does not have reads as voided, so that nothing is
    /// captured by it.
    package static func payment(
        key: String, orderId: String?, state: String, amount: Int64, currency: String, approvalCode: String?,
        declineReason: String?
    ) -> PaymentAuthorization {
        PaymentAuthorization(
            key: key, orderId: orderId ?? "", state: .init(rawValue: state) ?? .voided, amount: amount,
            currency: currency, approvalCode: approvalCode, declineReason: declineReason)
    }
}
