internal import Dispatch
internal import HubCore
internal import Synchronization

/// Does what takes some tenths of a second of a processor, one after the other on a thread of its own, so
/// that sales go on beside it however many PINs are checked. Terminals take turns, and each has room for a
/// few.
final class HashingLine: Sendable {
    /// What a job does with the thread.
    enum Turn<Value: Sendable>: Sendable {
        /// Uses it, for as long as the work takes.
        case work(@Sendable () -> Value)
        /// Leaves it to the next job and answers later, in milliseconds, as if it had used it.
        case pretence(milliseconds: Int, Value)
    }

    private struct Jobs {
        var queue = FairQueue<String, @Sendable () -> Void>(
            perSender: HashingLine.perTerminal, inAll: HashingLine.inAll)
        var isRunning = false
    }

    private let jobs = Mutex(Jobs())
    private let thread = DispatchQueue(label: "hub.hashing")
    private let clock = DispatchQueue(label: "hub.hashing.pretence")

    /// One person types one PIN at a time: a sign-in, an approval, and two for those who gave up and tried
    /// again. Doubled, one terminal's burst costs twice the memory; the others wait no longer.
    static let perTerminal = 4
    /// A minute's work at 0.25 s each; who stands behind more has been helped by the copy at the till long
    /// ago.
    static let inAll = 256

    /// - Parameters:
    ///   - terminal: whose turn it takes.
    ///   - turn: what to do, decided when the turn comes.
    /// - Returns: nil when the terminal, or the line, has no room.
    func run<Value: Sendable>(
        of terminal: String, _ turn: @escaping @Sendable () -> Turn<Value>
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let job: @Sendable () -> Void = { [clock] in
                switch turn() {
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

    /// The same on a line of one's own, that nobody else fills.
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
