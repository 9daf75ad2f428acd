import Base
import OfflineCore

/// A till's outbox and a hub in virtual time. The hub, or something on the way to it, gives one kind of
/// answer that is no result for a while, and is well afterwards.
struct TroubleWorld {
    /// What comes back in the place of a result.
    enum Answer: Hashable {
        /// A status without a document of the hub's, after 20 ms.
        case status(Int)
        /// The hub's own document about this terminal or its version.
        case coded(Int)
        /// Somebody else's page.
        case page
        /// The connection breaks after 20 ms.
        case cut
        /// Nothing, for the ten seconds of a request.
        case silence

        var outcome: PushOutcome {
            switch self {
            case .status(let status) where status >= 500:
                .hubTrouble(.service(.status(status)), retryAfter: nil)
            case .status(429): .hubTrouble(.throttle(retryAfter: nil), retryAfter: nil)
            case .status(let status): .refused(status: status, code: "", detail: "no reason")
            case .coded(426): .upgradeRequired
            case .coded: .signInNeeded(code: "token_expired")
            case .page: .hubTrouble(.portal(.foreignBody), retryAfter: nil)
            case .cut: .hubTrouble(.network(.reset), retryAfter: nil)
            case .silence: .hubTrouble(.network(.silent), retryAfter: nil)
            }
        }

        var takes: Duration { self == .silence ? .seconds(10) : .milliseconds(20) }
    }

    /// Which pushes get it.
    enum Scope: Hashable {
        /// Every call of the hub, pushes and others.
        case everything
        /// Every push; other calls succeed.
        case pushes
        /// Every push that has rows.
        case pushesWithRows
        /// The route of single pushes alone.
        case single
        /// The route of batches alone.
        case batch
        /// Every push that has one of these rows.
        case rows(Set<String>)
    }

    let scope: Scope
    let answer: Answer
    let begins: Instant
    let ends: Instant
    /// Between two other calls of the till; nil: it makes none.
    let otherCalls: Duration?
    /// Between two sales; nil: none but those that wait at the start.
    let sales: Duration?
    private(set) var machine: OutboxMachine
    private(set) var now = at(0)
    private var disk: [String: Bool] = [:]
    private var order: [OutboxEntry] = []
    private var inFlight: (ids: [String], responds: Instant, hasResult: Bool)?
    private var nextCall: Instant?
    private var nextSale: Instant?
    /// When a push without a result began.
    private(set) var failures: [Instant] = []
    private(set) var shown: [DeliveryState] = []
    private(set) var stops: Set<String> = []
    private(set) var notes: Set<String> = []
    /// When a request that began in the trouble last ended.
    private(set) var lastBadEnd: Instant
    private(set) var firstGoodCall: Instant?
    private var lastResult = at(0)
    private(set) var drainedAt: Instant?

    init(
        _ scope: Scope, _ answer: Answer, lasting duration: Duration, pending: Int, otherCalls: Duration?,
        sales: Duration?, seed: UInt64
    ) {
        self.scope = scope
        self.answer = answer
        self.otherCalls = otherCalls
        self.sales = sales
        begins = at(1)
        ends = at(1) + duration
        lastBadEnd = ends
        machine = OutboxMachine(seed: seed)
        now = begins
        for _ in 0..<pending { add() }
        nextCall = otherCalls.map { begins + $0 }
        nextSale = sales.map { begins + $0 }
        feed(.rowsChanged)
    }

    var isDrained: Bool { disk.values.allSatisfy { $0 } }

    /// Runs until everything is sent after the trouble, or until `limit`.
    mutating func run(until limit: Instant) {
        while now < limit, drainedAt == nil {
            let next =
                [
                    inFlight?.responds, inFlight == nil ? machine.deadline : nil, nextCall, nextSale,
                ].compactMap { $0 }.min() ?? limit
            now = max(now, min(next, limit))
            if let call = inFlight, call.responds <= now {
                respond(call.ids, hasResult: call.hasResult)
            } else if let due = nextCall, due <= now {
                nextCall = otherCalls.map { now + $0 }
                callOther()
            } else if let due = nextSale, due <= now {
                // The sales end with the trouble, so that the outbox can be empty.
                nextSale = now < ends ? sales.map { now + $0 } : nil
                if now < ends {
                    add()
                    feed(.rowAdded)
                }
            } else {
                feed(.deadlineReached)
            }
            if now >= ends, isDrained, inFlight == nil { drainedAt = max(ends, lastResult) }
        }
    }

    private mutating func add() {
        let row = OutboxEntry.row(order.count + 1)
        order.append(row)
        disk[row.id] = false
    }

    private mutating func callOther() {
        guard now >= ends || scope != .everything else {
            if case .coded(let status) = answer, status != 426 { feed(.accountRefused) }
            return
        }
        if now >= ends, firstGoodCall == nil { firstGoodCall = now }
        feed(.hubResponded(toProbe: false))
    }

    private func isBad(_ ids: [String]) -> Bool {
        guard now < ends else { return false }
        return switch scope {
        case .everything, .pushes: true
        case .pushesWithRows: !ids.isEmpty
        case .single: ids.count == 1
        case .batch: ids.count != 1
        case .rows(let bad): ids.contains { bad.contains($0) }
        }
    }

    private mutating func respond(_ ids: [String], hasResult: Bool) {
        inFlight = nil
        guard hasResult else {
            if now > ends { lastBadEnd = max(lastBadEnd, now) }
            return feed(.pushFinished(answer.outcome))
        }
        let results = ids.map { PushResult(id: $0, outcome: .applied, document: "{}") }
        feed(.pushFinished(.results(results, acknowledgedThrough: nil, missing: [])))
    }

    private mutating func feed(_ event: OutboxEvent) {
        for effect in machine.handle(event, at: now) { take(effect) }
        if case .stopped(let stop) = machine.status(at: now) { stops.insert("\(stop)") }
    }

    private mutating func take(_ effect: OutboxEffect) {
        switch effect {
        case .load(let after, let limit):
            let rest = order.filter { disk[$0.id] == false && $0.sequence > after }
            feed(.loaded(Array(rest.prefix(limit)), reachedEnd: rest.count <= limit))
        case .push(let ids):
            let isBad = isBad(ids)
            if isBad { failures.append(now) }
            let takes = isBad ? answer.takes : .milliseconds(20)
            inFlight = (ids, now + takes, !isBad)
        case .write(let write):
            switch write {
            case .record(let results, _):
                if !results.isEmpty { lastResult = now }
                for result in results { disk[result.id] = true }
            case .note(_, let id): notes.insert(id)
            case .reopen, .adopt, .keep: break
            }
            feed(.written)
        case .announceDelivery(let state): shown.append(state)
        case .measurePath: feed(.pathMeasured(largePacketsPass: nil))
        case .announceResults, .useSmallSegments, .endWaits, .endAllWaits, .finishCanary, .finishSync: break
        }
    }

    /// The most pushes without a result that began within `span`.
    func mostFailures(within span: Duration) -> Int {
        var most = 0
        var first = 0
        for (index, moment) in failures.enumerated() {
            while failures[first] + span < moment { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    /// Whether somebody could have seen what was wrong: in banner and status, or at an entry.
    var wasShown: Bool { !notes.isEmpty || !stops.isEmpty || shown.contains { $0.trouble != nil } }
}
