import Base

internal import Dispatch
internal import HubCore
internal import Synchronization

/// Runs jobs that take some tenths of a second of processor time, one after another on a thread of its own,
/// so that sales go on beside any number of PIN checks. Terminals take turns, and each can queue a few jobs.
final class HashingGate: Sendable {
    /// What a job does with the thread.
    enum Slot<Value: Sendable>: Sendable {
        /// Uses it, for as long as the work takes.
        case work(@Sendable () -> Value)
        /// Leaves it to the next job and returns later, after milliseconds, as if it had used it.
        case pretence(milliseconds: Int, Value)
    }

    private struct Jobs {
        var queue = FairQueue<String, @Sendable () -> Void>(
            perSender: HashingGate.perTerminal, inAll: HashingGate.inAll)
        var isRunning = false
    }

    private let jobs = Mutex(Jobs())
    private let thread = DispatchQueue(label: "hub.hashing")
    private let clock = DispatchQueue(label: "hub.hashing.pretence")

    /// One person types one PIN at a time: a sign-in, an approval, and two for those that were cancelled and
    /// tried again. Doubled, one terminal's burst costs twice the memory; the others wait no longer.
    static let perTerminal = 4
    /// A minute's work at 0.25 s each. A sign-in behind more jobs has used the hash at its till before its
    /// turn.
    static let inAll = 256

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
                defer { jobs.isRunning = true }
                return (true, !jobs.isRunning)
            }
            if !hasRoom { continuation.resume(returning: nil) }
            if begins { thread.async { self.drain() } }
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
            if job == nil { jobs.isRunning = false }
            return job
        }
    }
}
