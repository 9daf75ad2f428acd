import Base

internal import Glibc

/// What strangers' connections cost an enrolled terminal: 5,000 that send nothing, then 2,000 new ones a
/// second beside them. The terminal's pushes without any of them are the yardstick.
struct IdleConnections: RowMeasure {
    private static let held = 5_000
    private static let freshPerSecond = 2_000
    private static let seconds = 10
    private static let pushes = 500
    /// The hub gives memory back once a minute at the latest.
    private static let calmSeconds: UInt32 = 90
    /// A terminal gives up after 10 s (`sync.requestTimeoutSeconds`).
    private static let timeout: Int64 = 10_000_000_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        try DescriptorLimit.raise(to: 10_000)
        let shop = try Shop("connections", in: workshop)
        guard let hub = shop.hubProcess else { return [] }
        let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let connection = try HubConnection(shop.address)
        var quiet = try Self.pushes(of: till, on: connection, count: Self.pushes)
        let atRest = try ResidentMemory.bytes(of: hub)
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
                    _ = try late.query(
                        HubConnection.request("GET", "/v1/changes?limit=1", headers: till.headers))
                })
        }
        storm.finish()
        let rate = Double(storm.sum ?? 0) / Double(Self.seconds)
        let late = stormy.all.filter { $0 >= Self.timeout }.count
        let atPeak = try ResidentMemory.bytes(of: hub)
        withExtendedLifetime(strangers) {}
        strangers = []
        sleep(Self.calmSeconds)
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
            Row(
                name: "hub's memory at the most", figure: atPeak, unit: .bytes, yardstick: ("before", atRest)),
            Row(
                name: "hub's memory \(Self.calmSeconds) s after all have gone",
                figure: try ResidentMemory.bytes(of: hub), unit: .bytes, yardstick: ("before", atRest),
                aim: .ratioAtMost(2)),
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
                try Stopwatch.time { () throws(BenchFailure) in status = try connection.query(push).status })
            guard status == 200 else {
                throw .programFailed(name: "pos-hub", detail: "it answered \(status)", lastErrors: "-")
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
}
