internal import Foundation

/// What several threads count together.
final class Counts: @unchecked Sendable {
    // Guarded by `lock`.
    private let lock = NSLock()
    private var total: Int64 = 0
    private var hasFailed = false

    /// The sum of all threads; nil when one of them failed.
    var sum: Int64? { lock.withLock { hasFailed ? nil : total } }

    /// Runs `body` for each of `inputs` on a thread of its own and returns when all have ended.
    ///
    /// - Parameter body: what the thread has counted, nil when it failed.
    func run<Input: Sendable>(_ inputs: [Input], _ body: @escaping @Sendable (Input) -> Int64?) {
        let done = DispatchGroup()
        for input in inputs {
            done.enter()
            Thread.detachNewThread {
                let count = body(input)
                self.lock.withLock {
                    self.total += count ?? 0
                    self.hasFailed = self.hasFailed || count == nil
                }
                done.leave()
            }
        }
        done.wait()
    }
}
