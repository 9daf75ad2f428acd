import Glibc
import Synchronization

/// How long one push may keep the others waiting.
///
/// All pushes share one writer, so a push that is made to be slow would stop the intake of all terminals.
/// Past its budget it is undone and refused alone, and its terminal is refused at once for a while.
package struct PushBudget: Sendable {
    /// What one push has used so far.
    package struct Spent: Sendable {
        package var processor: Duration
        package var wall: Duration

        package init(processor: Duration, wall: Duration) {
            self.processor = processor
            self.wall = wall
        }
    }

    /// Of the thread that works on the push. A batch of 200 sales takes 20 ms, ten times that in a debug
    /// build. Half of it still is no limit for an honest batch; twice as much lets a hostile one stop the
    /// others for twice as long.
    package var processor: Duration = .seconds(1)
    /// By the clock, five times as much. Waits count by their shares alone, ``wait`` and ``roundTrip``.
    package var wall: Duration = .seconds(5)
    /// The most that a wait between two looks at the budget counts of ``wall``: what it takes beyond, the
    /// disk took, or a loaded machine. There are some 600 looks in a batch of 200 sales, so it passes however
    /// slow the disk is; doubled, it would not. Halved, a push that is made of look-ups alone stops the
    /// others for twice as long on a slow disk.
    package var wait: Duration = .milliseconds(5)
    /// The most that one round trip to a database counts of ``wall``: what it takes beyond, the database
    /// took. A look-up by key takes a millisecond. Halved, a push may need twice as many slow ones;
    /// doubled, 25 that wait for a database that stands still cost their terminal half a minute.
    package var roundTrip: Duration = .milliseconds(100)
    /// Of the writer's processor time before a push that others wait for goes on behind them. A sale takes a
    /// tenth of a millisecond, and a transaction's sync of the disk half of one or more. Halved, a batch
    /// beside a busy shop syncs the disk twice as often; doubled, each sale waits for twice as much of it.
    package var turn: Duration = .milliseconds(4)
    /// How long a terminal is refused without a look at its push. So its share of the writer is at most a
    /// thirtieth; an honest terminal does not come here by a slow disk.
    package var penalty: Duration = .seconds(30)
    /// The clocks of this thread, from any moment on.
    package var now: @Sendable () -> Spent = {
        Spent(processor: clock(CLOCK_THREAD_CPUTIME_ID), wall: clock(CLOCK_MONOTONIC))
    }

    private static func clock(_ id: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(id, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    package init() {}

    package func start() -> PushTimer { PushTimer(self) }

    /// What is left of it for a push that goes on in another transaction.
    package func without(_ spent: Spent) -> PushBudget {
        var rest = self
        rest.processor -= spent.processor
        rest.wall -= spent.wall
        return rest
    }
}

/// The budget of one push that runs.
package final class PushTimer: Sendable {
    private struct Looks {
        var last: PushBudget.Spent
        /// Of the wall's time up to then.
        var excused = Duration.zero

        /// Excuses what passed since the last look without work of this thread, beyond `share`.
        mutating func look(at now: PushBudget.Spent, excusingBeyond share: Duration) {
            let waited = (now.wall - last.wall) - (now.processor - last.processor)
            if waited > share { excused += waited - share }
            last = now
        }
    }

    private let budget: PushBudget
    private let start: PushBudget.Spent
    private let looks: Mutex<Looks>

    package init(_ budget: PushBudget) {
        self.budget = budget
        start = budget.now()
        looks = Mutex(Looks(last: start))
    }

    package var isSpent: Bool {
        let spent = self.spent
        return spent.processor > budget.processor || spent.wall > budget.wall
    }

    /// What counts of the budget so far.
    package var spent: PushBudget.Spent {
        let now = budget.now()
        let excused = look(at: now, excusingBeyond: budget.wait)
        return PushBudget.Spent(
            processor: now.processor - start.processor, wall: now.wall - start.wall - excused)
    }

    /// Whether it had the writer for as long as one push may while others wait.
    package var isTurnOver: Bool { spent.processor >= budget.turn }

    /// Does the push's part of a round trip to a database, which counts at most ``PushBudget/roundTrip``.
    package func roundTrip<Value, Failure: Error>(
        _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        look(at: budget.now(), excusingBeyond: budget.wait)
        defer { look(at: budget.now(), excusingBeyond: budget.roundTrip) }
        return try work()
    }

    @discardableResult
    private func look(at now: PushBudget.Spent, excusingBeyond share: Duration) -> Duration {
        looks.withLock { looks in
            looks.look(at: now, excusingBeyond: share)
            return looks.excused
        }
    }
}

/// Terminals whose pushes are refused for a while.
package final class PushPenalties: Sendable {
    package let budget: PushBudget
    private let until = Mutex<[String: Duration]>([:])

    package init(_ budget: PushBudget) {
        self.budget = budget
    }

    package func isRefused(_ terminalId: String) -> Bool {
        until.withLock { until in
            guard let end = until[terminalId] else { return false }
            if budget.now().wall < end { return true }
            until[terminalId] = nil
            return false
        }
    }

    package func refuse(_ terminalId: String) {
        let end = budget.now().wall + budget.penalty
        until.withLock { $0[terminalId] = end }
    }
}

/// Ends a push that has used up its budget.
package struct BudgetSpent: Error {
    package init() {}
}
