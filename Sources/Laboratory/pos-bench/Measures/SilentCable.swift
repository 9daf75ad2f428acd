import Base

internal import Glibc
internal import OfflineCore

/// A cable whose far end drops every response.
struct SilentCable {
    private static let salePause: UInt32 = 250_000

    let cable: Cable
    /// The first one sells.
    let tills: [WatchedTill]
    let sales: SaleStream

    private var idle = Samples()
    private var busy = Samples()
    private var recoveries = Samples()
    /// The longest sale of each round, and all the others after the cut.
    private var waits = Samples()
    private var others = Samples()
    private var patient = 0
    private var rounds = 0

    init(cable: Cable, tills: [WatchedTill], sales: SaleStream) {
        self.cable = cable
        self.tills = tills
        self.sales = sales
    }

    /// One outage, from all is well to all is well, after some idle time.
    mutating func run(after pause: Duration) throws(BenchFailure) {
        usleep(UInt32(pause.wholeMilliseconds * 1_000))
        for _ in 0..<20 { _ = try sell() }
        let cut = Stopwatch.now()
        try cable.setSilent(true)
        let firstDead = Stopwatch.now()
        try sellUntilConfirmed(since: cut)
        let switches = try tills.wait("offline", seconds: 60) { $0.switched(to: .offline, after: cut) }
        busy.add(switches[0] - firstDead)
        for moment in switches.dropFirst() { idle.add(moment - cut) }
        let back = Stopwatch.now()
        try cable.setSilent(false)
        for moment in try tills.wait("online", seconds: 90, { $0.switched(to: .online, after: back) }) {
            recoveries.add(moment - back)
        }
        rounds += 1
    }

    private mutating func sellUntilConfirmed(since cut: Int64) throws(BenchFailure) {
        var took: [Int64] = []
        let end = cut + 30_000_000_000
        while Stopwatch.now() < end, tills[0].switched(to: .offline, after: cut) == nil {
            took.append(try sell())
        }
        for _ in 0..<5 { took.append(try sell()) }
        took.sort()
        if let longest = took.popLast() { waits.add(longest) }
        for sale in took { others.add(sale) }
        patient += took.count { $0 > 500_000_000 }
    }

    private func sell() throws(BenchFailure) -> Int64 {
        let took = try Stopwatch.time { () throws(BenchFailure) in _ = try sales.sell() }
        usleep(Self.salePause)
        return took
    }

    var rows: [Row] {
        var (idle, busy, recoveries, waits, others) = (idle, busy, recoveries, waits, others)
        let count = rounds * (tills.count - 1)
        return [
            Row(
                name: "agents: silent, idle, p50 of \(count)", figure: idle.median(), unit: .seconds,
                // So few say little about a median; the simulation judges it.
                yardstick: ("wanted of very many", 17e9)),
            Row(
                name: "agents: silent, idle, max", figure: idle.largest(), unit: .seconds, aim: .atMost(26e9)),
            Row(
                name: "agents: silent, selling, max of \(rounds)", figure: busy.largest(), unit: .seconds,
                yardstick: ("3 s and T1", 11e9), aim: .ratioAtMost(1.05)),
            Row(
                name: "agents: the one sale that waits, max", figure: waits.largest(), unit: .time,
                yardstick: ("budget", 1.5e9), aim: .ratioAtMost(1.1)),
            Row(
                name: "agents: later sales that wait", figure: Double(patient), unit: .count, aim: .atMost(0)),
            Row(name: "agents: later sales, p50", figure: others.median(), unit: .time),
            Row(
                name: "agents: back after the silence, max", figure: recoveries.largest(), unit: .seconds,
                aim: .atMost(28.5e9)),
        ]
    }
}
