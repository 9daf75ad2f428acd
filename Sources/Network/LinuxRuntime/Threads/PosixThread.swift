internal import Glibc

/// A separate thread, for work that blocks in system calls and so must not run on a loop or in a task.
public enum PosixThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new thread that cleans up after itself.
    ///
    /// - Throws: when there is no room for a thread; `body` is not run then.
    public static func detach(_ body: @escaping @Sendable () -> Void) throws(EventLoopError) {
        pthread_detach(try start(body))
    }

    /// Runs `body` on a new thread, which must be joined or detached.
    static func start(_ body: @escaping @Sendable () -> Void) throws(EventLoopError) -> pthread_t {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw EventLoopError(call: "pthread_create", code: code)
        }
        return thread
    }

    /// Names the calling thread for `top -H` and debuggers; best effort.
    static func name(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, name.utf8.count)
        close(file)
    }
}
