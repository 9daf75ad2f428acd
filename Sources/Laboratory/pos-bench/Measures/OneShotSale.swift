/// `pos sell --line` as a whole process, with an agent running, offline by hand and online.
///
/// The time on the core is shown beside the wall time: the difference is waiting, for the agent, the disk and
/// other programs.
struct OneShotSale: RowMeasure {
    private static let rounds = 60
    private static let limit = 40e6

    /// One way to start a program, and what it cost each time.
    private struct Series {
        let name: String
        var wall = Samples()
        var busy = Samples()

        mutating func add(_ cost: (wall: Int64, busy: Int64)) {
            wall.add(cost.wall)
            busy.add(cost.busy)
        }

        mutating func rows(beside nothing: inout Series, atMost limit: Double?) -> [Row] {
            [
                Row(
                    name: name + ", whole process, p50", figure: wall.median(), unit: .time,
                    yardstick: ("/bin/true", nothing.wall.median()), aim: limit.map(Row.Aim.atMost)),
                Row(
                    name: name + ", on the core, p50", figure: busy.median(), unit: .time,
                    yardstick: ("/bin/true", nothing.busy.median())),
            ]
        }
    }

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("one-shot", in: workshop)
        let agent = try shop.startAgent()
        try shop.waitUntilReachable()
        var online = Series(name: "pos sell --line, online")
        var offline = Series(name: "pos sell --line, offline")
        var version = Series(name: "pos --version")
        var nothing = Series(name: "/bin/true")
        for round in 0..<Self.rounds { online.add(try shop.timeOneShotSale(round)) }
        try shop.switchOffline(true)
        for round in 0..<Self.rounds {
            // The order is turned round each time, so that none always runs behind the same neighbour.
            if round % 2 == 0 { nothing.add(try timeNothing(shop)) }
            offline.add(try shop.timeOneShotSale(round))
            version.add(try shop.timeVersion())
            if round % 2 == 1 { nothing.add(try timeNothing(shop)) }
        }
        agent.stop()
        return offline.rows(beside: &nothing, atMost: Self.limit)
            + online.rows(beside: &nothing, atMost: Self.limit)
            + version.rows(beside: &nothing, atMost: nil)
    }

    private func timeNothing(_ shop: Shop) throws(BenchFailure) -> (wall: Int64, busy: Int64) {
        try ProgramRun.time("/bin/true", [], log: shop.folder + "/true.log")
    }
}
