import Base

internal import Glibc
internal import OfflineCore

/// The real agent and hub at two ends of a cable that becomes silent, loses its carrier, and causes more
/// kernel announcements than a listener can read.
///
/// Several tills use the cable, since each has its own schedule: one sells, the others are idle. All settings
/// are the defaults. Moments are those of the tills' event recordings.
struct AgentDetection: Measure {
    private static let tills = 9
    private static let carrierRounds = 3

    let rounds: Int
    let seed: UInt64

    func run(in workshop: Workshop, show: (String) -> Void) throws(BenchFailure) {
        let cable = try Cable(log: workshop.folder("agents") + "/cable.log")
        let shop = try Shop("agents", in: workshop, tills: Self.tills, cable: cable)
        var tills: [WatchedTill] = []
        for till in 0..<Self.tills {
            tills.append(WatchedTill(try shop.startAgent(of: till), home: shop.home(of: till)))
            try shop.waitUntilReachable(till)
        }
        show("agents: load \(Self.load) on \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores as it begins")
        var silence = SilentCable(cable: cable, tills: tills, sales: try shop.startSelling())
        var random = SplitMix64(seed: seed)
        for _ in 0..<rounds { try silence.run(after: random.upTo(.seconds(15))) }
        for row in silence.rows { show(row.text) }
        var carrier = LostCarrier(cable: cable, tills: tills)
        for _ in 0..<Self.carrierRounds { try carrier.run() }
        for row in carrier.rows { show(row.text) }
        show(try Overflow(cable: cable, tills: tills).row().text)
        for till in tills { till.agent.stop() }
    }
}

extension AgentDetection {
    /// The system's load of the last minute: real programs are late on a machine that has more to do.
    private static var load: String {
        TextFile.read("/proc/loadavg")?.split(separator: " ").first.map(String.init) ?? "unknown"
    }
}

extension [WatchedTill] {
    /// Waits until `moment` returns a value for all of them, at most `seconds`.
    func wait(
        _ what: String, seconds: Int64, _ moment: (WatchedTill) -> Int64?
    ) throws(BenchFailure) -> [Int64] {
        let end = Stopwatch.now() + seconds * 1_000_000_000
        while Stopwatch.now() < end {
            let moments = compactMap(moment)
            if moments.count == count { return moments }
            usleep(100_000)
        }
        throw .programFailed(
            name: "pos",
            detail: "\(count - compactMap(moment).count) of \(count) tills are not \(what) after "
                + "\(seconds) s", lastErrors: "-")
    }
}
