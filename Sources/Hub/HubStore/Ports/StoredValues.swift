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
