internal import Glibc

/// How often an idle agent wakes up and how much of a core it takes, beside the idle hub.
///
/// A wake-up is a context switch of any thread, voluntary or not. The agent is online on a loopback hub with
/// the default settings: probes run, sales do not.
struct IdleAgent: Measure {
    let seconds: Int

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("idle", in: workshop)
        let agent = try shop.startAgent()
        try shop.waitUntilReachable()
        // What a start leaves behind is over by then.
        sleep(10)
        guard let hub = shop.hubProcess else { return [] }
        let before = try (ProcessUse(agent.processIdentifier), ProcessUse(hub))
        sleep(UInt32(seconds))
        let after = try (ProcessUse(agent.processIdentifier), ProcessUse(hub))
        agent.stop()
        let own = after.0.since(before.0)
        let hubs = after.1.since(before.1)
        return [
            Row(
                name: "idle agent, wake-ups", figure: perHour(own.switches), unit: .perHour,
                yardstick: ("idle hub", perHour(hubs.switches)), aim: .atMost(700)),
            Row(
                name: "idle agent, share of a core", figure: percent(own.nanoseconds), unit: .percent,
                yardstick: ("idle hub", percent(hubs.nanoseconds)), aim: .atMost(0.1)),
        ]
    }

    private func perHour(_ count: Int64) -> Double { Double(count) * 3_600 / Double(seconds) }
    private func percent(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / Double(seconds) / 1e7 }
}

/// What a process has used since it started.
struct ProcessUse {
    /// Context switches of the threads that live now.
    let switches: Int64
    /// CPU time of all threads, ended ones included.
    let nanoseconds: Int64

    private init(switches: Int64, nanoseconds: Int64) {
        self.switches = switches
        self.nanoseconds = nanoseconds
    }

    init(_ pid: pid_t) throws(BenchFailure) {
        var clock = clockid_t()
        var time = timespec()
        let code = clock_getcpuclockid(pid, &clock)
        guard code == 0 else { throw .system(call: "clock_getcpuclockid", code: code) }
        guard clock_gettime(clock, &time) == 0 else { throw .system(call: "clock_gettime", code: errno) }
        nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        switches = try TextFile.names(in: "/proc/\(pid)/task").reduce(0) { sum, task in
            sum + Self.switches(in: TextFile.read("/proc/\(pid)/task/\(task)/status") ?? "")
        }
    }

    func since(_ before: ProcessUse) -> ProcessUse {
        ProcessUse(
            switches: switches - before.switches, nanoseconds: nanoseconds - before.nanoseconds)
    }

    private static func switches(in status: String) -> Int64 {
        status.split(separator: "\n").reduce(0) { sum, line in
            guard line.contains("ctxt_switches:"), let word = line.split(separator: "\t").last else {
                return sum
            }
            return sum + (Int64(word) ?? 0)
        }
    }
}
