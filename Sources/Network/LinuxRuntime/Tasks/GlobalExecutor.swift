import Base

#if compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency
#endif
internal import Synchronization

extension EventLoop {
    /// Makes the loop the executor of every task and of the main actor, in the whole process.
    ///
    /// Call it once, on the main thread and before any task was made; ``run()`` must follow there. The
    /// runtime offers this to programs only, so no library may call it.
    ///
    /// - Returns: whether the runtime supports it. Where it does not, tasks run on the runtime's own pool of
    ///   threads, and the loop still serves the registered descriptors and timers.
    @discardableResult
    public func becomeGlobalExecutor() -> Bool {
        #if compiler(>=6.3) && compiler(<6.4)
            GlobalExecutors.loop.withLock { $0 = self }
            _createExecutors(factory: GlobalExecutors.self)
            return true
        #else
            return false
        #endif
    }
}

#if compiler(>=6.3) && compiler(<6.4)
    /// The factory for the runtime. The runtime takes a type, not a value, so the loop is stored here.
    private enum GlobalExecutors: ExecutorFactory {
        static let loop = Mutex<EventLoop?>(nil)

        static var mainExecutor: any MainExecutor { LoopMainExecutor(loop: loop.withLock { $0 }) }
        static var defaultExecutor: any TaskExecutor { LoopTaskExecutor(loop: loop.withLock { $0 }) }
    }

    /// Runs tasks on the loop, in the order in which they were enqueued.
    private final class LoopTaskExecutor: TaskExecutor, SchedulingExecutor {
        private let loop: EventLoop?

        init(loop: EventLoop?) {
            self.loop = loop
        }

        func enqueue(_ job: consuming ExecutorJob) {
            loop?.enqueue(.job(UnownedJob(job), on: asUnownedTaskExecutor()))
        }

        /// `Task.sleep` calls this, with the continuous clock by default.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            let work = Work.job(UnownedJob(job), on: asUnownedTaskExecutor())
            // A clock that does not count in durations cannot be waited for here.
            let delay = clock.now.duration(to: instant) as? Duration ?? .zero
            let countsSuspension = !(clock is SuspendingClock)
            loop?.perform { [loop] in
                loop?.schedule(after: delay, countsSuspension: countsSuspension) { work.run() }
            }
        }
    }

    /// Runs the main actor on the loop, which the main thread runs.
    private final class LoopMainExecutor: MainExecutor {
        private let loop: EventLoop?

        init(loop: EventLoop?) {
            self.loop = loop
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            loop?.enqueue { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func run() {
            loop?.run()
        }

        func stop() {
            loop?.stop()
        }
    }
#endif
