import Base
import HubCore

/// The hub of the reconnect storm: the real machine that decides and paces, and a model of the store, which
/// accepts one push after the other and needs its time for each.
struct ModelledHub {
    struct Push {
        let terminal: Int
        let ids: [String]
        let sentAt: Instant
    }

    private(set) var machine: QoSDecisionMachine
    private let settings: ReconnectSettings
    private var queue: [Push] = []
    /// When each terminal's push was queued.
    private var arrivals: [Int: Instant] = [:]
    private var head = 0
    private(set) var isBusy = false
    /// The cost of poll responses that was not added to a push yet.
    private var debt = Duration.zero

    init(_ settings: ReconnectSettings) {
        self.settings = settings
        var decisions = QoSSettings()
        decisions.releaseMemory = .seconds(max(60, 2 * settings.pollSeconds))
        machine = QoSDecisionMachine(services: ["order"], settings: decisions, at: .start)
    }

    var waiting: Int { queue.count - head }

    mutating func probe(succeeded: Bool, at now: Instant) {
        _ = machine.handle(.probed(service: "order", succeeded: succeeded), at: now)
    }

    /// The decision for a terminal that polls, and when it polls again.
    mutating func decide(for terminal: ModelledTerminal, at now: Instant) -> (QoSDecision?, Duration) {
        let reporter = QoSReporter(terminalId: terminal.id, storeId: terminal.storeId)
        debt += .nanoseconds(settings.perPoll)
        _ = machine.handle(.queried(by: reporter), at: now)
        let decision = machine.decision(on: "order", for: reporter, at: now)
        let poll = Duration.seconds(settings.pollSeconds)
        return (decision, decision?.pollAfter(poll) ?? poll)
    }

    /// Queues a push; false when the queue is full.
    mutating func enqueue(_ push: Push, at now: Instant) -> Bool {
        guard waiting < settings.queueBound else { return false }
        queue.append(push)
        arrivals[push.terminal] = now
        return true
    }

    /// The next push and how long the store needs for it.
    mutating func begin() -> (Push, Duration)? {
        guard head < queue.count else {
            queue = []
            head = 0
            isBusy = false
            return nil
        }
        isBusy = true
        let push = queue[head]
        head += 1
        let cost = settings.perRequest + settings.perMutation * Int64(push.ids.count)
        defer { debt = .zero }
        return (push, .nanoseconds(cost) + debt)
    }

    mutating func finish(_ push: Push, of terminal: ModelledTerminal, at now: Instant) {
        let count = push.ids.count
        let start = arrivals.removeValue(forKey: push.terminal) ?? now
        _ = machine.handle(
            .intakeEnded(results: count, sent: count, of: terminal.id, since: start), at: now)
        // The value of the push's telemetry, which does not count the push's own results.
        _ = machine.handle(.pending(terminal.pending, of: terminal.id), at: now)
    }
}
