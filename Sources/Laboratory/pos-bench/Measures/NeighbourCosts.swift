import Base

internal import Glibc
internal import HubProtocol

/// What the tills of a store cost each other, and how soon they help.
///
/// A sale while two neighbours keep copies, and while sixteen accept connections and say nothing, beside the
/// same sale at a till that sees nobody: the three alternate, offline, each by its own agent. The keepers'
/// disks are other ones (`/dev/shm`), as in a shop. Then how soon a till that starts is connected, how soon a
/// sale is on a neighbour's disk, and how fast what is kept is handed in.
struct NeighbourCosts: Measure {
    private static let silent = 16
    /// Sales of each till: the 99th percentile is then the twelfth largest.
    private static let rounds = 60
    private static let salesOfRound = 20
    /// Between two sales: a busy shop, and no load of its own.
    private static let pauseMicroseconds: UInt32 = 10_000
    private static let copies = 5
    private static let starts = 5
    private static let kept: Int64 = 10_000

    func run(in workshop: Workshop, show: (String) -> Void) throws(BenchFailure) {
        for row in try sales(in: workshop) { show(row.text) }
        for row in try starts(in: workshop) { show(row.text) }
        for row in try handingIn(in: workshop) { show(row.text) }
    }

    private static func shop(_ name: String, in workshop: Workshop) throws(BenchFailure) -> Shop {
        let shop = try Shop(name, in: workshop, tills: 0)
        try shop.configureStore("neighbours.enabled=on")
        return shop
    }

    /// The first round gives the hub every key, the second one fetches those of the tills that came later.
    private static func exchangeKeys(_ tills: [ShopNeighbour]) throws(BenchFailure) {
        for till in tills + tills { _ = try till.start(["sync", "now"]).finish() }
    }
}

/// Sales beside neighbours.
extension NeighbourCosts {
    private func sales(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Self.shop("neighbours", in: workshop)
        let memory = try MemoryFolder("keepers")
        let places = try LoopbackPort.free(3)
        let nobody = try SilentPorts(Self.silent)
        let alone = try ShopNeighbour(shop, home: shop.home(of: 1), at: places[0], greeting: nil)
        let kept = try ShopNeighbour(shop, home: shop.home(of: 2), at: places[0], greeting: places)
        let beside = try ShopNeighbour(
            shop, home: shop.home(of: 3), at: "127.0.0.1:0", greeting: nobody.places)
        let keepers = try [1, 2].map { (index) throws(BenchFailure) in
            try ShopNeighbour(
                shop, home: memory.path + "/keeper\(index)", at: places[index], greeting: places)
        }
        let all = [alone, kept, beside] + keepers
        try Self.exchangeKeys(all)
        for till in all { try till.startAgent() }
        try kept.wait(for: "two keepers") { () throws(BenchFailure) in try kept.reachable() == 2 }
        shop.stopHub()
        var streams: [SaleStream] = []
        for till in [alone, kept, beside] {
            _ = try till.start(["offline", "on"]).finish()
            streams.append(SaleStream(try till.start(["sell", "--stdin"])))
        }
        var samples = [Samples(), Samples(), Samples()]
        for round in -5..<Self.rounds {
            for place in 0..<3 {
                // The order changes with every round.
                let index = (place + round + 5) % 3
                for _ in 0..<Self.salesOfRound {
                    let durable = try streams[index].sell()
                    if round >= 0 { samples[index].add(durable) }
                    usleep(Self.pauseMicroseconds)
                }
            }
        }
        let copied = keepers.map { $0.keptEntries() }.min() ?? 0
        guard copied > 0 else {
            throw .programFailed(name: "pos", detail: "nothing was copied", lastErrors: "-")
        }
        for stream in streams { try stream.end() }
        withExtendedLifetime(all) {}
        let quiet = ("it sees nobody, p99", samples[0].percentile(0.99))
        return [
            Row(
                name: "sale p99 while two neighbours keep copies", figure: samples[1].percentile(0.99),
                unit: .time, yardstick: quiet, aim: .ratioAtMost(1.1)),
            Row(
                name: "sale p99 beside 16 silent neighbours", figure: samples[2].percentile(0.99),
                unit: .time, yardstick: quiet, aim: .ratioAtMost(1.05)),
        ] + (try copying(from: kept, to: keepers))
    }

    /// From a sale to its copy on a neighbour's disk; it waits for the hub for five seconds first.
    private func copying(
        from till: ShopNeighbour, to keepers: [ShopNeighbour]
    ) throws(BenchFailure) -> [Row] {
        var times = Samples()
        for round in 0..<Self.copies {
            try till.wait(for: "earlier copies") { () throws(BenchFailure) in
                keepers[0].keptEntries() == keepers[1].keptEntries()
            }
            let before = keepers[0].keptEntries()
            _ = try till.start(["sell", "--line", Baskets.barcode(round)]).finish()
            times.add(
                try till.wait(for: "a copy") { () throws(BenchFailure) in
                    keepers[0].keptEntries() > before
                })
        }
        return [
            Row(
                name: "a sale without the hub to its copy, max of \(Self.copies)", figure: times.largest(),
                unit: .time, yardstick: ("it waits first", 5e9), aim: .atMost(7e9))
        ]
    }
}

/// How soon, and how fast.
extension NeighbourCosts {
    private func starts(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Self.shop("neighbours-start", in: workshop)
        let places = try LoopbackPort.free(4)
        let tills = try places.indices.map { (index) throws(BenchFailure) in
            try ShopNeighbour(shop, home: shop.home(of: index), at: places[index], greeting: places)
        }
        try Self.exchangeKeys(tills)
        for till in tills.dropLast() { try till.startAgent() }
        guard let last = tills.last else { return [] }
        var times = Samples()
        for _ in 0..<Self.starts {
            let start = Stopwatch.now()
            try last.startAgent()
            try last.wait(for: "three tills") { () throws(BenchFailure) in try last.reachable() == 3 }
            times.add(Stopwatch.now() - start)
            last.stopAgent()
        }
        // A till's agent ends with it.
        withExtendedLifetime(tills) {}
        return [
            Row(
                name: "agent's start to three tills, max of \(Self.starts)", figure: times.largest(),
                unit: .time, aim: .atMost(5e9))
        ]
    }

    /// The maker has no way to the hub, and the keeper gets one once it keeps everything.
    private func handingIn(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Self.shop("neighbours-relay", in: workshop)
        let places = try LoopbackPort.free(2)
        let tills = try places.indices.map { (index) throws(BenchFailure) in
            try ShopNeighbour(shop, home: shop.home(of: index), at: places[index], greeting: places)
        }
        let (maker, keeper) = (tills[0], tills[1])
        try Self.exchangeKeys(tills)
        _ = try maker.start(["offline", "on"]).finish()
        let stream = SaleStream(try maker.start(["sell", "--stdin"]))
        for _ in 0..<Self.kept { _ = try stream.sell() }
        try stream.end()
        _ = try maker.start(["offline", "off"], with: Self.noHub).finish()
        _ = try keeper.start(["offline", "on"]).finish()
        try keeper.startAgent()
        try maker.startAgent(with: Self.noHub)
        // One piece at a time, every five seconds.
        try keeper.wait(for: "all copies", seconds: 600) { () throws(BenchFailure) in
            keeper.keptEntries() >= Self.kept
        }
        let watch = try TableWatch(shop.folder + "/hub.sqlite")
        let before = watch.count()
        _ = try keeper.start(["offline", "off"]).finish()
        try keeper.wait(for: "the first entry") { () throws(BenchFailure) in watch.count() > before }
        let start = Stopwatch.now()
        let first = watch.count() - before
        try keeper.wait(for: "all entries") { () throws(BenchFailure) in
            watch.count() >= before + Self.kept
        }
        let seconds = Double(Stopwatch.now() - start) / 1e9
        return [
            Row(
                name: "10,000 kept entries handed in", figure: Double(Self.kept - first) / seconds,
                unit: .perSecond, aim: .atLeast(2_000))
        ]
    }

    /// Nobody listens at the port of discarded bytes.
    private static let noHub = ["POS_HUB_URL=http://127.0.0.1:9"]
}
