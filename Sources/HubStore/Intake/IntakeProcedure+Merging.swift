import HubCore
import HubProtocol

/// What the hub has already decides by the policies of ``MergeTable`` (http.md section 3).
extension IntakeProcedure {
    /// The conflict that `mutation` is in; nil when it merges.
    func collision(of mutation: Mutation, from device: DeviceIdentity) throws -> MutationResult? {
        switch mutation.type {
        case "order.completed": try appending(mutation)
        case "order.voided": try voiding(mutation)
        case "note.upserted", "note.deleted": try staleNote(mutation, from: device)
        case _: nil
        }
    }

    /// An order that is there under another mutation is not taken in a second time.
    private func appending(_ mutation: Mutation) throws -> MutationResult? {
        let orderId = mutation.payload["orderId"]?.string ?? mutation.entityId
        guard let order = try store.order(orderId),
            Merging.append(mutation.id, to: order.mutationId) == .conflict
        else { return nil }
        return Verdict.conflict(
            mutation.id, policy: .appendOnly, serverState: order.json(orderId: orderId),
            detail: "The order \(orderId) was taken in with the mutation \(order.mutationId).")
    }

    private func voiding(_ mutation: Mutation) throws -> MutationResult? {
        let orderId = mutation.payload["orderId"]?.string ?? mutation.entityId
        guard let order = try store.order(orderId), order.voidedBy != nil else { return nil }
        return Verdict.conflict(
            mutation.id, policy: .escalate, serverState: order.json(orderId: orderId),
            detail: "The order \(orderId) is voided already; its stock and money came back once.")
    }

    /// A deletion on a version that is no longer the hub's, or an edit of what was deleted meanwhile.
    private func staleNote(_ mutation: Mutation, from device: DeviceIdentity) throws -> MutationResult? {
        guard let note = try store.entity("note", mutation.entityId, in: device.storeId),
            Merging.isStale(base: mutation.payload["baseVersion"]?.integer, current: note.version),
            mutation.type == "note.deleted" ? !note.isDeleted : note.isDeleted
        else { return nil }
        return Verdict.conflict(
            mutation.id, policy: .escalate, serverState: note.json,
            detail: note.isDeleted
                ? "The note was deleted meanwhile." : "The note was edited after it was last seen here.")
    }
}

/// An order as the hub has it.
struct OrderState {
    let mutationId: String
    let voidedBy: String?

    func json(orderId: String) -> JSONValue {
        [
            "orderId": .string(orderId), "mutationId": .string(mutationId),
            "state": voidedBy == nil ? "completed" : "voided", "voidedBy": JSONValue(voidedBy),
        ]
    }
}

/// An entity of the feed as the hub has it.
struct EntityState {
    let version: Int64
    let isDeleted: Bool
    let value: JSONValue?

    var json: JSONValue {
        ["version": .integer(version), "deleted": .bool(isDeleted), "value": value ?? .null]
    }
}
