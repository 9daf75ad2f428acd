import Base
import CVirtualTime
import Foundation
import Glibc
import LinuxRuntime

/// What became of a world.
struct WorldResult: Codable {
    let seed: UInt64
    var failures: [World.Failure]
    var terminalHours = 0
    var events: UInt64 = 0
    var sales = 0
    var faults: [String: Int] = [:]
    /// Images of power cuts that were looked at.
    var images = 0
    /// Of the trace, hexadecimal.
    var hash = ""
}

/// Worlds, each in a process of its own: it has one thread, begins with nothing, and can end as it likes.
struct WorldProcess {
    /// Whether the world's story is printed.
    var isShown = false

    /// Seconds of the processor after which a world that does not end is ended: the largest have 90 open
    /// hours of tills, which take minutes.
    private static func limit(of schedule: Schedule) -> UInt32 { 300 + 20 * UInt32(schedule.terminalHours) }

    /// Runs `schedules`, as many at once as it may use processors (`taskset`).
    ///
    /// - Parameter finished: gets each result as it comes; false ends the run.
    func run(_ schedules: some Sequence<Schedule>, finished: (WorldResult, Schedule) -> Bool) {
        var running: [pid_t: (schedule: Schedule, folder: String)] = [:]
        var rest = schedules.makeIterator()
        var isOver = false
        let width = isShown ? 1 : Int(virtual_time_processors())
        while true {
            while !isOver, running.count < width, let schedule = rest.next() {
                let folder = Self.folder()
                fflush(nil)
                let child = virtual_time_fork()
                if child == 0 { live(schedule, in: folder) }
                running[child] = (schedule, folder)
            }
            var status: Int32 = 0
            guard !running.isEmpty, case let child = waitpid(-1, &status, 0), child > 0,
                let (schedule, folder) = running.removeValue(forKey: child)
            else { return }
            let result = Self.result(of: schedule, in: folder, status)
            try? FileManager.default.removeItem(atPath: folder)
            if !finished(result, schedule) { isOver = true }
        }
    }

    /// In memory, where the system has such a folder.
    private static func folder() -> String {
        let memory = "/dev/shm"
        let parent = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
        var template = Array((parent + "/pos-sim.XXXXXX").utf8CString)
        return mkdtemp(&template).map { String(cString: $0) } ?? parent
    }

    private static func result(of schedule: Schedule, in folder: String, _ status: Int32) -> WorldResult {
        if let bytes = FileManager.default.contents(atPath: folder + "/result.json"),
            let result = try? JSONDecoder().decode(WorldResult.self, from: bytes)
        {
            return result
        }
        let signal = status & 0x7F
        let end =
            signal == SIGXCPU
            ? "did not end" : signal == 0 ? "ended with \(status >> 8)" : "died of signal \(signal)"
        return WorldResult(
            seed: schedule.seed,
            failures: [.init(invariant: "no program crashes", at: 0, detail: "the world \(end)")])
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data(("pos-sim: " + text + "\n").utf8))
    }

    /// The child's life.
    private func live(_ schedule: Schedule, in folder: String) -> Never {
        virtual_time_limit(Self.limit(of: schedule))
        if !isShown { dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) }
        umask(0o077)
        if let bug = schedule.plant.flatMap(PlantedBug.init(rawValue:)) { bug.plant() }
        virtual_time_begin(schedule.seed, Schedule.opening * 1_000_000)
        guard let loop = try? EventLoop() else { _exit(71) }
        virtual_time_on_standstill {
            WorldProcess.say("nothing is left that could happen")
            _exit(72)
        }
        guard loop.becomeGlobalExecutor() else {
            Self.say("this compiler has no interface for executors")
            _exit(73)
        }
        let (isShown, path) = (isShown, folder)
        Task { @MainActor in
            await World(schedule, folder: path, loop: loop, isShown: isShown) { world in
                Self.leave(world, in: path)
            }.run()
        }
        while true { loop.run() }
    }

    /// The child's last act.
    @MainActor
    private static func leave(_ world: World, in folder: String) -> Never {
        let result = WorldResult(
            seed: world.schedule.seed, failures: world.failures,
            terminalHours: world.schedule.terminalHours,
            events: virtual_time_steps() + world.trace.events, sales: world.sales,
            faults: Dictionary(uniqueKeysWithValues: world.fired.map { ($0.key.rawValue, $0.value) }),
            images: PowerCutImages.current?.made ?? 0, hash: String(world.trace.hash, radix: 16))
        try? JSONEncoder().encode(result).write(to: URL(fileURLWithPath: folder + "/result.json"))
        fflush(nil)
        _exit(0)
    }
}
