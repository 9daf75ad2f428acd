internal import Glibc

/// What a process has used since it started.
struct ProcessUse {
    /// How often the threads that live now went to sleep, and so were woken up; being pushed off the core by
    /// somebody else is no wake-up.
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
        var switches: Int64 = 0
        for task in try TextFile.names(in: "/proc/\(pid)/task") {
            switches += Self.switches(in: TextFile.read("/proc/\(pid)/task/\(task)/status") ?? "")
        }
        self.switches = switches
    }

    func since(_ before: ProcessUse) -> ProcessUse {
        ProcessUse(switches: switches - before.switches, nanoseconds: nanoseconds - before.nanoseconds)
    }

    private static func switches(in status: String) -> Int64 {
        status.split(separator: "\n").reduce(0) { sum, line in
            guard line.hasPrefix("voluntary_ctxt_switches:"), let number = line.split(separator: "\t").last
            else {
                return sum
            }
            return sum + (Int64(number) ?? 0)
        }
    }
}

/// How many files and connections this process, and those that it starts, may have open.
enum DescriptorLimit {
    /// Raises the limit as far as the system allows.
    ///
    /// - Throws: ``BenchFailure/notHere(_:)`` when that is below `wanted`.
    static func raise(to wanted: UInt) throws(BenchFailure) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max >= wanted else {
            throw .notHere("\(limit.rlim_max) descriptors; \(wanted) are needed at each end")
        }
    }
}

/// What a process holds in memory now (proc(5), `VmRSS`).
enum ResidentMemory {
    static func bytes(of pid: Int32) throws(BenchFailure) -> Double {
        let status = TextFile.read("/proc/\(pid)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let fields = line?.split { $0 == " " || $0 == "\t" } ?? []
        guard fields.count > 1, let kilobytes = Double(fields[1]) else {
            throw .system(call: "VmRSS of \(pid)", code: 0)
        }
        return kilobytes * 1_024
    }
}
