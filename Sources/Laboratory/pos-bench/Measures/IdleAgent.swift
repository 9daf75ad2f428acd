internal import Glibc

/// How often an idle agent wakes up and how much of a core it takes, beside a Swift program that does nothing
/// and beside the idle hub.
///
/// A wake-up is a voluntary context switch of any thread. The agent is online on a loopback hub with
/// the default settings: probes run, sales do not.
struct IdleAgent: RowMeasure {
    let seconds: Int

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("idle", in: workshop)
        let nothing = try BuiltProgram(
            workshop.program("pos-bench"), IdleProgram.arguments, log: shop.folder + "/nothing.log")
        let agent = try shop.startAgent()
        try shop.waitUntilReachable()
        // What a start leaves behind is over by then.
        sleep(10)
        guard let hub = shop.hubProcess else { return [] }
        let watched = [agent.processIdentifier, nothing.processIdentifier, hub]
        let before = try uses(of: watched)
        sleep(UInt32(seconds))
        let used = try zip(uses(of: watched), before).map { $0.since($1) }
        agent.stop()
        nothing.stop()
        return rows(agent: used[0], nothing: used[1], hub: used[2])
    }

    private func rows(agent: ProcessUse, nothing: ProcessUse, hub: ProcessUse) -> [Row] {
        let idle = "Swift program without work"
        return [
            Row(
                name: "idle agent, wake-ups", figure: perHour(agent.switches), unit: .perHour,
                yardstick: (idle, perHour(nothing.switches)), aim: .atMost(700)),
            Row(
                name: "idle agent, share of a core", figure: percent(agent.nanoseconds), unit: .percent,
                yardstick: (idle, percent(nothing.nanoseconds)), aim: .atMost(0.1)),
            Row(name: "idle hub, wake-ups", figure: perHour(hub.switches), unit: .perHour),
            Row(name: "idle hub, share of a core", figure: percent(hub.nanoseconds), unit: .percent),
        ]
    }

    private func uses(of processes: [pid_t]) throws(BenchFailure) -> [ProcessUse] {
        var uses: [ProcessUse] = []
        for process in processes { uses.append(try ProcessUse(process)) }
        return uses
    }

    private func perHour(_ count: Int64) -> Double { Double(count) * 3_600 / Double(seconds) }
    private func percent(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / Double(seconds) / 1e7 }
}

/// The yardstick of an idle program: one task of Swift's concurrency, and nothing more to do.
///
/// Its own wake-ups are those of the runtime: once its pool of threads was used, libdispatch looks after it
/// every second.
enum IdleProgram {
    static let arguments = ["--do-nothing"]

    /// Waits to be ended.
    static func run() -> Never {
        Task.detached {
            print("ready"); fflush(nil)
        }
        while true { pause() }
    }
}
