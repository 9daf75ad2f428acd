import Base

internal import Dispatch
internal import HubCore
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
    private let threads: DispatchQueue
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
        threads = DispatchQueue(label: "hub." + name, attributes: .concurrent)
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
            if begins { threads.async { self.drain() } }
        }
    }

    /// The same with a gate of one's own, which no other caller fills.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value?) async -> Value? {
        await run(of: "") { .work(work) } ?? nil
    }

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
