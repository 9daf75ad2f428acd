import Foundation
import Spawning

/// Waits for one child process on a thread of its own and remembers how it ended.
final class ExitStatus: @unchecked Sendable {
    // Guarded by `condition`.
    private let condition = NSCondition()
    private var code: Int32?

    /// The exit code, 128 plus the signal, or nil while the process runs.
    var value: Int32? { condition.withLock { code } }

    func watch(_ process: ChildProcess) {
        Thread.detachNewThread {
            let ending = process.wait()
            self.condition.withLock {
                self.code = ending?.code ?? -1
                self.condition.broadcast()
            }
        }
    }

    func wait(seconds: Double) -> Int32? {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while code == nil {
            if !condition.wait(until: limit) { return code }
        }
        return code
    }
}
