import Base

internal import Glibc

/// From the end of a minute of 503 under sales, the shop quiet from then on, to the last order at the hub.
///
/// The operator's decision keeps the terminal online, so that no restored route sends what the backoff holds.
struct DrainAfterErrors: RowMeasure {
    private static let rounds = 3
    private static let sales = 60
    private static let salePause: UInt32 = 1_000_000
    /// A drain that takes longer has failed.
    private static let limit: Int64 = 300_000_000_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("errors", in: workshop)
        let front = try FailingFront(before: shop.address)
        defer { front.stop() }
        try shop.overrideQoS("order", "healthy")
        let till = try shop.anotherTill(1, through: front.address)
        try till.startAgent()
        defer { till.stopAgent() }
        try shop.waitUntilReachable([till])
        let hub = try TableWatch(shop.folder + "/hub.sqlite")
        var times = Samples()
        for _ in 0..<Self.rounds {
            let before = hub.count()
            front.setFailing(true)
            let stream = SaleStream(try till.start(["sell", "--stdin"]))
            for _ in 0..<Self.sales {
                _ = try stream.sell()
                usleep(Self.salePause)
            }
            try stream.end()
            front.setFailing(false)
            let start = Stopwatch.now()
            while hub.count() < before + Int64(Self.sales), Stopwatch.now() - start < Self.limit {
                usleep(1_000)
            }
            times.add(Stopwatch.now() - start)
        }
        return [
            Row(
                name: "drained after a minute of 503 under sales, max of \(Self.rounds)",
                figure: times.largest(), unit: .seconds, aim: .atMost(5e9))
        ]
    }
}
