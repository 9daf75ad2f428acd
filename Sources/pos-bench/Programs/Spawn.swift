internal import Glibc

/// Starts programs as cheaply as the system can, so that the wall time of a short one is its own.
enum Spawn {
    /// - Parameter input: its standard input; nil: `/dev/null`. Likewise `output` and `log`.
    static func start(
        _ path: String, _ arguments: [String], input: Int32? = nil, output: Int32? = nil, log: String? = nil
    ) throws(BenchFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [(STDIN_FILENO, input), (STDOUT_FILENO, output)] {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, log ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var pid: pid_t = 0
        let code = withCStrings([path] + arguments) { arguments in
            withCStrings(environment) { posix_spawn(&pid, path, &actions, nil, arguments, $0) }
        }
        guard code == 0 else { throw .system(call: "posix_spawn \(path)", code: code) }
        return pid
    }

    /// How a program ended.
    struct End {
        /// The exit code, or 128 plus the signal that ended it.
        let code: Int32
        /// Nanoseconds that it kept a core busy.
        let busy: Int64
    }

    static func wait(_ pid: pid_t) -> End {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
        let signal = status & 0x7f
        return End(
            code: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
            busy: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
    }

    /// What a whole run costs, in nanoseconds: from its start to its end, and on the core.
    static func time(
        _ path: String, _ arguments: [String], log: String
    ) throws(BenchFailure) -> (wall: Int64, busy: Int64) {
        let start = Stopwatch.now()
        let end = wait(try Self.start(path, arguments, log: log))
        let wall = Stopwatch.now() - start
        guard end.code == 0 else {
            throw .programFailed(
                name: path, detail: "it ended with \(end.code)", lastWords: TextFile.lastLine(of: log))
        }
        return (wall, end.busy)
    }

    private static func nanoseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1_000
    }

    /// Without the settings of the person who runs the benchmark.
    private static let environment: [String] = {
        var variables: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let variable = String(cString: text)
            if !variable.hasPrefix("POS_") { variables.append(variable) }
            entry += 1
        }
        return variables
    }()

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
