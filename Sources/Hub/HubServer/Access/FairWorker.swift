import Base

internal import Dispatch
internal import Glibc
internal import HubCore
internal import HubProtocol
internal import LinuxRuntime
internal import MachineRuntime
internal import Synchronization

/// Runs jobs that take some tenths of a second of processor time on threads of its own, so that sales go on
/// beside any number of PIN checks or large bodies. Terminals take turns, and each can queue a few jobs.
final class FairWorker: Sendable {
    /// What a job does with the thread.
    enum Slot<Value: Sendable>: Sendable {
        /// Uses it, for as long as the work takes.
        case work(@Sendable () -> Value)
        /// Leaves it to the next job and returns later, after milliseconds, as if it had used it.
        case pretence(milliseconds: Int, Value)
    }

    private struct Jobs {
        var queue = FairQueue<String, @Sendable () -> Void>(
            perSender: FairWorker.perTerminal, inAll: FairWorker.inAll)
        var running = 0
    }

    private let jobs = Mutex(Jobs())
    private let width: Int
    private let pool: DispatchQueue
    private let clock: DispatchQueue

    /// One person types one PIN at a time: a sign-in, an approval, and two for those that were cancelled and
    /// tried again. Doubled, one terminal's burst costs twice the memory; the others wait no longer.
    static let perTerminal = 4
    /// A minute's work at 0.25 s each. A sign-in behind more jobs has used the hash at its till before its
    /// turn.
    static let inAll = 256

    /// - Parameters:
    ///   - name: what the jobs are, for the threads' names.
    ///   - width: how many run at once.
    init(_ name: String = "hashing", width: Int = 1) {
        self.width = width
        pool = DispatchQueue(label: "hub." + name, attributes: .concurrent)
        clock = DispatchQueue(label: "hub.\(name).pretence")
    }

    /// - Parameters:
    ///   - terminal: whose turn it takes.
    ///   - slot: what to do, decided when the job begins.
    /// - Returns: nil when the terminal's part of the queue, or the queue, is full.
    func run<Value: Sendable>(
        of terminal: String, _ slot: @escaping @Sendable () -> Slot<Value>
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let job: @Sendable () -> Void = { [clock] in
                switch slot() {
                case .work(let work): continuation.resume(returning: work())
                case .pretence(let milliseconds, let value):
                    clock.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                        continuation.resume(returning: value)
                    }
                }
            }
            let (hasRoom, begins) = jobs.withLock { jobs in
                guard jobs.queue.add(job, of: terminal) else { return (false, false) }
                guard jobs.running < width else { return (true, false) }
                jobs.running += 1
                return (true, true)
            }
            if !hasRoom { continuation.resume(returning: nil) }
            if begins { begin() }
        }
    }

    /// The same with a gate of one's own, which no other caller fills.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value?) async -> Value? {
        await run(of: "") { .work(work) } ?? nil
    }

    /// Reads what came in `count` bytes, or works on so much: at once where it is little, else in a turn of
    /// the terminal.
    ///
    /// - Throws: what `work` throws, and ``Problem/rateLimited(_:)`` when too much of the terminal waits.
    func work<Value: Sendable>(
        on count: Int, of terminalId: String, _ work: @escaping @Sendable () throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        guard count > Self.light else { return try work() }
        let result = await run(of: terminalId) { .work { Result { () throws(Problem) in try work() } } }
        guard let result else { throw .rateLimited(.seconds(1)) }
        return try result.get()
    }

    /// Bytes that are read at once: ten sales or so, a millisecond. Half of it sends the pushes of a busy
    /// till over a second thread, with double a hostile one holds the shared threads for twice as long.
    private static let light = 32 << 10

    /// A thread of its own, which ends with the last job: one of a pool would keep its priority.
    private func begin() {
        do throws(EventLoopError) {
            try PosixThread.detach {
                // Of this thread alone, on Linux (setpriority(2), "C library/kernel differences").
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
                self.drain()
            }
        } catch {
            // The system has no room for another thread.
            pool.async { self.drain() }
        }
    }

    /// A third of the processor's time that a small push gets while both want it, and all where nobody else
    /// does. With 0 a push waits some ms for each of its steps; with 10 sign-ins starve beside busy tills.
    private static let niceness: Int32 = 5

    private func drain() {
        while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
        jobs.withLock { jobs in
            let job = jobs.queue.next()
            if job == nil { jobs.running -= 1 }
            return job
        }
    }
}
