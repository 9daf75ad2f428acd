internal import HubProtocol

/// What an edit may not change: the entity, and the parts that a sale needs.
enum RefusedPayload {
    /// The payload that is sent: an edit of a note by a person writes every field that it carries, whichever
    /// ones the refused change had written. It names who made the edit, in addition to who made the entry.
    static func meant(
        by payload: JSONValue, after mutation: Mutation, from person: Authorization? = nil
    ) -> JSONValue {
        guard let person, let cashierId = person.cashierId,
            var members = content(meantBy: payload, after: mutation).object
        else { return content(meantBy: payload, after: mutation) }
        switch mutation.type {
        case "note.upserted": members["cashierId"] = .string(cashierId)
        case "order.completed", "order.voided", "refund.completed":
            members["editedBy"] = .string(cashierId)
            members["editApproverId"] = person.approverId.map(JSONValue.string)
        default: break
        }
        return .object(members)
    }

    private static func content(meantBy payload: JSONValue, after mutation: Mutation) -> JSONValue {
        func fields(_ payload: JSONValue) -> JSONObject {
            (payload.object ?? JSONObject()).filter { $0.key != "baseVersion" }
        }
        guard mutation.type == "note.upserted", fields(payload) != fields(mutation.payload) else {
            return payload
        }
        return .object((payload.object ?? [:]).filter { $0.key != "changed" })
    }

    /// Why `payload` cannot replace the payload of `mutation`; nil when it can, if the store can read it as
    /// what it was.
    static func objection(to payload: JSONValue, after mutation: Mutation) -> String? {
        guard payload.object != nil, payload.hasOnlyCanonicalNumbers else {
            return "a payload is an object whose numbers are integers below 2^53"
        }
        if mutation.type != "note.upserted",
            let key = ["cashierId", "approverId"].first(where: { payload[$0] != mutation.payload[$0] })
        {
            return "`\(key)` stays as it was: it names who made the entry"
        }
        switch mutation.type {
        case "order.completed":
            if let key = ["orderId", "orderNumber"].first(where: { payload[$0] != mutation.payload[$0] }) {
                return "`\(key)` stays as it was printed on the receipt"
            }
            return payload["lines"]?.array?.isEmpty == false ? nil : "a sale has at least one line"
        case "refund.completed":
            return ["orderId", "refundId"].first { payload[$0] != mutation.payload[$0] }
                .map { "`\($0)` stays as it was" }
        default: return nil
        }
    }
}
