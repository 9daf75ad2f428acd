internal import Glibc

/// What strangers' connections cost an enrolled terminal: 5,000 that send nothing, then 2,000 new ones a
/// second beside them. The terminal's pushes without any of them are the yardstick.
struct IdleConnections: RowMeasure {
    private static let held = 5_000
    private static let freshPerSecond = 2_000
    private static let seconds = 10
    private static let pushes = 500
    /// A terminal gives up after 10 s (`sync.requestTimeoutSeconds`).
    private static let timeout: Int64 = 10_000_000_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        try Self.raiseLimit()
        let shop = try Shop("connections", in: workshop)
        let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let connection = try HubConnection(shop.address)
        var quiet = try Self.pushes(of: till, on: connection, count: Self.pushes)
        var strangers: [HubConnection] = []
        for _ in 0..<Self.held { strangers.append(try HubConnection(shop.address)) }
        var beside = try Self.pushes(of: till, on: connection, count: Self.pushes)
        let storm = Counts()
        var stormy = Samples()
        let address = shop.address
        let end = Stopwatch.now() + Int64(Self.seconds) * 1_000_000_000
        storm.start { Self.storm(at: address, until: end) }
        while Stopwatch.now() < end {
            for sample in try Self.pushes(of: till, on: connection, count: 10).all { stormy.add(sample) }
            // A terminal that comes in the middle of it.
            stormy.add(
                try Stopwatch.time { () throws(BenchFailure) in
                    let late = try HubConnection(address)
                    _ = try late.ask(
                        HubConnection.request("GET", "/v1/changes?limit=1", headers: till.headers))
                })
        }
        storm.finish()
        let rate = Double(storm.sum ?? 0) / Double(Self.seconds)
        let late = stormy.all.filter { $0 >= Self.timeout }.count
        withExtendedLifetime(strangers) {}
        return [
            Row(
                name: "push p99, \(Self.held) idle connections", figure: beside.percentile(0.99), unit: .time,
                yardstick: ("without", quiet.percentile(0.99)), aim: .ratioAtMost(5)),
            Row(
                name: "push p99, new connections beside", figure: stormy.percentile(0.99), unit: .time,
                yardstick: ("without", quiet.percentile(0.99))),
            Row(
                name: "new connections meanwhile", figure: rate, unit: .perSecond,
                aim: .atLeast(Double(Self.freshPerSecond) * 0.8)),
            Row(name: "the terminal's timeouts", figure: Double(late), unit: .count, aim: .atMost(0)),
        ]
    }

    private static func pushes(
        of till: ScriptedTill, on connection: HubConnection, count: Int
    ) throws(BenchFailure) -> Samples {
        var samples = Samples()
        for _ in 0..<count {
            let push = till.push(of: 1)
            var status = 0
            samples.add(
                try Stopwatch.time { () throws(BenchFailure) in status = try connection.ask(push).status })
            guard status == 200 else {
                throw .programFailed(name: "pos-hub", detail: "it answered \(status)", lastWords: "-")
            }
        }
        return samples
    }

    /// Opens connections that send nothing, a hundredth of a second's worth at a time, and forgets each after
    /// a second.
    ///
    /// - Returns: how many there were.
    private static func storm(at address: String, until end: Int64) -> Int64 {
        var open: [HubConnection] = []
        var count: Int64 = 0
        while Stopwatch.now() < end {
            let next = Stopwatch.now() + 10_000_000
            for _ in 0..<(freshPerSecond / 100) {
                guard let connection = try? HubConnection(address) else { continue }
                open.append(connection)
                count += 1
            }
            if open.count > freshPerSecond { open.removeFirst(open.count - freshPerSecond) }
            let left = next - Stopwatch.now()
            if left > 0 { usleep(UInt32(left / 1_000)) }
        }
        return count
    }

    private static func raiseLimit() throws(BenchFailure) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max >= 10_000 else {
            throw .notHere("\(limit.rlim_max) descriptors; 10,000 are needed at each end")
        }
    }
}
