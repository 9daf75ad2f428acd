import Base

/// Decides whose trouble it is when a push gets no result: the account's, the route's, or an entry's.
///
/// It decides by what else happens, not by the status. One entry that gets no result while other pushes do
/// has the trouble: it waits by itself, and the others are sent. Where nothing else shows which of the two it
/// is, an empty push decides: when it gets no result either, the trouble is the route's, and everything waits
/// on one backoff. A 401 or 403 is the account's when the hub says so in a problem document, or when the
/// empty push gets it too.
struct TroubleMachine: Hashable, Sendable {
    /// An ordering key that waits by itself.
    private struct Entry: Hashable, Sendable {
        let id: String
        var wait: EntryWait
        /// What it got in the place of a result; nil: the hub deferred it, which is no trouble.
        var problem: String?
        var reason = ConnectivitySnapshot.Reason.none
        /// How often it got no result.
        var failures = 0
        var isSetAside = false
    }

    /// Sync has stopped. It ends with a result for an empty push, which is sent at `nextTry`.
    private struct Halt: Hashable, Sendable {
        let stop: DrainStop
        var nextTry: Instant

        var isOfAccount: Bool {
            switch stop {
            case .signInNeeded: true
            case .upgradeRequired, .epochSuperseded: false
            }
        }
    }

    private struct Route: Hashable, Sendable {
        var reason: ConnectivitySnapshot.Reason
        var problem: String
        /// When the next empty push is due.
        var nextEmpty: Instant
    }

    /// What a push without a result showed.
    enum Finding: Hashable, Sendable {
        /// Sync has stopped.
        case stopped(DrainStop)
        /// Everything waits.
        case route
        /// Not known yet: other rows, or an empty push, will show it.
        case undecided
        /// The entry's own; `problem` is new.
        case entry(problem: String)
    }

    private let settings: OutboxSettings
    private var halt: Halt?
    private var route: Route?
    /// The backoff of the route, and the hub's `Retry-After`.
    private var wait: RetryWait
    private var entries: [String: Entry] = [:]
    /// Rows that were sent alone without a result, by ordering key, until it is known whose trouble it is.
    private var suspects: [String: Entry] = [:]
    /// Pushes without a result since the last one with results.
    private var failuresInARow = 0
    /// Pushes of rows without a result since a row last got a final one.
    private var rowFailures = 0
    /// An empty push must show whose trouble it is.
    private var isInQuestion = false
    /// An empty push got results, and no row since then: what fails now fails by itself.
    private var isVouchedFor = false
    /// Nothing is sent before, so that a quick failure causes no storm.
    private var pauseEnds: Instant?
    /// No entry that is in trouble is sent before.
    private var entryPauseEnds: Instant?
    /// When an entry in trouble was last sent.
    private var lastEntryTry: Instant?
    /// When a push last got no result.
    private var lastFailure: Instant?
    /// Whether a response to another call has caused an early attempt since the last result.
    private var hasTriedForResponse = false

    init(_ settings: OutboxSettings) {
        self.settings = settings
        wait = RetryWait(settings)
    }

    /// Failures in a row after which an empty push is sent: fewer, and each broken connection costs one more
    /// request; twice as many delay the finding by some seconds.
    private static let doubtfulFailures = 3
    /// The pause after a push without a result, and its random part. Below two requests a second is what a
    /// hub in trouble can serve whole fleets; half of it delays the finding about a batch of 200 by 6 s.
    private static let pause = Duration.milliseconds(650)
    private static let pauseSpread = Duration.milliseconds(250)
    /// The same between two entries in trouble. Together with ``pause`` it stays below two requests a second.
    private static let entryPause = Duration.milliseconds(1_500)
    /// How often an entry in trouble is sent before others that could go. Halved, a poor one delays good ones
    /// twice as often; doubled, it waits too long while a long outbox drains.
    private static let entryGap = Duration.seconds(5)
    /// The longest time between two empty pushes while the route or the account is in trouble, of which up to
    /// a fifth is taken off. 30 s and a minute are the contract's.
    private static let emptyGap = Duration.seconds(30)

    // MARK: What happened

    /// A push got results: the hub and the account are well, and what failed meanwhile failed by itself.
    ///
    /// - Parameters:
    ///   - rows: that were sent; none: an empty push.
    ///   - settled: the ids of those with a final result.
    ///   - isForPerson: whether somebody waits for all of them, so that an entry is tried again at once.
    /// - Returns: the entries that are in trouble from now on, with their problems.
    mutating func served(
        _ rows: [OutboxEntry], settled: Set<String>, isForPerson: Bool, at now: Instant,
        using generator: inout SplitMix64
    ) -> [(id: String, problem: String)] {
        let wasInTrouble = rows.contains { settled.contains($0.id) && isInTrouble($0.orderingKey) }
        let isTurn = wasInTrouble || rowFailures >= Self.doubtfulFailures
        endDoubt()
        wait.reset()
        halt = nil
        route = nil
        hasTriedForResponse = false
        isVouchedFor = rows.isEmpty
        for row in rows where settled.contains(row.id) { entries[row.orderingKey] = nil }
        let found = suspects.filter { key, _ in !rows.contains { $0.orderingKey == key } }
        suspects = [:]
        if !settled.isEmpty {
            rowFailures = 0
            if isTurn { tryEntriesAtOnce(at: now) }
        }
        for (key, entry) in found {
            entries[key] = entry
            entries[key]?.wait.fail(base: settings.backoffBase, at: now, using: &generator)
            if isForPerson { entries[key]?.wait.tryAtOnce(at: now) }
        }
        return found.values.sorted { $0.id < $1.id }.compactMap { entry in
            entry.problem.map { (entry.id, $0) }
        }
    }

    /// The hub deferred a row, or wants it later: its key waits by itself.
    mutating func deferred(
        _ row: OutboxEntry, retryAfter: Duration?, at now: Instant, using generator: inout SplitMix64
    ) {
        var entry = entries[row.orderingKey] ?? Entry(id: row.id, wait: EntryWait(at: now))
        entry.problem = nil
        entry.wait.fail(retryAfter: retryAfter, base: settings.backoffBase, at: now, using: &generator)
        entries[row.orderingKey] = entry
    }

    /// A push got no result.
    ///
    /// - Parameters:
    ///   - rows: that were sent; none: an empty push.
    ///   - hasOthers: whether another row could be sent now, whose result would show which of the two it is.
    mutating func failed(
        _ failure: PushFailure, of rows: [OutboxEntry], hasOthers: (TroubleMachine) -> Bool, at now: Instant,
        using generator: inout SplitMix64
    ) -> Finding {
        lastFailure = now
        if rows.isEmpty { isVouchedFor = false }
        if let retryAfter = failure.retryAfter {
            wait.fail(retryAfter: retryAfter, at: now, using: &generator)
        }
        if let stop = stop(for: failure, of: rows) {
            stopSync(stop, at: now, using: &generator)
            return .stopped(stop)
        }
        if rows.isEmpty || route != nil {
            blameRoute(failure, isEmpty: rows.isEmpty, at: now, using: &generator)
            return .route
        }
        failuresInARow += 1
        rowFailures += 1
        if failuresInARow >= Self.doubtfulFailures { isInQuestion = true }
        if let row = rows.first, isInTrouble(row.orderingKey) {
            entryPauseEnds = now + Self.entryPause
            return failedAgain(row, failure, at: now, using: &generator)
        }
        pauseEnds = now + Self.pause + generator.upTo(Self.pauseSpread)
        if let row = rows.first, rows.count == 1 {
            suspects[row.orderingKey] = Entry(
                id: row.id, wait: EntryWait(at: now), problem: failure.problem, reason: failure.reason,
                failures: 1, isSetAside: row.isSetAside)
        }
        if failure.isUnanswered || !hasOthers(self) { isInQuestion = true }
        return .undecided
    }

    private mutating func failedAgain(
        _ row: OutboxEntry, _ failure: PushFailure, at now: Instant, using generator: inout SplitMix64
    ) -> Finding {
        guard var entry = entries[row.orderingKey] else { return .undecided }
        let isNew = entry.problem != failure.problem
        entry.failures += 1
        entry.problem = failure.problem
        entry.reason = failure.reason
        entry.wait.fail(base: settings.backoffBase, at: now, using: &generator)
        entries[row.orderingKey] = entry
        return isNew ? .entry(problem: failure.problem) : .undecided
    }

    /// The account's or the version's, by the hub's own word or by the empty push.
    private func stop(for failure: PushFailure, of rows: [OutboxEntry]) -> DrainStop? {
        guard let stop = failure.stop else { return nil }
        if rows.isEmpty { return stop }
        // About a row that fails by itself, or right after a good empty push, it is no word about the
        // terminal.
        let isOfRow = isVouchedFor || rows.contains { isInTrouble($0.orderingKey) }
        return failure.isOfHub && !isOfRow ? stop : nil
    }

    private mutating func stopSync(
        _ stop: DrainStop, at now: Instant, using generator: inout SplitMix64
    ) {
        endDoubt()
        suspects = [:]
        route = nil
        let gap =
            switch stop {
            case .signInNeeded: settings.signInRetry
            case .upgradeRequired, .epochSuperseded: settings.upgradeRetry
            }
        let next = now + gap - generator.upTo(.nanoseconds(gap.wholeNanoseconds / 5))
        halt = Halt(stop: stop, nextTry: next)
    }

    private mutating func blameRoute(
        _ failure: PushFailure, isEmpty: Bool, at now: Instant, using generator: inout SplitMix64
    ) {
        endDoubt()
        suspects = [:]
        halt = nil
        if failure.retryAfter == nil { wait.fail(at: now, using: &generator) }
        pauseEnds = now + Self.pause + generator.upTo(Self.pauseSpread)
        let gap = Self.emptyGap - generator.upTo(.nanoseconds(Self.emptyGap.wholeNanoseconds / 5))
        let next = isEmpty ? now + gap : route?.nextEmpty ?? now + gap
        route = Route(reason: failure.reason, problem: failure.problem, nextEmpty: next)
    }

    private mutating func endDoubt() {
        failuresInARow = 0
        isInQuestion = false
        pauseEnds = nil
    }

    /// The journal was forked again: everything waits on the backoff, as for a route in trouble.
    mutating func waitForFork(at now: Instant, using generator: inout SplitMix64) {
        wait.fail(at: now, using: &generator)
        lastFailure = now
    }

    /// Another copy of the terminal continues.
    mutating func superseded(at now: Instant, using generator: inout SplitMix64) {
        stopSync(.epochSuperseded, at: now, using: &generator)
    }

    /// The hub refused the terminal's identity in another call: an empty push shows whether that
    /// is so.
    mutating func accountRefusedElsewhere(at now: Instant) {
        guard halt == nil, route == nil else { return }
        if let lastFailure, now < lastFailure + Self.emptyGap { return }
        lastFailure = now
        isInQuestion = true
    }

    /// Rows are on disk that nothing else can show anything about: only an empty push can.
    mutating func questionSuspects() { if !suspects.isEmpty { isInQuestion = true } }

    // MARK: Early attempts

    /// A hub that responds to other calls is tried again soon, whatever step the backoff has reached.
    ///
    /// A failed push makes the terminal probe and query QoS, and their good responses prove nothing about
    /// pushes. So after such an attempt that failed too, the next one waits for ``responseGap``. A probe
    /// causes none within ``probeGap`` of a failure, or the terminal would push and probe in a loop; it has
    /// no token and says nothing about the account.
    mutating func hubResponded(toProbe: Bool, at now: Instant, using generator: inout SplitMix64) {
        guard !wait.isServerWait(at: now) else { return }
        let until = halt.map { $0.isOfAccount && !toProbe ? $0.nextTry : nil } ?? wait.until
        guard let until, until > now else { return }
        var moment = now + generator.upTo(Self.soon)
        if let lastFailure {
            if toProbe, now < lastFailure + Self.probeGap { return }
            if hasTriedForResponse { moment = max(moment, lastFailure + Self.responseGap) }
        }
        guard moment < until else { return }
        hasTriedForResponse = true
        if halt != nil {
            halt?.nextTry = moment
        } else {
            wait.bringNear(to: moment)
        }
    }

    /// A good response causes the next attempt within this time (the contract allows 2 s). The moment is
    /// random, so that tills which detect a hub's return together do not all push at once. Halved, they come
    /// twice as densely; doubled, it is the contract's limit.
    private static let soon = Duration.seconds(1)
    /// The time between a failed attempt of this kind and the next: with it a backlog is sent within 5 s of
    /// the hub's return. Halved, a failing hub gets twice the pushes; doubled, the 5 s are missed.
    private static let responseGap = Duration.seconds(4)
    /// How long after a failed push a good probe causes no attempt: longer than a confirmation round and its
    /// repetitions, no longer than an idle till's interval between two pings.
    private static let probeGap = Duration.seconds(15)

    /// A row was added, which ends the backoff of the route and nothing else.
    mutating func tryRouteAtOnce() { wait.tryAtOnce() }

    /// Ends every wait except the hub's own.
    mutating func tryAllAtOnce(at now: Instant) {
        wait.tryAtOnce()
        tryEntriesAtOnce(at: now)
    }

    private mutating func tryEntriesAtOnce(at now: Instant) {
        for key in entries.keys { entries[key]?.wait.tryAtOnce(at: now) }
    }

    /// Everything is tried now: a person wants it, or what was lost may pass now.
    mutating func tryEverything(at now: Instant) {
        tryAllAtOnce(at: now)
        pauseEnds = nil
        entryPauseEnds = nil
        halt?.nextTry = now
    }

    /// The network to the hub is back.
    mutating func routeRestored(at now: Instant) {
        if halt?.isOfAccount == true { halt?.nextTry = now }
        tryAllAtOnce(at: now)
    }

    /// The terminal has a new token. Whether the hub accepts it is shown by an empty push, not at once after
    /// one that was refused: a hub that renews tokens and refuses them would be called without end.
    mutating func identityRenewed(at now: Instant) {
        guard let halt else { return tryAllAtOnce(at: now) }
        let soonest = max(now, lastFailure.map { $0 + Self.responseGap } ?? now)
        self.halt?.nextTry = min(halt.nextTry, soonest)
    }

    /// Keys that are no longer on disk wait for nothing.
    mutating func keep(_ orderingKeys: Set<String>) {
        entries = entries.filter { orderingKeys.contains($0.key) }
        suspects = suspects.filter { orderingKeys.contains($0.key) }
    }
}

// MARK: What may be sent

extension TroubleMachine {
    /// Why sync has stopped; nil while it has not.
    var stop: DrainStop? { halt?.stop }

    /// When an empty push is due, to show whose trouble it is or whether it has ended; nil: none is.
    var emptyPushDue: Instant? {
        let due: Instant?
        if let halt {
            due = halt.nextTry
        } else if isInQuestion {
            due = pauseEnds ?? lastFailure
        } else {
            due = route?.nextEmpty
        }
        guard let due else { return nil }
        return [due, pauseEnds, wait.serverRetryAfter].compactMap { $0 }.max()
    }

    /// Nothing is sent before, for nobody but a person; nil: no wait runs.
    var rowsWaitUntil: Instant? { [wait.until, pauseEnds].compactMap { $0 }.max() }

    /// Whether rows may be sent, as far as trouble decides it.
    func allowsRows(at now: Instant) -> Bool {
        halt == nil && !isInQuestion && (rowsWaitUntil.map { $0 <= now } ?? true)
    }

    /// Whether rows are held until an empty push has shown whose trouble it is.
    var holdsRows: Bool { halt != nil || isInQuestion }

    func isServerWait(at now: Instant) -> Bool { wait.isServerWait(at: now) }

    /// The end of the hub's `Retry-After`; nil without one.
    var serverRetryAfter: Instant? { wait.serverRetryAfter }

    /// Whether the key has a row that got no result while others did.
    func isInTrouble(_ orderingKey: String) -> Bool { entries[orderingKey]?.problem != nil }

    /// Whether nothing of the key may be sent now.
    func isWaiting(_ orderingKey: String, at now: Instant) -> Bool {
        if suspects[orderingKey] != nil { return true }
        return waitEnds(of: orderingKey).map { now < $0 } ?? false
    }

    /// When the key may be sent again; nil while it does not wait, or waits for an empty push.
    func waitEnds(of orderingKey: String) -> Instant? {
        guard let entry = entries[orderingKey] else { return nil }
        guard entry.problem != nil, let entryPauseEnds else { return entry.wait.until }
        return max(entry.wait.until, entryPauseEnds)
    }

    /// Whether the key neither waits nor is in question.
    func isFree(_ orderingKey: String) -> Bool {
        entries[orderingKey] == nil && suspects[orderingKey] == nil
    }

    /// Of rows in trouble the one that could have gone first; nil where there is none.
    func longestWaiting(of rows: some Sequence<OutboxEntry>) -> OutboxEntry? {
        rows.compactMap { row in entries[row.orderingKey].map { (row, $0.wait.until) } }
            .min { $0.1 < $1.1 }?.0
    }

    /// Whether an entry in trouble may go before others that could be sent.
    func prefersEntry(at now: Instant) -> Bool { lastEntryTry.map { $0 + Self.entryGap <= now } ?? true }

    mutating func noteSending(_ rows: [OutboxEntry], at now: Instant) {
        if rows.contains(where: { isInTrouble($0.orderingKey) }) { lastEntryTry = now }
    }

    /// For banner, status and doctor.
    var delivery: DeliveryState {
        DeliveryState(
            trouble: trouble,
            entries: entries.values.count { $0.problem != nil && $0.failures > 1 && !$0.isSetAside })
    }

    private var trouble: DeliveryState.Trouble? {
        if halt?.isOfAccount == true { return .account }
        if let route { return .route(route.reason, problem: route.problem) }
        guard rowFailures >= Self.doubtfulFailures, !isInQuestion else { return nil }
        let failing = entries.values.filter { $0.problem != nil }
        guard failing.count > 1, let last = failing.min(by: { $0.id < $1.id }) else { return nil }
        return .entries(last.reason, problem: last.problem ?? "")
    }
}

/// A response to a push that is no result, or the lack of one.
struct PushFailure: Hashable, Sendable {
    /// For people: it is shown with the entry whose trouble it turns out to be.
    let problem: String
    let reason: ConnectivitySnapshot.Reason
    let retryAfter: Duration?
    /// Whether nothing came back, so that another try with rows takes as long.
    let isUnanswered: Bool
    /// What it means for the whole terminal, if it is no row's trouble; nil: nothing.
    let stop: DrainStop?
    /// Whether it was the hub's own problem document that said so.
    let isOfHub: Bool
}

extension PushFailure {
    /// Nil for an outcome that is a result, or that has its own meaning.
    init?(_ outcome: PushOutcome) {
        switch outcome {
        case .results, .journalForked, .epochSuperseded: return nil
        case .hubTrouble(let outcome, let retryAfter):
            self.init(
                problem: "the hub did not serve it: \(outcome.words)", reason: outcome.reason,
                retryAfter: retryAfter, isUnanswered: outcome.isUnanswered, stop: nil, isOfHub: false)
        case .refused(let status, let code, let detail):
            self.init(
                problem: "\(status) \(code): \(detail)", reason: .http5xx, retryAfter: nil,
                isUnanswered: false, stop: Self.stop(for: status), isOfHub: false)
        case .upgradeRequired:
            self.init(
                problem: "426 upgrade_required: the hub wants a newer version", reason: .http5xx,
                retryAfter: nil, isUnanswered: false, stop: .upgradeRequired, isOfHub: true)
        case .signInNeeded(let code):
            self.init(
                problem: "the hub does not accept this terminal: \(code)", reason: .http401,
                retryAfter: nil, isUnanswered: false, stop: .signInNeeded(code: code), isOfHub: true)
        }
    }

    private static func stop(for status: Int) -> DrainStop? {
        switch status {
        case 401, 403: .signInNeeded(code: "http_\(status)")
        case 426: .upgradeRequired
        case _: nil
        }
    }
}

extension OutcomeClass {
    /// The reason that the snapshot names for pushes that end so.
    fileprivate var reason: ConnectivitySnapshot.Reason {
        switch self {
        case .network(let failure): failure.reason
        case .portal(let portal): portal.reason
        case .service(let failure): failure.reason
        case .auth: .http401
        case .throttle: .rateLimit
        case .business, .success: .http5xx
        case .cancelled: .none
        }
    }

    /// Whether nothing came back.
    fileprivate var isUnanswered: Bool {
        switch self {
        case .network: true
        case .service(let failure): failure == .timedOutAfterConnect
        case .success, .auth, .throttle, .business, .portal, .cancelled: false
        }
    }
}
