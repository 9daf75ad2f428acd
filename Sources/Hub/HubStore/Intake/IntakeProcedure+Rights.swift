import HubCore
import HubProtocol

/// Whose orders a terminal may reverse, by ``AuthorizationTable``, and what a reversal may move.
extension IntakeProcedure {
    /// A void or refund by a terminal of another store than the order's; nil for anything else.
    func refusedByRights(_ mutation: Mutation) throws -> MutationResult? {
        guard ProtectedAction(mutationType: mutation.type) == .reverseOrder,
            let order = try store.order(reversedOrder(of: mutation))
        else { return nil }
        let role = CallerRole.role(of: sender, towardsStore: order.storeId)
        guard !AuthorizationTable.allows(.reverseOrder, by: role) else { return nil }
        return MutationResult.rejected(
            mutation.id, code: .orderForeignStore,
            detail: "The order is another store's; only a terminal of that store voids or refunds it.")
    }

    /// The effects of a mutation without those that have no ground: what comes back of an order that the hub
    /// does not have was never counted out of its stock, and of one that it has no more comes back than was
    /// sold.
    func possible(_ effects: [IntakeEffect], of mutation: Mutation) throws -> [IntakeEffect] {
        guard ProtectedAction(mutationType: mutation.type) == .reverseOrder else { return effects }
        let sale = try store.refundable(reversedOrder(of: mutation)).sale
        var left: [String: Int64] = [:]
        for line in sale?.lines ?? [] {
            left[line.sku] = Merging.add(line.quantityMilli, to: left[line.sku] ?? 0) ?? .max
        }
        return effects.compactMap { effect in
            guard case .countStock(let sku, let soldMilli) = effect else { return effect }
            let back = min(soldMilli == .min ? .max : -soldMilli, left[sku] ?? 0)
            guard back > 0 else { return nil }
            left[sku] = (left[sku] ?? 0) - back
            return .countStock(sku: sku, soldMilli: -back)
        }
    }

    /// A refund names its order in the payload, a void may name it as its entity.
    private func reversedOrder(of mutation: Mutation) -> String {
        let named = mutation.payload["orderId"]?.string
        return named ?? (mutation.type == "order.voided" ? mutation.entityId : "")
    }
}
