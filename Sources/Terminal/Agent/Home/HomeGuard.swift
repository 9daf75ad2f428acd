internal import Glibc
internal import Logging
internal import LinuxRuntime

/// Looks after the two names in the data folder that make a process its agent: the lock, by which no other
/// process becomes one, and the socket, by which others reach it.
struct HomeGuard: Sendable {
    let home: TerminalHome
    let lock: HomeLock
    /// Nil where the agent serves this process alone.
    let server: AgentSocketServer?
    let loop: EventLoop

    /// Looks at both names at each change in the folder, until the task is cancelled.
    ///
    /// - Throws: kind `tryAgain`: `lock_lost` where the lock is not this process's any more, `socket_lost`
    ///   where the socket cannot be made anew. The process ends at once then, as after a crash: with another
    ///   agent beside it the order of the journal would have two writers.
    func run() async throws(TerminalError) {
        let changes = FolderChanges(of: home.path, loop: loop)
        while !Task.isCancelled {
            guard lock.isNamed else {
                throw TerminalError(.tryAgain, code: "lock_lost") { $0.lockLost(home.lock, home: home.path) }
            }
            try server?.lookAfterName()
            await changes.next()
        }
    }
}

/// Notices that the entries of a folder may have changed.
private final class FolderChanges: Sendable {
    private let descriptor: Int32
    private let loop: EventLoop

    /// Where the system has no watch left: each look costs a wake-up, so half of it is too much for an idle
    /// terminal; doubled, nobody reaches the agent for twice as long.
    private static let interval = Duration.seconds(10)

    init(of path: String, loop: EventLoop) {
        self.loop = loop
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        let changes = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
        if descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(changes)) < 0 {
            close(descriptor)
            self.descriptor = -1
        } else {
            self.descriptor = descriptor
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns after the next change, or now and then where changes cannot be watched.
    func next() async {
        guard descriptor >= 0, (try? await loop.waitUntilReady(descriptor, for: .read)) != nil else {
            try? await Task.sleep(for: Self.interval)
            return
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
