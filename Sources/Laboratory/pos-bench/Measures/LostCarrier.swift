import Base

internal import OfflineCore

/// A cable that loses its carrier, which the kernel announces to every listener.
///
/// The yardstick is another listener: the moment at which `ip monitor` has printed it.
struct LostCarrier {
    let cable: Cable
    let tills: [WatchedTill]
    private var suspicions = Samples()
    private var confirmations = Samples()
    private var count = 0

    init(cable: Cable, tills: [WatchedTill]) {
        self.cable = cable
        self.tills = tills
    }

    /// One loss, from all is well to all is well.
    mutating func run() throws(BenchFailure) {
        let monitor = try cable.monitor()
        defer { monitor.stop() }
        try listen(with: monitor)
        let start = Stopwatch.now()
        try cable.setCarrier(false)
        let announced = try announcement(from: monitor)
        for till in tills {
            let moments = try [till].wait("notified", seconds: 10) {
                $0.wasNotified(ofPath: false, after: start)
            }
            let confirmed = try [till].wait("offline", seconds: 20) {
                $0.switched(to: .offline, after: start)
            }
            suspicions.add(max(0, moments[0] - announced))
            confirmations.add(confirmed[0] - moments[0])
            count += 1
        }
        try cable.setCarrier(true)
        _ = try tills.wait("online", seconds: 90) { $0.switched(to: .online, after: start) }
    }

    /// Waits until the other listener receives announcements.
    private func listen(with monitor: BuiltProgram) throws(BenchFailure) {
        for _ in 0..<50 {
            try cable.makeNoise()
            if try monitor.readLine(within: 100) != nil { return }
        }
        throw monitor.failure("it printed no announcement")
    }

    /// When the other listener has printed that the carrier is lost.
    private func announcement(from monitor: BuiltProgram) throws(BenchFailure) -> Int64 {
        while let line = try monitor.readLine(within: 10_000) {
            let now = Stopwatch.now()
            if line.contains(Cable.tillEnd), line.contains("NO-CARRIER") { return now }
        }
        throw monitor.failure("it printed no lost carrier")
    }

    var rows: [Row] {
        var (suspicions, confirmations) = (suspicions, confirmations)
        return [
            Row(name: "agents: carrier lost, suspicion, p50", figure: suspicions.median(), unit: .time),
            Row(
                name: "agents: carrier lost, suspicion, max of \(count)", figure: suspicions.largest(),
                unit: .time, aim: .atMost(50e6)),
            Row(
                name: "agents: carrier lost, offline, max", figure: confirmations.largest(), unit: .seconds,
                yardstick: ("its T1", 5e9), aim: .ratioAtMost(1.1)),
        ]
    }
}
