internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread for everything that waits: sockets that become ready, timers that are due, work from other
/// threads.
///
/// An iteration of the loop runs the queued work, sets the timers and sleeps in `epoll_wait` until there is
/// something to do. With nothing to do it never wakes up, and each event costs one wake-up.
///
/// Work may be queued from any thread. Descriptors and timers belong to the loop's thread: handlers run there
/// and must be registered there. Code that runs on the loop must not block.
public final class EventLoop: @unchecked Sendable {
    private struct Inbox {
        var work: [Work] = []
        /// The loop sleeps or is about to: the next work must wake it.
        var isAsleep = false
        var isStopping = false
    }

    private let inbox = Mutex(Inbox())
    private let epoll: Descriptor
    private let wakeup: Descriptor
    /// The thread that runs the loop; nil while none does.
    private let runner = Mutex<pthread_t?>(nil)

    // The following members belong to the loop's thread.
    private var round: [Work] = []
    private var events = [epoll_event](repeating: epoll_event(), count: 64)
    var watches: [Int32: Watch] = [:]
    var lastIdentifier: UInt32 = 0
    var timers: ClockTimers
    var sleepProofTimers: ClockTimers

    /// Work that queues more work runs this often before sockets and timers are served.
    private static let roundsInARow = 16

    /// Makes a loop that does not run yet: call ``run()`` or ``start(threadNamed:)``.
    ///
    /// - Throws: when the system has no descriptors left; nothing is left open then.
    public init() throws(EventLoopError) {
        epoll = try Descriptor("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC)))
        wakeup = try Descriptor("eventfd", eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
        timers = try ClockTimers(CLOCK_MONOTONIC)
        sleepProofTimers = try ClockTimers(CLOCK_BOOTTIME)
        // Edge-triggered, so that none of them must be read to reset it.
        let edge = EPOLLIN.rawValue | EPOLLET.rawValue
        for descriptor in [wakeup.number, timers.number, sleepProofTimers.number] {
            try register(descriptor, events: edge, data: UInt64(UInt32(bitPattern: descriptor)))
        }
    }

    /// Whether the caller runs on the loop.
    public var isCurrent: Bool {
        runner.withLock { runner in runner.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Runs `body` on the loop, after the work that was queued before. Safe from any thread.
    public func enqueue(_ body: @escaping @Sendable () -> Void) {
        enqueue(.closure(body))
    }

    /// Runs `body` at once where the caller runs on the loop, and queues it elsewhere.
    public func perform(_ body: @escaping @Sendable () -> Void) {
        if isCurrent { body() } else { enqueue(.closure(body)) }
    }

    func enqueue(_ work: Work) {
        let mustWake = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if mustWake { eventfd_write(wakeup.number, 1) }
    }

    /// Runs the loop on the caller's thread until ``stop()``; work that was queued before the stop still
    /// runs.
    public func run() {
        runner.withLock { $0 = pthread_self() }
        defer { runner.withLock { $0 = nil } }
        while true {
            let isStopping = inbox.withLock { $0.isStopping }
            let hasMore = runRounds()
            if isStopping && !hasMore { return }
            timers.arm()
            sleepProofTimers.arm()
            waitForEvents(mayBlock: !hasMore)
        }
    }

    /// Ends the loop. Safe from any thread and twice; does not wait for the end.
    public func stop() {
        inbox.withLock { $0.isStopping = true }
        eventfd_write(wakeup.number, 1)
    }

    /// - Returns: whether there is more.
    private func runRounds() -> Bool {
        for _ in 0..<Self.roundsInARow {
            inbox.withLock { swap(&$0.work, &round) }
            guard !round.isEmpty else { return false }
            for work in round { work.run() }
            round.removeAll(keepingCapacity: true)
        }
        return true
    }

    private func waitForEvents(mayBlock: Bool) {
        let blocks = inbox.withLock { inbox in
            inbox.isAsleep = mayBlock && inbox.work.isEmpty && !inbox.isStopping
            return inbox.isAsleep
        }
        let count = epoll_wait(epoll.number, &events, Int32(events.count), blocks ? -1 : 0)
        if blocks { inbox.withLock { $0.isAsleep = false } }
        guard count > 0 else { return }
        for event in events[..<Int(count)] { deliver(event) }
    }

    private func deliver(_ event: epoll_event) {
        let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: event.data.u64))
        if descriptor == timers.number {
            runDueTimers()
        } else if descriptor == sleepProofTimers.number {
            runDueSleepProofTimers()
        } else if descriptor != wakeup.number {
            deliver(event, to: descriptor)
        }
    }

    /// Adds `descriptor` to the watched ones, or changes which events are watched.
    func register(_ descriptor: Int32, events: UInt32, data: UInt64) throws(EventLoopError) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: data))
        if epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) == 0 { return }
        guard errno == EEXIST else { throw EventLoopError(call: "epoll_ctl", code: errno) }
        guard epoll_ctl(epoll.number, EPOLL_CTL_MOD, descriptor, &event) == 0 else {
            throw EventLoopError(call: "epoll_ctl", code: errno)
        }
    }

    /// The kernel has already removed a closed descriptor.
    func unregister(_ descriptor: Int32) {
        epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor, nil)
    }
}

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
