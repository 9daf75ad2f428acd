/// `pos sell --line` as a whole process, with an agent running, offline by hand and online.
struct OneShotSale: Measure {
    private static let rounds = 60
    private static let limit = 40e6

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("one-shot", in: workshop)
        let agent = try shop.startAgent()
        try shop.waitUntilReachable()
        let log = shop.folder + "/true.log"
        var online = Samples()
        var offline = Samples()
        var version = Samples()
        var nothing = Samples()
        for round in 0..<Self.rounds { online.add(try shop.timeOneShotSale(round)) }
        try shop.switchOffline(true)
        for round in 0..<Self.rounds {
            // The order is turned round each time, so that none always runs behind the same neighbour.
            if round % 2 == 0 { nothing.add(try Spawn.time("/bin/true", [], log: log)) }
            offline.add(try shop.timeOneShotSale(round))
            version.add(try shop.timeVersion())
            if round % 2 == 1 { nothing.add(try Spawn.time("/bin/true", [], log: log)) }
        }
        agent.stop()
        return [
            Row(
                name: "pos sell --line, offline, whole process, p50", figure: offline.median(), unit: .time,
                yardstick: ("/bin/true", nothing.median()), aim: .atMost(Self.limit)),
            Row(
                name: "pos sell --line, online, whole process, p50", figure: online.median(), unit: .time,
                yardstick: ("/bin/true", nothing.median()), aim: .atMost(Self.limit)),
            Row(
                name: "pos --version, whole process, p50", figure: version.median(), unit: .time,
                yardstick: ("/bin/true", nothing.median())),
        ]
    }
}
