/// A piece of queued work of the loop.
enum Work {
    case closure(@Sendable () -> Void)
    /// A job of a Swift task, and the executor that it must report as its own.
    case job(UnownedJob, on: UnownedTaskExecutor)

    func run() {
        switch self {
        case .closure(let body): body()
        case .job(let job, let executor): job.runSynchronously(on: executor)
        }
    }
}
