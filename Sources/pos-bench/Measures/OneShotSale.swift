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
            var steps: [() throws(BenchFailure) -> Void] = [
                { () throws(BenchFailure) in offline.add(try shop.timeOneShotSale(round)) },
                { () throws(BenchFailure) in version.add(try shop.timeVersion()) },
                { () throws(BenchFailure) in nothing.add(try Spawn.time("/bin/true", [], log: log)) },
            ]
            if round % 2 == 1 { steps.reverse() }
            for step in steps { try step() }
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
