internal import Glibc

/// A full outbox drains over loopback into the hub's store, beside the same rows written raw in batches.
///
/// One till has one request in flight, so it and the hub take turns; eight that drain together show what the
/// hub's store bears. The clock starts before `pos offline off` is started and stops when `pos sync now` has
/// ended with an empty outbox, so both programs, the route's return and every result on both disks are in
/// it.
struct LoopbackDrain: RowMeasure {
    private static let rounds = 3
    /// A full outbox, as the restart has it.
    private static let orders = 10_000
    private static let together = 8
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
        var tills: [Shop.Till] = []
        for index in 0..<Self.together { tills.append(try shop.anotherTill(index)) }
        var (alone, together) = (Samples(), Samples())
        var raws = (alone: Samples(), together: Samples())
        for _ in 0..<Self.rounds {
            alone.add(try drain(Array(tills.prefix(1)), of: shop))
            raws.alone.add(try write(raw))
            together.add(try drain(tills, of: shop))
            raws.together.add(try write(raw) / Int64(Self.together))
        }
        let sold = Int64(Self.rounds * Self.orders * (1 + Self.together))
        let received = try shop.receivedOrders()
        guard received == sold else {
            throw .programFailed(
                name: "pos-hub", detail: "it received \(received) of \(sold) orders", lastErrors: "-")
        }
        let yardstick = "same rows raw, batches of \(Self.batch)"
        return [
            Row(
                name: "drain of \(Self.orders) orders to \(place), one till", figure: rate(alone.median()),
                unit: .perSecond, yardstick: (yardstick, rate(raws.alone.median())), aim: .atLeast(2_000)),
            Row(
                name: "\(Self.together) tills of \(Self.orders) together",
                figure: rate(together.median()) * Double(Self.together),
                unit: .perSecond, yardstick: (yardstick, rate(raws.together.median())),
                aim: .ratioAtLeast(0.5)),
        ]
    }

    /// Fills the tills and lets them drain.
    private func drain(_ tills: [Shop.Till], of shop: Shop) throws(BenchFailure) -> Int64 {
        try shop.fill(tills, Self.orders)
        for till in tills { try till.startAgent() }
        try shop.waitUntilReachable(tills)
        let time = try Stopwatch.time { () throws(BenchFailure) in
            try shop.together(tills, ["offline", "off"])
            try shop.together(tills, ["sync", "now"])
        }
        for till in tills { till.stopAgent() }
        return time
    }

    private func write(_ raw: some RawIntake) throws(BenchFailure) -> Int64 {
        try raw.load()
        return try Stopwatch.time { () throws(BenchFailure) in try raw.insert() }
    }

    private func rate(_ nanoseconds: Double) -> Double { Double(Self.orders) * 1e9 / nanoseconds }
}
