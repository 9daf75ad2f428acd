internal import Foundation

/// What several threads count together.
final class Counts: @unchecked Sendable {
    // Guarded by `lock`.
    private let lock = NSLock()
    private var total: Int64 = 0
    private var hasFailed = false
    private let running = DispatchGroup()

    /// The sum of all threads; nil when one of them failed.
    var sum: Int64? { lock.withLock { hasFailed ? nil : total } }

    /// Runs `body` for each of `inputs` on a thread of its own and returns when all have ended.
    ///
    /// - Parameter body: what the thread has counted, nil when it failed.
    func run<Input: Sendable>(_ inputs: [Input], _ body: @escaping @Sendable (Input) -> Int64?) {
        for input in inputs { start { body(input) } }
        finish()
    }

    /// Runs `body` on a thread of its own and returns at once; ``finish()`` waits for its end.
    func start(_ body: @escaping @Sendable () -> Int64?) {
        running.enter()
        Thread.detachNewThread {
            let count = body()
            self.lock.withLock {
                self.total += count ?? 0
                self.hasFailed = self.hasFailed || count == nil
            }
            self.running.leave()
        }
    }

    /// Returns when every thread has ended.
    func finish() {
        running.wait()
    }
}
