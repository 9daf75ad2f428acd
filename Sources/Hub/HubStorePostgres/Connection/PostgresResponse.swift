internal import Dispatch
internal import Synchronization

/// The result that a caller waits for, given once: by the database, or by ``PostgresDeadlines`` when that
/// takes too long. What the database does later is lost to the caller only: a push that was committed after
/// all is a duplicate when it comes again.
final class PostgresResponse<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        self.continuation = Mutex(continuation)
    }

    /// Whether its caller still waits.
    var isAwaited: Bool { continuation.withLock { $0 != nil } }

    func give(_ value: Value) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: value)
    }
}

/// Gives up for those who have waited for ``longest``; one clock for all of them.
final class PostgresDeadlines: Sendable {
    private struct Entry: Sendable {
        let end: ContinuousClock.Instant
        let expire: @Sendable () -> Void
    }

    private struct State {
        /// In the order of their ends, since all wait equally long.
        var entries: [Entry] = []
        var first = 0
        var isRunning = false
    }

    /// Below the 10 s after which a terminal gives up by itself, so that it sees a sick service and no dead
    /// line, with a second for the way there and back and half a one for ``interval``. Halved, a server that
    /// fails over in 4 s would refuse a hundred pushes with 503.
    static let longest: Duration = .milliseconds(7_000)
    private static let interval: DispatchTimeInterval = .milliseconds(500)

    private let waits: Duration
    private let state = Mutex(State())
    private let clock = DispatchQueue(label: "hub.store.postgres.deadlines")

    /// - Parameter longest: how long a caller waits.
    init(longest: Duration) {
        waits = longest
    }

    /// Calls `expire` after ``longest``, whether it is needed or not.
    func add(_ expire: @escaping @Sendable () -> Void) {
        let entry = Entry(end: .now + waits, expire: expire)
        let begins = state.withLock { state in
            state.entries.append(entry)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { schedule() }
    }

    private func schedule() {
        clock.asyncAfter(deadline: .now() + Self.interval) { self.look() }
    }

    private func look() {
        let now = ContinuousClock.now
        let (over, goesOn) = state.withLock { state in
            let end = state.entries[state.first...].firstIndex { $0.end > now } ?? state.entries.count
            let over = state.entries[state.first..<end]
            state.first = end
            if state.first * 2 >= state.entries.count {
                state.entries.removeFirst(state.first)
                state.first = 0
            }
            state.isRunning = !state.entries.isEmpty
            return (over, state.isRunning)
        }
        for entry in over { entry.expire() }
        if goesOn { schedule() }
    }
}
