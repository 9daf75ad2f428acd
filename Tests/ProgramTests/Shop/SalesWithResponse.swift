import HubProtocol
import Testing

/// The responses of a till that its owner has seen, whatever was killed meanwhile.
struct SalesWithResponse {
    /// The order number of each key with a response.
    private(set) var responded: [String: String] = [:]
    /// Keys that were sent and have no response.
    private(set) var open: Set<String> = []
    /// Keys whose card was refused, or has no outcome yet.
    private var refused: Set<String> = []
    /// Those of them that are sent by card once more; the others in cash.
    private var waiting: Set<String> = []
    /// What was requested under each key without a sale.
    private var requests: [String: JSONObject] = [:]

    /// Whether each key has its sale.
    var isComplete: Bool { open.isEmpty && refused.isEmpty }

    /// Writes `count` requests without waiting for responses.
    ///
    /// - Parameter isByCard: whether the next one is paid by card.
    mutating func send(
        _ count: Int, to sales: SaleStreamUnderTest, isByCard: () -> Bool = { false }
    ) throws {
        for index in 0..<count {
            let key = SaleRequests.key()
            var request = SaleRequests.piece(index, key: key).object ?? [:]
            if isByCard() { request["payments"] = [["method": "card"]] }
            open.insert(key)
            requests[key] = request
            try sales.send(.object(request))
        }
    }

    /// Sends again what has no response, as a till does after a crash, and what no card paid.
    mutating func sendAgain(_ sales: SaleStreamUnderTest) throws {
        for key in refused.subtracting(waiting) { requests[key]?["payments"] = nil }
        let keys = open.union(refused).sorted()
        for key in keys { try sales.send(.object(requests[key] ?? [:])) }
        for _ in keys { note(try sales.response()) }
    }

    /// Reads the responses that come within `seconds` of each other; false once none does.
    @discardableResult
    mutating func note(from sales: SaleStreamUnderTest, within seconds: Double) -> Bool {
        guard let response = try? sales.response(within: seconds) else { return false }
        note(response)
        return true
    }

    private mutating func note(_ response: JSONValue) {
        guard let key = response["key"]?.string else { return }
        guard let number = response["orderNumber"]?.string else {
            if requests[key]?["payments"] != nil { noteRefused(key, response["error"]?["code"]?.string) }
            return
        }
        #expect(responded[key] == nil || responded[key] == number, "\(key) was sold twice")
        responded[key] = number
        open.remove(key)
        refused.remove(key)
        waiting.remove(key)
        requests[key] = nil
    }

    private mutating func noteRefused(_ key: String, _ code: String?) {
        open.remove(key)
        let isAgain = !refused.insert(key).inserted
        if code == "card_outcome_unknown", !isAgain { waiting.insert(key) } else { waiting.remove(key) }
    }

    /// Compares the till's orders and the hub's audit with the responses; the outbox is empty by now.
    ///
    /// - Returns: how many orders there are.
    @discardableResult
    func check(_ shop: ShopUnderTest, _ comment: Comment = "") throws -> Int {
        let orders = try shop.orders()
        let byKey = Dictionary(grouping: orders) { $0["key"]?.string ?? "" }
        #expect(byKey.allSatisfy { $0.value.count == 1 }, comment)
        #expect(byKey.count == responded.count, comment)
        for (key, number) in responded {
            #expect(byKey[key]?.first?["orderNumber"]?.string == number, "\(key)")
        }
        #expect(Set(orders.compactMap { $0["orderNumber"]?.string }).count == orders.count, comment)
        let audit = try shop.audit()
        #expect(audit.orders == Int64(orders.count), comment)
        #expect(audit.total == orders.reduce(0) { $0 + ($1["total"]?["amount"]?.integer ?? 0) }, comment)
        #expect(audit.isComplete, comment)
        return orders.count
    }
}
