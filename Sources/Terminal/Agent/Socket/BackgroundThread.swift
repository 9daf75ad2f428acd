internal import Dispatch
internal import Glibc
internal import LinuxRuntime
internal import Synchronization
internal import TerminalStore

/// The thread of everything that a person only looks at: lists, searches, reports and exports, from the read
/// of the database to the bytes of the response.
///
/// The event loop belongs to the sales. What runs here takes turns at each wait, so that a short look-up
/// comes between the portions of a long list. The thread is less urgent to the system than the loop: on a
/// single core a sale still gets nine tenths of it. Nothing wakes it up while it has nothing to do.
final class BackgroundThread: TaskExecutor {
    private enum Work {
        case job(UnownedJob, on: UnownedTaskExecutor)
        case read(@Sendable () -> Void)

        func run() {
            switch self {
            case .job(let job, let executor): job.runSynchronously(on: executor)
            case .read(let body): body()
            }
        }
    }

    /// Shared with the thread, which does not keep the executor.
    private final class Inbox: Sendable {
        private let state = Mutex<(work: [Work], isOver: Bool)>(([], false))
        private let filled = DispatchSemaphore(value: 0)

        func add(_ work: Work) {
            state.withLock { $0.work.append(work) }
            filled.signal()
        }

        func end() {
            state.withLock { $0.isOver = true }
            filled.signal()
        }

        /// Waits for work; nil at the end.
        func next() -> [Work]? {
            while true {
                filled.wait()
                let (work, isOver) = state.withLock { state in
                    defer { state.work = [] }
                    return (state.work, state.isOver)
                }
                if !work.isEmpty { return work }
                if isOver { return nil }
            }
        }
    }

    private let inbox = Inbox()

    /// How much less urgent than the loop it is to the system, from 0 to 19. At 5 it takes a quarter of a
    /// core from a sale, at 19 a list does not end on a busy machine.
    private static let niceness: Int32 = 10

    /// - Throws: kind `tryAgain` where the system has no room for a thread.
    init() throws(TerminalError) {
        do throws(EventLoopError) {
            try PosixThread.detach { [inbox] in
                // Of this thread alone, on Linux (setpriority(2), "C library/kernel differences").
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
                while let work = inbox.next() {
                    for work in work { work.run() }
                }
            }
        } catch {
            throw TerminalError(.tryAgain, code: "no_resources") { $0.callFailed(error.call) }
        }
    }

    deinit { inbox.end() }

    func enqueue(_ job: consuming ExecutorJob) {
        inbox.add(.job(UnownedJob(job), on: asUnownedTaskExecutor()))
    }

    /// Runs `body` here, and every read of the database in it beside those of sales.
    func run<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        let reads = BackgroundReads { [inbox] read in inbox.add(.read(read)) }
        return await reads.around { await withTaskExecutorPreference(self) { await body() } }
    }
}
