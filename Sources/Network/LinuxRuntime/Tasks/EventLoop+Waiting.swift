public import Base

/// For tasks that wait for the loop. They may run on any executor.
extension EventLoop {
    /// Returns once `instant` has come.
    ///
    /// - Throws: `CancellationError` when the task was cancelled before. The timer is gone then, so that it
    ///   costs no wake-up; one of `Task.sleep` would still fire.
    public func sleep(until instant: Instant) async throws {
        try await wait { wait in
            let timer = self.schedule(at: instant) { wait.end(.success(())) }
            wait.onEnd = { self.cancel(timer) }
        }
    }

    /// Returns once `descriptor` is ready for `interest`. One task at a time waits for a descriptor: another
    /// one replaces it, and the first then waits until it is cancelled.
    ///
    /// - Throws: ``EventLoopError`` when it cannot be watched, `CancellationError` when the task was
    ///   cancelled.
    public func waitUntilReady(_ descriptor: Int32, for interest: Readiness) async throws {
        try await wait { wait in
            do throws(EventLoopError) {
                let watch = try self.watch(descriptor, for: interest) { _ in wait.end(.success(())) }
                wait.onEnd = { self.ignore(watch) }
            } catch {
                wait.end(.failure(error))
            }
        }
    }

    private func wait(_ begin: @escaping @Sendable (LoopWait) -> Void) async throws {
        let wait = LoopWait()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform {
                    wait.continuation = continuation
                    if wait.isCancelled { wait.end(.failure(CancellationError())) } else { begin(wait) }
                }
            }
        } onCancel: {
            perform {
                wait.isCancelled = true
                wait.end(.failure(CancellationError()))
            }
        }
    }
}

/// A task's wait for the loop, used on the loop's thread only.
private final class LoopWait: @unchecked Sendable {
    /// Nil before the wait has begun and after it has ended.
    var continuation: CheckedContinuation<Void, any Error>?
    var isCancelled = false
    /// Removes the timer or the watch of the wait.
    var onEnd: () -> Void = {}

    func end(_ result: Result<Void, any Error>) {
        guard let continuation = continuation.take() else { return }
        onEnd()
        onEnd = {}
        continuation.resume(with: result)
    }
}
