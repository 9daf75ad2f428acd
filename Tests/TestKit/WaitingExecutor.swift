import Dispatch

/// Runs what may block on threads that nothing else waits for.
///
/// A test that blocks a shared thread of the test run, of which there is one for each core, delays every
/// other test and what it waits for itself. A suite's trait names this as the preference of its tests' tasks.
package final class WaitingExecutor: TaskExecutor {
    package static let shared = WaitingExecutor()

    private let queue = DispatchQueue(label: "waiting tests", attributes: .concurrent)

    private init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
