internal import Glibc

/// A full outbox drains over loopback into the hub's store, beside the same rows written raw in batches.
///
/// The clock starts before `pos offline off` is started and stops when `pos sync now` has ended with an empty
/// outbox, so both programs, the route's return and every verdict on both disks are in it.
struct LoopbackDrain: Measure {
    private static let rounds = 3
    private static let orders = 5_000
    /// The contract's largest batch.
    private static let batch = 200

    /// The hub's store.
    let store: Store

    enum Store {
        case sqlite
        /// The empty database that `HOLDFAST_POSTGRESQL` names.
        case postgresql
    }

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        switch store {
        case .sqlite:
            let shop = try Shop("drain", in: workshop)
            let raw = try RawIntakeSQLite(
                hub: shop.folder + "/hub.sqlite", path: shop.folder + "/raw.sqlite", batch: Self.batch)
            return try rows(shop, "SQLite", raw)
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            let shop = try Shop("drain-postgresql", in: workshop, store: url)
            return try rows(shop, "PostgreSQL", RawIntakePostgres(url: url, batch: Self.batch))
        }
    }

    private func rows(
        _ shop: Shop, _ place: String, _ raw: some RawIntake
    ) throws(BenchFailure) -> [Row] {
        var drains = Samples()
        var inserts = Samples()
        for _ in 0..<Self.rounds {
            try fill(shop)
            drains.add(try drain(shop))
            try raw.load()
            inserts.add(try Stopwatch.time { () throws(BenchFailure) in try raw.insert() })
        }
        let received = try shop.receivedOrders()
        guard received == Self.rounds * Self.orders else {
            throw .programFailed(
                name: "pos-hub", detail: "it received \(received) of \(Self.rounds * Self.orders) orders",
                lastWords: "-")
        }
        let yardstick = ("same rows raw, batches of \(Self.batch)", rate(inserts.median()))
        return [
            Row(
                name: "drain of \(Self.orders) orders to \(place)", figure: rate(drains.median()),
                unit: .perSecond, yardstick: yardstick, aim: .atLeast(2_000))
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

    private func rate(_ nanoseconds: Double) -> Double { Double(Self.orders) * 1e9 / nanoseconds }
}
