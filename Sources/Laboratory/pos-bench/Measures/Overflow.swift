import Base

internal import Glibc
internal import OfflineCore

/// More announcements than the agents' sockets have room for while they are stopped; the last one matters.
struct Overflow {
    private static let routes = 30_000

    let cable: Cable
    let tills: [WatchedTill]

    /// How many tills have, after all that, another view than the kernel: first no path to the hub, then one.
    func row() throws(BenchFailure) -> Row {
        let before = lost
        var start = Stopwatch.now()
        try whileStopped { () throws(BenchFailure) in
            try cable.flood("add", routes: Self.routes)
            try cable.setRefused(true)
        }
        var wrong = disagreeing(ofPath: false, after: start)
        start = Stopwatch.now()
        try whileStopped { () throws(BenchFailure) in
            try cable.flood("delete", routes: Self.routes)
            try cable.setRefused(false)
        }
        wrong += disagreeing(ofPath: true, after: start)
        return Row(
            name: "agents: diverging after an overflow", figure: Double(wrong), unit: .count,
            yardstick: ("lost announcements", Double(lost - before)), aim: .atMost(0))
    }

    private var lost: Int { tills.reduce(0) { $0 + $1.lostAnnouncements } }

    private func whileStopped(_ body: () throws(BenchFailure) -> Void) throws(BenchFailure) {
        for till in tills { kill(till.agent.processIdentifier, SIGSTOP) }
        defer { for till in tills { kill(till.agent.processIdentifier, SIGCONT) } }
        try body()
    }

    private func disagreeing(ofPath isUsable: Bool, after start: Int64) -> Int {
        let end = Stopwatch.now() + 15_000_000_000
        while Stopwatch.now() < end {
            if tills.allSatisfy({ $0.wasNotified(ofPath: isUsable, after: start) != nil }) { return 0 }
            usleep(100_000)
        }
        return tills.count { $0.wasNotified(ofPath: isUsable, after: start) == nil }
    }
}
