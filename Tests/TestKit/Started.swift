import Foundation
import Glibc

/// A child process just started, with this side's ends of its pipes.
struct Started {
    let pid: pid_t
    let input: Int32
    let output: Int32
    let errors: Int32

    /// One start at a time: a pipe end must not leak into a child that starts beside it, or its reader would
    /// never see the end.
    private static let spawning = NSLock()

    init(_ path: String, _ arguments: [String], _ environment: [String: String]) throws {
        let (pid, pipes) = try Self.spawning.withLock {
            let pipes = try (0..<3).map { _ in try ClosingPipe() }
            let theirs = [pipes[0].reading, pipes[1].writing, pipes[2].writing]
            defer { for descriptor in theirs { close(descriptor) } }
            return (try Self.spawn(path, arguments, environment, theirs), pipes)
        }
        self.pid = pid
        input = pipes[0].writing
        output = pipes[1].reading
        errors = pipes[2].reading
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], _ descriptors: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
        }
        let merged = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        var argv = ([path] + arguments).map { strdup($0) }
        var envp = merged.map { strdup("\($0.key)=\($0.value)") }
        defer { (argv + envp).forEach { free($0) } }
        argv.append(nil)
        envp.append(nil)
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, path, &actions, nil, argv, envp)
        guard code == 0 else { throw ProgramError.notStarted(path: path, errno: code) }
        return pid
    }
}

/// A pipe whose ends no child inherits.
private struct ClosingPipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ProgramError.notStarted(path: "pipe", errno: errno) }
        reading = ends[0]
        writing = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
}
