internal import HubProtocol

/// A refund that the hub decides before money moves, beside the same refund offline and one round trip of
/// this agent to the hub: deciding costs that round trip and nothing else.
///
/// A round trip of the agent is the difference between a quote by the hub and the same quote by the till.
struct DecidedRefund: RowMeasure {
    private static let refunds = 200

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("refund", in: workshop)
        // With a promotion, quotes are the hub's.
        try shop.importPromotions(Baskets.promotions(1))
        let agent = try shop.startAgent()
        defer { agent.stop() }
        try shop.waitUntilReachable()
        try shop.pull()
        let till = try HubConnection(socketAt: shop.home + "/agent.sock")
        var orders: [String] = []
        for index in 0..<(2 * Self.refunds) {
            let response = try query("POST", "/v1/sales", Baskets.request(index), on: till)
            orders.append(response["orderNumber"]?.string ?? "")
        }
        // All have arrived: the hub decides by the sale and not by its receipt.
        while try shop.receivedOrders() < Int64(orders.count) { try shop.pull() }
        var decided = try time(orders.prefix(Self.refunds), on: till)
        let quotedByHub = try quotes(on: till)
        try shop.switchOffline(true)
        let trip = quotedByHub - (try quotes(on: till))
        var alone = try time(orders.suffix(Self.refunds), on: till)
        return [
            Row(
                name: "refund decided by the hub, p50", figure: decided.median(), unit: .time,
                yardstick: ("offline + a round trip, p50", alone.median() + trip), aim: .ratioAtMost(1.2)),
            Row(
                name: "refund offline, p50", figure: alone.median(), unit: .time,
                yardstick: ("a round trip of the agent, p50", trip)),
        ]
    }

    private func time(_ orders: ArraySlice<String>, on till: HubConnection) throws(BenchFailure) -> Samples {
        var samples = Samples()
        for order in orders {
            let start = Stopwatch.now()
            _ = try query("POST", "/v1/orders/\(order)/refund", #"{"lines":[],"reason":"bench"}"#, on: till)
            samples.add(Stopwatch.now() - start)
        }
        return samples
    }

    /// The median of one quote, in nanoseconds.
    private func quotes(on till: HubConnection) throws(BenchFailure) -> Double {
        var samples = Samples()
        for index in 0..<Self.refunds {
            let start = Stopwatch.now()
            _ = try query("POST", "/v1/quotes", Baskets.request(index), on: till)
            samples.add(Stopwatch.now() - start)
        }
        return samples.median()
    }

    private func query(
        _ method: String, _ path: String, _ body: String, on till: HubConnection
    ) throws(BenchFailure) -> JSONValue {
        let response = try till.query(HubConnection.request(method, path, body: Array(body.utf8)))
        guard response.status == 200, let document = try? JSONParser.parse(response.body) else {
            throw Self.failure("pos agent", response)
        }
        return document
    }

    private static func failure(_ program: String, _ response: HubConnection.Response) -> BenchFailure {
        .programFailed(
            name: program, detail: "it responded with \(response.status)",
            lastErrors: String(decoding: response.body, as: UTF8.self))
    }
}
