internal import CLinux
internal import Glibc

/// The actions of `posix_spawn` between fork and exec. When it is released it closes the child's ends of the
/// pipes, and this side's too unless the child was started.
struct SpawnPlan: ~Copyable {
    private var actions = posix_spawn_file_actions_t()
    private var theirs: [Int32] = []
    private var ours: [Int32] = []

    init() {
        posix_spawn_file_actions_init(&actions)
    }

    deinit {
        var actions = actions
        posix_spawn_file_actions_destroy(&actions)
        for descriptor in theirs + ours { close(descriptor) }
    }

    /// - Returns: this side's end of a pipe.
    mutating func lead(_ number: Int32, to stream: ChildProcess.Stream) throws(SpawnError) -> Int32? {
        switch stream {
        case .nothing:
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            return nil
        case .file(let path):
            posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            return nil
        case .descriptor(let theirs):
            posix_spawn_file_actions_adddup2(&actions, theirs, number)
            return nil
        case .pipe:
            let ends = try Self.pipe()
            let isInput = number == STDIN_FILENO
            let (near, far) = isInput ? (ends.writing, ends.reading) : (ends.reading, ends.writing)
            posix_spawn_file_actions_adddup2(&actions, far, number)
            theirs.append(far)
            ours.append(near)
            return near
        }
    }

    mutating func change(to folder: String) {
        clinux_spawn_in(&actions, folder)
    }

    consuming func start(
        _ path: String, _ arguments: [String], _ environment: [String]
    ) throws(SpawnError) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.freshSignals(&attributes)
        var pid: pid_t = 0
        let code = Self.withCStrings([path] + arguments) { arguments in
            Self.withCStrings(environment) { posix_spawnp(&pid, path, &actions, &attributes, arguments, $0) }
        }
        guard code == 0 else { throw SpawnError(path: path, code: code) }
        ours = []
        return pid
    }

    /// A thread of a queue blocks signals, and children inherit that SIGPIPE is ignored.
    private static func freshSignals(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    /// No child inherits either end, not even one that another thread starts meanwhile.
    private static func pipe() throws(SpawnError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard clinux_pipe(&ends) == 0 else { throw SpawnError(path: "pipe", code: errno) }
        return (ends[0], ends[1])
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
