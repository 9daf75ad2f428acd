/// Jobs of many senders for one worker, in rounds: each sender's oldest job in turn, so that a sender with
/// many jobs delays one with a single job by at most one job for each other sender.
///
/// Bounded for each sender and in all: what does not fit is refused, never kept.
package struct FairQueue<Sender: Hashable & Sendable, Job: Sendable>: Sendable {
    private var jobs: [Sender: [Job]] = [:]
    /// The senders with jobs, in the order of their turns.
    private var turns: [Sender] = []
    private let perSender: Int
    private let inAll: Int

    /// How many jobs wait.
    package private(set) var count = 0

    /// - Parameters:
    ///   - perSender: the most jobs of one sender, at least 1.
    ///   - inAll: the most jobs of all senders.
    package init(perSender: Int, inAll: Int) {
        self.perSender = perSender
        self.inAll = inAll
    }

    /// Puts a job behind the others of its sender.
    ///
    /// - Returns: whether it found room.
    package mutating func add(_ job: Job, of sender: Sender) -> Bool {
        let own = jobs[sender]?.count ?? 0
        guard own < perSender, count < inAll else { return false }
        if own == 0 { turns.append(sender) }
        jobs[sender, default: []].append(job)
        count += 1
        return true
    }

    /// The next job; its sender's next one comes after one of every other sender that waits.
    package mutating func next() -> Job? {
        guard !turns.isEmpty else { return nil }
        let sender = turns.removeFirst()
        guard var own = jobs.removeValue(forKey: sender) else { return nil }
        let job = own.removeFirst()
        count -= 1
        if !own.isEmpty {
            jobs[sender] = own
            turns.append(sender)
        }
        return job
    }
}
