/// The reports of a shift with 5,000 sales: X, which is added up each time, and Z, which closes the shift.
///
/// Requests on one connection to the agent's socket, offline, beside the smallest request that the agent has.
/// The Z includes its commit.
struct ShiftReports: RowMeasure {
    private static let sales = 5_000
    private static let rounds = 5
    /// Each needs a shift of its own.
    private static let closings = 3

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("shift", in: workshop, articles: 20_000)
        let agent = try shop.startAgent()
        try shop.switchOffline(true)
        let line = try HubConnection(socketAt: shop.home + "/agent.sock")
        var (reports, closings, pings) = (Samples(), Samples(), Samples())
        for _ in 0..<Self.closings {
            _ = try time("POST", "/v1/shifts", #"{"float":20000}"#, on: line)
            let stream = try shop.startSelling()
            for _ in 0..<Self.sales { _ = try stream.sell() }
            try stream.end()
            for _ in 0..<Self.rounds {
                pings.add(try time("GET", "/v1/ping", nil, on: line))
                reports.add(try time("GET", "/v1/shifts/current", nil, on: line))
            }
            closings.add(try time("POST", "/v1/shifts/close", #"{"counted":20000}"#, on: line))
        }
        agent.stop()
        let nothing = ("GET /v1/ping, p50", pings.median())
        return [
            Row(
                name: "Z report over 5,000 sales, p50", figure: closings.median(), unit: .time,
                yardstick: nothing, aim: .atMost(200e6)),
            Row(
                name: "X report over 5,000 sales, p50", figure: reports.median(), unit: .time,
                yardstick: nothing, aim: .atMost(200e6)),
        ]
    }

    private func time(
        _ method: String, _ path: String, _ body: String?, on line: HubConnection
    ) throws(BenchFailure) -> Int64 {
        let start = Stopwatch.now()
        let response = try line.query(HubConnection.request(method, path, body: Array((body ?? "").utf8)))
        guard response.status == 200 else {
            throw .programFailed(
                name: "pos agent", detail: "it responded with \(response.status)",
                lastErrors: String(decoding: response.body, as: UTF8.self))
        }
        return Stopwatch.now() - start
    }
}
