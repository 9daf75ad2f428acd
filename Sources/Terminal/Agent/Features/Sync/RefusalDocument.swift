import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineMode
internal import Retail

/// The refusals as the agent's response, with the money that waits in them.
extension RefusalListCall.Response {
    init(refused: [RefusedEntry], heldBack: [HeldBackEntry]) {
        let sales = refused.filter { $0.entry.type == "order.completed" }
        self.init(
            items: refused.map(RefusedMutation.init), heldBack: heldBack.map(HeldBackMutation.init),
            sales: Int64(sales.count), amounts: Self.amounts(of: sales))
    }

    private static func amounts(of sales: [RefusedEntry]) -> [MoneyAmount] {
        var sums: [String: Int64] = [:]
        for sale in sales {
            let entry = EntryMembers(shown: sale.mutation.payload)
            guard let currency = entry.currency, let total = entry.total else { continue }
            sums[currency, default: 0] += total
        }
        return sums.sorted { $0.key < $1.key }.map { MoneyAmount($0.value, $0.key) }
    }
}

extension RefusedMutation {
    fileprivate init(_ refused: RefusedEntry) {
        let (entry, mutation) = (refused.entry, refused.mutation)
        let response = entry.response
        self.init(
            id: entry.id, sequence: entry.sequence, type: entry.type, entityId: mutation.entityId,
            state: entry.state.rawValue, madeAt: Timestamp.text(milliseconds: entry.madeAt),
            orderNumber: EntryMembers(shown: mutation.payload).orderNumber, problem: response?.problem,
            policy: response?.policy, serverState: response?.serverState,
            payload: mutation.payload)
    }
}

extension HeldBackMutation {
    fileprivate init(_ held: HeldBackEntry) {
        let payload = held.json?["payload"]
        self.init(
            id: held.id, sequence: held.sequence, type: held.type,
            madeAt: Timestamp.text(milliseconds: held.madeAt),
            orderNumber: EntryMembers(shown: payload).orderNumber, payload: payload)
    }
}
