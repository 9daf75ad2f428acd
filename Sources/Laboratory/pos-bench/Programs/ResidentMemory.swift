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
