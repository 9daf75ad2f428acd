internal import Glibc

/// How a child process ended.
package struct ChildEnding: Hashable, Sendable {
    /// The exit code, or 128 plus the signal that ended it.
    package let code: Int32
    /// The CPU time that it used, in nanoseconds.
    package let busy: Int64

    fileprivate init(status: Int32, usage: rusage) {
        let signal = status & 0x7F
        code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        busy = Self.nanoseconds(usage.ru_utime) + Self.nanoseconds(usage.ru_stime)
    }

    private static func nanoseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1_000
    }
}

extension ChildProcess {
    /// Waits for the end. Call it once; after that the process id may belong to another process.
    ///
    /// - Returns: nil when somebody else has waited for it already.
    package func wait() -> ChildEnding? { ending(0) }

    /// The end if it has come, without waiting; nil while the child runs. Counts as ``wait()`` once it
    /// returns a value.
    package func endingIfAny() -> ChildEnding? { ending(WNOHANG) }

    private func ending(_ options: Int32) -> ChildEnding? {
        var (status, usage) = (Int32(0), rusage())
        while true {
            let response = wait4(pid, &status, options, &usage)
            if response < 0, errno == EINTR { continue }
            return response == pid ? ChildEnding(status: status, usage: usage) : nil
        }
    }
}
