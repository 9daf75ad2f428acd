/// A full outbox drains over loopback into the hub's SQLite file, beside as many rows written raw in batches.
///
/// The clock starts before `pos offline off` is started and stops when `pos sync now` has ended with an empty
/// outbox, so both programs, the route's return and every verdict on both disks are in it.
struct LoopbackDrain: Measure {
    private static let rounds = 3
    private static let orders = 5_000
    /// The contract's largest batch.
    private static let batch = 200
    /// About what one mutation of a sale weighs.
    private static let rowBytes = 1_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("drain", in: workshop)
        let raw = try RawSQLite(path: shop.folder + "/raw.sqlite", rowBytes: Self.rowBytes)
        var drains = Samples()
        var inserts = Samples()
        for round in 0..<Self.rounds {
            try fill(shop)
            if round % 2 == 0 { inserts.add(try insert(into: raw)) }
            drains.add(try drain(shop))
            if round % 2 == 1 { inserts.add(try insert(into: raw)) }
        }
        let received = try shop.receivedOrders()
        guard received == Self.rounds * Self.orders else {
            throw .programFailed(
                name: "pos-hub", detail: "it received \(received) of \(Self.rounds * Self.orders) orders",
                lastWords: "-")
        }
        return [
            Row(
                name: "drain of \(Self.orders) orders to the hub", figure: rate(drains.median()),
                unit: .perSecond, yardstick: ("raw rows, batches of \(Self.batch)", rate(inserts.median())),
                aim: .atLeast(2_000))
        ]
    }

    private func fill(_ shop: Shop) throws(BenchFailure) {
        try shop.switchOffline(true)
        let stream = try shop.startSelling()
        for _ in 0..<Self.orders { _ = try stream.sell() }
        try stream.end()
    }

    private func drain(_ shop: Shop) throws(BenchFailure) -> Int64 {
        let agent = try shop.startAgent()
        try shop.waitUntilReachable()
        let time = try Stopwatch.time { () throws(BenchFailure) in
            try shop.switchOffline(false)
            try shop.syncNow()
        }
        agent.stop()
        return time
    }

    private func insert(into raw: RawSQLite) throws(BenchFailure) -> Int64 {
        try Stopwatch.time { () throws(BenchFailure) in
            for _ in 0..<Self.orders / Self.batch { try raw.commit(rows: Self.batch) }
        }
    }

    private func rate(_ nanoseconds: Double) -> Double { Double(Self.orders) * 1e9 / nanoseconds }
}
