internal import HubProtocol
internal import OfflineMode
internal import TerminalStore

/// `pos sync rejected --json`: each refusal with the hub's words, and the money that waits in them.
struct RefusalDocument {
    let refused: [RefusedEntry]
    /// Entries that were not sent, since their content is not what was written.
    let heldBack: [HeldBackEntry]

    var json: JSONValue {
        [
            "items": .array(refused.map(item)), "heldBack": .array(heldBack.map(item)),
            "sales": .integer(Int64(sales.count)),
            "amounts": .array(amounts),
        ]
    }

    private func item(_ refused: RefusedEntry) -> JSONValue {
        let entry = refused.entry
        let payload = refused.mutation.payload
        let response = entry.response
        return [
            "id": .string(entry.id), "sequence": .integer(entry.sequence), "type": .string(entry.type),
            "entityId": .string(refused.mutation.entityId), "state": .string(entry.state.rawValue),
            "madeAt": .string(Timestamp.text(milliseconds: entry.madeAt)),
            "orderNumber": JSONValue(payload["orderNumber"]?.string),
            "problem": response?.problem ?? .null, "policy": JSONValue(response?.policy),
            "serverState": response?.serverState ?? .null, "payload": payload,
        ]
    }

    private func item(_ held: HeldBackEntry) -> JSONValue {
        [
            "id": .string(held.id), "sequence": .integer(held.sequence), "type": .string(held.type),
            "madeAt": .string(Timestamp.text(milliseconds: held.madeAt)),
            "orderNumber": JSONValue(held.json?["payload"]?["orderNumber"]?.string),
            "payload": held.json?["payload"] ?? .null,
        ]
    }

    private var sales: [RefusedEntry] { refused.filter { $0.entry.type == "order.completed" } }

    private var amounts: [JSONValue] {
        var sums: [String: Int64] = [:]
        for sale in sales {
            guard let currency = sale.mutation.payload["currency"]?.string,
                let total = sale.mutation.payload["total"]?.integer
            else { continue }
            sums[currency, default: 0] += total
        }
        return sums.sorted { $0.key < $1.key }.map { currency, amount in
            ["amount": .integer(amount), "currency": .string(currency)]
        }
    }
}
