import HubProtocol
import Testing

/// The responses of a till that its owner has seen, whatever was killed meanwhile.
struct SalesWithResponse {
    /// The order number of each key with a response.
    private(set) var responded: [String: String] = [:]
    /// Keys that were sent and have no response.
    private(set) var open: Set<String> = []

    /// Writes `count` requests without waiting for responses.
    mutating func send(_ count: Int, to sales: SaleStreamUnderTest) throws {
        for index in 0..<count {
            let key = SaleRequests.key()
            open.insert(key)
            try sales.send(SaleRequests.piece(index, key: key))
        }
    }

    /// Sends again what has no response, as a till does after a crash.
    mutating func sendAgain(_ sales: SaleStreamUnderTest) throws {
        let keys = open.sorted()
        for key in keys { try sales.send(SaleRequests.piece(0, key: key)) }
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
        guard let key = response["key"]?.string, let number = response["orderNumber"]?.string else { return }
        #expect(responded[key] == nil || responded[key] == number, "\(key) was sold twice")
        responded[key] = number
        open.remove(key)
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
