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

    /// The states that a capture or a void goes on from, as SQL lists. Made once: card sales name them.
    package static let capturable = list(PaymentRules.capturable)
    package static let voidable = list(PaymentRules.voidable)

    private static func list(_ states: [PaymentAuthorization.State]) -> String {
        states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
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
