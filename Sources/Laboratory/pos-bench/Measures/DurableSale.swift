import Base

/// A sale made durable by `pos sell --stdin` while offline, beside one raw commit of ten rows.
///
/// The hub is stopped and the till switched off by hand. Each round makes one sale and one raw commit in the
/// same folder; who goes first changes with each round, so that neither always finds the disk as the other
/// left it.
struct DurableSale: RowMeasure {
    private static let rounds = 3_000
    /// Rounds that are made first and not counted: caches fill and files grow to their size.
    private static let warmUp = 100

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("sale", in: workshop, articles: 20_000)
        shop.stopHub()
        try shop.switchOffline(true)
        let raw = try RawSQLite(path: shop.folder + "/raw.sqlite", rowBytes: 100)
        let stream = try shop.startSelling()
        var sales = Samples()
        var responses = Samples()
        var commits = Samples()
        for round in -Self.warmUp..<Self.rounds {
            if round % 2 != 0 { try commit(raw, round, &commits) }
            let start = Stopwatch.now()
            let durable = try stream.sell()
            let responded = Stopwatch.now() - start
            if round >= 0 {
                sales.add(durable)
                responses.add(responded)
            }
            if round % 2 == 0 { try commit(raw, round, &commits) }
        }
        try stream.end()
        return table(&sales, &responses, &commits)
    }

    private func commit(
        _ raw: RawSQLite, _ round: Int, _ commits: inout Samples
    ) throws(BenchFailure) {
        let time = try Stopwatch.time { () throws(BenchFailure) in try raw.commit(rows: 10) }
        if round >= 0 { commits.add(time) }
    }

    private func table(_ sales: inout Samples, _ responses: inout Samples, _ commits: inout Samples) -> [Row]
    {
        let median = ("raw commit of ten rows, p50", commits.median())
        return [
            Row(
                name: "durable sale offline, p50", figure: sales.median(), unit: .time,
                yardstick: median, aim: .ratioAtMost(1.25)),
            Row(
                name: "durable sale offline, p99", figure: sales.percentile(0.99), unit: .time,
                yardstick: ("raw commit of ten rows, p99", commits.percentile(0.99)),
                aim: .ratioAtMost(2.5)),
            Row(
                name: "request written to answer read, p50", figure: responses.median(), unit: .time,
                yardstick: median, aim: .ratioAtMost(2)),
        ]
    }
}
