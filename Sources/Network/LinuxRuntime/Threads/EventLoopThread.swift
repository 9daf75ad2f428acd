internal import Glibc
internal import Synchronization

/// A thread that runs an event loop until this object is released.
public final class EventLoopThread: Sendable {
    /// The loop that the thread runs until ``end()``.
    public let loop: EventLoop
    /// Nil once its end was waited for.
    private let thread: Mutex<pthread_t?>

    /// - Parameter name: what `top -H` and debuggers call the thread, at most 15 bytes.
    /// - Throws: when the system has no room for a loop or a thread.
    public init(named name: String) throws(EventLoopError) {
        let loop = try EventLoop()
        self.loop = loop
        thread = Mutex(
            try PosixThread.start {
                PosixThread.name(name)
                loop.run()
            })
    }

    deinit {
        loop.stop()
        if let thread = thread.withLock({ $0.take() }) { pthread_detach(thread) }
    }

    /// Stops the loop and returns when the thread has ended; at once where the caller is that thread. Safe to
    /// call twice.
    public func end() {
        loop.stop()
        guard !loop.isCurrent, let thread = thread.withLock({ $0.take() }) else { return }
        pthread_join(thread, nil)
    }
}
