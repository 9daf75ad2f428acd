/// What the loop runs when its turn comes.
enum Work {
    case closure(@Sendable () -> Void)
    /// A piece of a task of Swift's concurrency, and the executor that it is told to be on.
    case job(UnownedJob, on: UnownedTaskExecutor)

    func run() {
        switch self {
        case .closure(let body): body()
        case .job(let job, let executor): job.runSynchronously(on: executor)
        }
    }
}
