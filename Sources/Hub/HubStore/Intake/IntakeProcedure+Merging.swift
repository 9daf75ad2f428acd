import HubCore
import HubProtocol

/// What the hub has already decides by the policies of ``MergeTable`` (http.md section 3).
extension IntakeProcedure {
    /// The conflict that `mutation` is in; nil when it merges.
    func collision(of mutation: Mutation, from device: DeviceIdentity) throws -> MutationResult? {
        switch mutation.type {
        case "order.completed": try appending(mutation)
        case "order.voided": try voiding(mutation)
        case "refund.completed": try refunding(mutation)
        case "note.upserted", "note.deleted":
            try staleNote(mutation, from: device) ?? oversizedNote(mutation, from: device)
        case "points.adjusted": try unbearable(mutation)
        case "member.created", "member.updated": try oversized(mutation)
        case _: nil
        }
    }

    /// An order that is there under another mutation is not accepted a second time.
    private func appending(_ mutation: Mutation) throws -> MutationResult? {
        let orderId = mutation.payload["orderId"]?.string ?? mutation.entityId
        guard let order = try store.order(orderId),
            Merging.append(mutation.id, to: order.mutationId) == .conflict
        else { return nil }
        return MutationResult.conflict(
            mutation.id, policy: .appendOnly, serverState: order.json(orderId: orderId),
            detail: "The order \(orderId) was taken in with the mutation \(order.mutationId).")
    }

    private func voiding(_ mutation: Mutation) throws -> MutationResult? {
        let orderId = mutation.payload["orderId"]?.string ?? mutation.entityId
        let order = try store.refundable(orderId)
        guard let state = order.state else { return nil }
        let problem: String
        if state.isVoided {
            problem = "is voided already; its stock and money came back once."
        } else if !order.refunds.isEmpty {
            problem = "was refunded in part or whole; refund the rest of it instead."
        } else {
            return nil
        }
        return MutationResult.conflict(
            mutation.id, policy: .escalate, serverState: state.json(orderId: orderId),
            detail: "The order \(orderId) \(problem)")
    }

    /// No more is refunded than was sold, over all tills.
    private func refunding(_ mutation: Mutation) throws -> MutationResult? {
        guard let orderId = mutation.payload["orderId"]?.string,
            let refund = try? RefundFacts(payload: mutation.payload)
        else { return nil }
        let order = try store.refundable(orderId)
        if order.refundIds.contains(mutation.entityId) {
            return MutationResult.conflict(
                mutation.id, policy: .appendOnly, serverState: order.json(orderId: orderId),
                detail: "The refund \(mutation.entityId) was taken in before.")
        }
        let problem: String
        if order.state?.isVoided == true {
            problem = "The order \(orderId) is voided; its money came back with that."
        } else if let sale = order.sale,
            let excess = RefundRules.excess(of: refund, on: sale, earlier: order.refunds)
        {
            problem = excess
        } else {
            return nil
        }
        return MutationResult.conflict(
            mutation.id, policy: .escalate, serverState: order.json(orderId: orderId), detail: problem)
    }

    /// A sum of points that could not be kept. The others' differences stay as they are.
    private func unbearable(_ mutation: Mutation) throws -> MutationResult? {
        guard let adjustment = try? MemberRules.Adjustment(mutation),
            try store.member(adjustment.memberId).adjusted(by: adjustment.delta) == nil
        else { return nil }
        return MutationResult.rejected(
            mutation.id, code: .invalidMutation,
            detail: "The points of the member \(adjustment.memberId) would come to more than can be counted.")
    }

    /// A profile that many changes make too large, each of them small.
    private func oversized(_ mutation: Mutation) throws -> MutationResult? {
        guard case .accepted(_, let effects) = IntakeRules.assess(mutation),
            case .writeMember(let id, let change)? = effects.first
        else { return nil }
        let before = try store.member(id)
        let after = before.written(change.fields, naming: change.changed)
        return RecordLimits.member.objection(to: after.profile, growingFrom: before.profile).map {
            MutationResult.rejected(mutation.id, code: .invalidMutation, detail: $0)
        }
    }

    private func oversizedNote(_ mutation: Mutation, from device: DeviceIdentity) throws -> MutationResult? {
        guard mutation.type == "note.upserted", let change = try? FieldChange(payload: mutation.payload)
        else { return nil }
        let before = try store.entity("note", mutation.entityId, in: device.storeId)?.value
        let after = Merging.written(change.fields, naming: change.changed, over: before)
        return RecordLimits.note.objection(to: after, growingFrom: before).map {
            MutationResult.rejected(mutation.id, code: .invalidMutation, detail: $0)
        }
    }

    /// A deletion on a version that is no longer the hub's, or an edit of what was deleted meanwhile.
    private func staleNote(_ mutation: Mutation, from device: DeviceIdentity) throws -> MutationResult? {
        guard let note = try store.entity("note", mutation.entityId, in: device.storeId),
            Merging.isStale(base: mutation.payload["baseVersion"]?.integer, current: note.version),
            mutation.type == "note.deleted" ? !note.isDeleted : note.isDeleted
        else { return nil }
        return MutationResult.conflict(
            mutation.id, policy: .escalate, serverState: note.json,
            detail: note.isDeleted
                ? "The note was deleted meanwhile." : "The note was edited after it was last seen here.")
    }
}

/// An order as the hub has it.
struct OrderState {
    let mutationId: String
    let voidedBy: String?
    let storeId: String

    var isVoided: Bool { voidedBy != nil }

    func json(orderId: String) -> JSONValue {
        [
            "orderId": .string(orderId), "mutationId": .string(mutationId),
            "state": .string(name), "voidedBy": JSONValue(voidedBy),
        ]
    }
}

extension OrderState {
    fileprivate var name: String { isVoided ? "voided" : "completed" }
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

/// A sale with what came back of it.
struct RefundableOrder {
    /// Nil for a sale that was not accepted; refunds of it are there nevertheless.
    let state: OrderState?
    /// Nil when its document cannot be read as a sale.
    let sale: OrderFacts?
    let refundIds: Set<String>
    let refunds: [RefundFacts]

    /// - Parameters:
    ///   - document: the sale's mutation as it is kept.
    ///   - refunds: ids and amounts, with quantities by sku.
    init(
        _ state: OrderState?, document: JSONValue,
        refunds: [(id: String, total: Int64, quantities: JSONValue)]
    ) {
        self.state = state
        sale = document["payload"].flatMap { try? OrderFacts(payload: $0) }
        refundIds = Set(refunds.map(\.id))
        self.refunds = refunds.map { _, total, quantities in
            RefundFacts(total: total, quantities: (quantities.object ?? [:]).compactMapValues(\.integer))
        }
    }

    func json(orderId: String) -> JSONValue {
        let refunded = refunds.reduce(0) { Merging.add($1.total, to: $0) ?? .max }
        return [
            "orderId": .string(orderId), "state": JSONValue(state?.name),
            "total": JSONValue(sale?.total), "refunded": .integer(refunded),
        ]
    }
}

extension RefundFacts {
    /// The quantities as the stores keep them.
    var quantitiesJSON: JSONValue { .object(JSONObject(quantities.mapValues(JSONValue.integer))) }
}
