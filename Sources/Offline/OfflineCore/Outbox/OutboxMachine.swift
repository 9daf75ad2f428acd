public import Base

/// Decides which rows of the outbox are sent to the hub next, and when.
///
/// One operation is pending at a time: a read, a request or a write. Rows are sent oldest first. A failure of
/// the hub delays the complete outbox by one backoff; a failure of one ordering key delays that key alone. A
/// row is removed only when its result is durable. An event changes the state, and ``proceed(at:)`` then
/// starts the next operation, if nothing prevents it.
public struct OutboxMachine: Machine, Hashable, Sendable {
    private let settings: OutboxSettings
    private var generator: SplitMix64
    private var window = OutboxWindow()
    private var activity = Activity.resting
    private var hubWait: RetryWait
    private var storeWait: RetryWait
    /// The waits of ordering keys that failed. A result of one of its rows removes the key.
    private var keyWaits: [String: RetryWait] = [:]
    private var pace: DrainPace?
    private var halt: Halt?
    private var isManualOffline: Bool
    private var routeIsLost = false
    private var linkIsDegraded = false
    private var largePackets = LargePackets()
    private var canaryIsDue = false
    /// The hub's acknowledged sequence must be queried. Any response that contains it ends this.
    private var checkInIsDue = false
    /// The number of results of the running `sync now`; nil while none runs.
    private var syncedResults: Int?
    /// How many rows the next request may contain; doubled after each accepted one.
    private var batchSize = 1
    /// When a push last failed because of the hub.
    private var lastTrouble: Instant?
    /// Whether a response to another call has caused an early attempt since the hub last served a push.
    private var hasTriedForResponse = false
    /// Forks of the journal since the hub last accepted something.
    private var forksInARow = 0

    /// The pending operation.
    private enum Activity: Hashable, Sendable {
        /// Leaves to `loading` or `sending` when something may be sent.
        case resting
        /// Leaves to `resting`.
        case loading(fromStart: Bool)
        /// A request is in flight. Leaves to `writing` with the results that must be stored, else to
        /// `resting`.
        case sending(Shipment)
        /// Leaves to `resting` after the last write, to `rewriting` when one fails.
        case writing(OutboxWrite, then: [OutboxWrite])
        /// A write failed and its content is kept. Leaves to `writing` when the wait of the store ends.
        case rewriting(OutboxWrite, then: [OutboxWrite])
    }

    private struct Shipment: Hashable, Sendable {
        let ids: [String]
        let isCanary: Bool
    }

    /// Sync has stopped. It ends at `retryAt` where there is one, or by an event of a person or the route.
    private struct Halt: Hashable, Sendable {
        let stop: DrainStop
        let retryAt: Instant?
    }

    /// - Parameters:
    ///   - seed: of the jitter; the same seed and events give the same effects.
    ///   - isManualOffline: whether the manual flag counts as set until the first event about it.
    public init(settings: OutboxSettings = OutboxSettings(), seed: UInt64, isManualOffline: Bool = false) {
        self.isManualOffline = isManualOffline
        self.settings = settings
        generator = SplitMix64(seed: seed)
        hubWait = RetryWait(settings)
        storeWait = RetryWait(settings)
    }

    /// Applies one event and returns the effects in the order in which the driver performs them.
    public mutating func handle(_ event: OutboxEvent, at now: Instant) -> [OutboxEffect] {
        var effects: [OutboxEffect] = []
        switch event {
        case .rowAdded:
            window.expectMore()
            hubWait.tryAtOnce()
            storeWait.tryAtOnce()
        case .hubResponded(let toProbe): tryAgainSoon(afterProbe: toProbe, at: now)
        case .callLost:
            if largePackets.note(wasLost: true, at: now) { effects.append(.measurePath) }
        case .rowsChanged:
            window.invalidate()
            tryAllAtOnce()
        case .loaded(let entries, let reachedEnd): finishLoading(entries, reachedEnd: reachedEnd)
        case .pushFinished(let outcome): finishSending(outcome, at: now, &effects)
        case .written: finishWriting(&effects)
        case .storeFailed: failStore(at: now, &effects)
        case .routeLost: routeIsLost = true
        case .routeRestored:
            routeIsLost = false
            if case .signInNeeded? = halt?.stop { halt = nil }
            tryAllAtOnce()
        case .syncRequested: beginSync(at: now, &effects)
        case .checkInDue: checkInIsDue = true
        case .canaryRequested: canaryIsDue = true
        case .canaryWithdrawn: canaryIsDue = false
        case .manualOfflineChanged(let isOn): switchManual(isOn, &effects)
        case .linkQualityChanged(let isDegraded): linkIsDegraded = isDegraded
        case .pathMeasured(let largePass): takeMeasurement(largePass: largePass, at: now, &effects)
        case .paced(let resume): pace = DrainPace(resume, after: pace, at: now)
        case .identityRenewed:
            halt = nil
            window.invalidate()
            tryAllAtOnce()
        case .deadlineReached: break
        }
        proceed(at: now, &effects)
        return effects
    }

    /// When the machine acts next by itself; nil while an operation is pending or there is nothing to do.
    public var deadline: Instant? {
        switch activity {
        case .loading, .sending, .writing: return nil
        case .rewriting: return storeWait.until
        case .resting: break
        }
        guard !isManualOffline else { return nil }
        if let halt { return halt.retryAt }
        guard !routeIsLost, !window.isDrained else { return paceEnd }
        guard mustRead || !window.goingRows.isEmpty else { return nil }
        let all = [hubWait.until, storeWait.until, pace?.next].compactMap { $0 }.max()
        guard !mustRead, let orderingKey = earliestKeyEnd else { return all }
        return all.map { max($0, orderingKey) } ?? orderingKey
    }

    /// Ends every wait except the hub's `Retry-After`.
    private mutating func tryAllAtOnce() {
        hubWait.tryAtOnce()
        storeWait.tryAtOnce()
        for orderingKey in keyWaits.keys { keyWaits[orderingKey]?.tryAtOnce() }
    }

    /// A hub that responds to other calls is tried again soon, whatever step the backoff has reached.
    ///
    /// A failed push makes the terminal probe and query QoS, and their good responses prove nothing about
    /// pushes. So after such an attempt that failed too, the next one waits for ``responseGap``. A probe
    /// causes none within ``probeGap`` of a failure, or the terminal would push and probe in a loop.
    private mutating func tryAgainSoon(afterProbe: Bool, at now: Instant) {
        guard let until = hubWait.until, until > now, !hubWait.isServerWait(at: now) else { return }
        var moment = now + generator.upTo(Self.soon)
        if let lastTrouble {
            if afterProbe, now < lastTrouble + Self.probeGap { return }
            if hasTriedForResponse { moment = max(moment, lastTrouble + Self.responseGap) }
        }
        guard moment < until else { return }
        hasTriedForResponse = true
        hubWait.bringNear(to: moment)
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

    private mutating func switchManual(_ isOn: Bool, _ effects: inout [OutboxEffect]) {
        guard isOn != isManualOffline else { return }
        isManualOffline = isOn
        if isOn {
            endSync(.manualOffline, &effects)
            effects.append(.endAllWaits)
        } else {
            tryAllAtOnce()
        }
    }
}

// MARK: Choosing the next operation

extension OutboxMachine {
    /// Starts the next operation if none is pending and nothing prevents it. Harmless to repeat.
    private mutating func proceed(at now: Instant, _ effects: inout [OutboxEffect]) {
        switch activity {
        case .loading, .sending, .writing: return
        case .rewriting(let write, let rest):
            guard !storeWait.holds(at: now) else { return }
            activity = .writing(write, then: rest)
            effects.append(.write(write))
            return
        case .resting: break
        }
        if let retryAt = halt?.retryAt, retryAt <= now { halt = nil }
        forgetPace(at: now)
        if canaryIsDue { return sendCanary(at: now, &effects) }
        guard mayDrain(at: now) else { return }
        drain(at: now, &effects)
    }

    /// Whether rows must be read before the machine can decide what is sent next.
    private var mustRead: Bool { window.isStale || (window.hasMore && !hasFreeRow) }

    /// When the first waiting ordering key may continue; nil when a row may be sent or there is none.
    private var earliestKeyEnd: Instant? {
        guard !hasFreeRow else { return nil }
        return window.goingRows.compactMap { keyWaits[$0.entry.orderingKey]?.until }.min()
    }

    /// When the pace ends while the outbox is empty; nil otherwise.
    private var paceEnd: Instant? { window.isDrained ? pace?.next : nil }

    private var hasFreeRow: Bool {
        window.goingRows.contains { keyWaits[$0.entry.orderingKey]?.until == nil }
    }

    private func mayDrain(at now: Instant) -> Bool {
        guard !isManualOffline, halt == nil, !storeWait.holds(at: now), !hubWait.holds(at: now) else {
            return false
        }
        if syncedResults != nil { return true }
        return !routeIsLost && (pace.map { $0.next <= now } ?? true)
    }

    private mutating func drain(at now: Instant, _ effects: inout [OutboxEffect]) {
        let batch = nextBatch(at: now)
        if window.isStale || (window.hasMore && batch.count < batchLimit && !batch.isClosed) {
            return load(&effects)
        }
        guard !batch.ids.isEmpty || (checkInIsDue && window.waitsForAttachmentsOnly) else {
            return endSync(window.isDrained ? .drained : .keysWaiting, &effects)
        }
        pace?.noteSent(batch.count, at: now)
        send(Shipment(ids: batch.ids, isCanary: false), &effects)
    }

    /// A canary ignores the route, the backoff and the pace; it respects the manual flag, a stop and the
    /// hub's `Retry-After`.
    private mutating func sendCanary(at now: Instant, _ effects: inout [OutboxEffect]) {
        guard !isManualOffline, halt == nil, !hubWait.isServerWait(at: now) else {
            canaryIsDue = false
            effects.append(.finishCanary(good: false))
            return
        }
        if window.isStale || (window.hasMore && window.goingRows.isEmpty) { return load(&effects) }
        canaryIsDue = false
        let oldest = window.goingRows.first { !isWaiting($0.entry.orderingKey, at: now) }
        send(Shipment(ids: oldest.map { [$0.entry.id] } ?? [], isCanary: true), &effects)
    }

    private mutating func load(_ effects: inout [OutboxEffect]) {
        let after = window.readAfter
        activity = .loading(fromStart: window.beginReading())
        effects.append(.load(after: after, limit: settings.batchLimit))
    }

    private mutating func send(_ shipment: Shipment, _ effects: inout [OutboxEffect]) {
        activity = .sending(shipment)
        effects.append(.push(ids: shipment.ids))
    }

    /// The pace limits the backlog after a fault, so it ends when the backlog is sent.
    private mutating func forgetPace(at now: Instant) {
        if let pace, window.isDrained, pace.next <= now { self.pace = nil }
    }

    private func isWaiting(_ orderingKey: String, at now: Instant) -> Bool {
        keyWaits[orderingKey]?.holds(at: now) ?? false
    }
}

// MARK: Building a batch

extension OutboxMachine {
    /// The rows of one request.
    private struct Batch {
        var ids: [String] = []
        var bytes = 0
        /// Nothing may be added, whatever else is on disk.
        var isClosed = false

        var count: Int { ids.count }
    }

    /// How many rows one request may hold now.
    private var batchLimit: Int {
        let ceiling = linkIsDegraded ? settings.degradedBatchLimit : settings.batchLimit
        return max(1, min(batchSize, ceiling, syncedResults == nil ? pace?.batchLimit ?? .max : .max))
    }

    /// The oldest rows that wait for no attachment and whose ordering keys do not wait, up to the limits. A
    /// row that must be sent alone ends the batch before it.
    private func nextBatch(at now: Instant) -> Batch {
        var batch = Batch()
        for row in window.goingRows where !isWaiting(row.entry.orderingKey, at: now) {
            let isFirst = batch.ids.isEmpty
            let fits = batch.count < batchLimit && batch.bytes + row.entry.bytes <= settings.batchBytes
            guard isFirst || (fits && !row.goesAlone) else {
                batch.isClosed = true
                return batch
            }
            batch.ids.append(row.entry.id)
            batch.bytes += row.entry.bytes
            if row.goesAlone {
                batch.isClosed = true
                return batch
            }
        }
        return batch
    }

    private mutating func growBatch() { batchSize = min(batchSize * 2, settings.batchLimit) }

    private mutating func shrinkBatch(to count: Int) { batchSize = max(1, count) }
}

// MARK: The result of a push

extension OutboxMachine {
    private mutating func finishSending(
        _ outcome: PushOutcome, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        guard case .sending(let shipment) = activity else { return }
        activity = .resting
        if largePackets.note(wasLost: outcome.isLost, at: now) { effects.append(.measurePath) }
        if shipment.isCanary { effects.append(.finishCanary(good: outcome.isServed)) }
        switch outcome {
        case .results(let results, let acknowledgedThrough, let missing):
            window.noteAttempt(of: shipment.ids)
            takeResults(results, of: shipment, acknowledgedThrough, missing, at: now, &effects)
        case .hubTrouble(_, let retryAfter):
            window.noteAttempt(of: shipment.ids)
            holdBack(retryAfter: retryAfter, at: now, &effects)
        case .refused(let status, let code, let detail):
            window.noteAttempt(of: shipment.ids)
            takeRefusal(of: shipment, problem: "\(status) \(code): \(detail)", at: now, &effects)
        case .journalForked(let epoch, let headSequence, let headHash, let headOrderNumber):
            window.noteAttempt(of: shipment.ids)
            forksInARow += 1
            if forksInARow > 1 { holdBack(retryAfter: nil, at: now, &effects) }
            begin(
                [
                    .adopt(
                        epoch: epoch, headSequence: headSequence, headHash: headHash,
                        headOrderNumber: headOrderNumber)
                ], &effects)
        case .epochSuperseded: halt(.epochSuperseded, retryAt: now + settings.signInRetry, &effects)
        case .upgradeRequired: halt(.upgradeRequired, retryAt: nil, &effects)
        case .signInNeeded(let code):
            halt(.signInNeeded(code: code), retryAt: now + settings.signInRetry, &effects)
        }
    }

    /// The hub handled the request: its backoff ends, and each row gets its result. A row without a result
    /// waits like one with the result `retry`.
    private mutating func takeResults(
        _ results: [PushResult], of shipment: Shipment, _ acknowledgedThrough: Int64?, _ missing: [Int64],
        at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        endHubTrouble()
        forksInARow = 0
        if !shipment.ids.isEmpty { growBatch() }
        if acknowledgedThrough != nil { checkInIsDue = false }
        let known = matched(results, to: shipment.ids)
        let unsettled = shipment.ids.filter { !(known[$0]?.outcome.isFinal ?? false) }
        freeKeys(of: shipment.ids.filter { known[$0]?.outcome.isFinal ?? false })
        for id in unsettled { holdKey(of: id, retryAfter: known[id]?.outcome.retryAfter, at: now) }
        if !unsettled.isEmpty { effects.append(.endWaits(ids: unsettled)) }
        var writes: [OutboxWrite] = []
        if !known.isEmpty || (shipment.ids.isEmpty && acknowledgedThrough != nil) {
            let ordered = shipment.ids.compactMap { known[$0] }
            writes.append(.record(ordered, acknowledgedThrough: acknowledgedThrough))
        }
        let lost = window.settled(among: missing)
        if !lost.isEmpty { writes.append(.reopen(lost)) }
        begin(writes, &effects)
    }

    private mutating func endHubTrouble() {
        hubWait.reset()
        hasTriedForResponse = false
    }

    /// The hub failed: everything waits on one backoff, and the next request is a small one.
    private mutating func holdBack(
        retryAfter: Duration?, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        hubWait.fail(retryAfter: retryAfter, at: now, using: &generator)
        lastTrouble = now
        shrinkBatch(to: 1)
        endSync(.hubTrouble, &effects)
        effects.append(.endAllWaits)
    }

    /// What failed for the size of its packets is sent again at once when their size changes.
    private mutating func takeMeasurement(
        largePass: Bool?, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        let wereLost = largePackets.areLost
        largePackets.measured(largePass: largePass, at: now)
        guard largePackets.areLost != wereLost else { return }
        effects.append(.useSmallSegments(largePackets.areLost))
        hubWait.tryAtOnce()
    }

    /// A batch is halved until the row that the hub refuses is sent alone; then its ordering key waits.
    private mutating func takeRefusal(
        of shipment: Shipment, problem: String, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        guard shipment.ids.count < 2 else { return shrinkBatch(to: shipment.ids.count / 2) }
        guard let id = shipment.ids.first else { return }
        endHubTrouble()
        growBatch()
        window.sendAlone(id)
        holdKey(of: id, retryAfter: nil, at: now)
        effects.append(.endWaits(ids: [id]))
        begin([.note(problem: problem, id: id)], &effects)
    }

    private mutating func halt(_ stop: DrainStop, retryAt: Instant?, _ effects: inout [OutboxEffect]) {
        halt = Halt(stop: stop, retryAt: retryAt)
        endSync(.stopped(stop), &effects)
        effects.append(.endAllWaits)
    }

    private mutating func holdKey(of id: String, retryAfter: Duration?, at now: Instant) {
        guard let orderingKey = window.rows.first(where: { $0.entry.id == id })?.entry.orderingKey else {
            return
        }
        keyWaits[orderingKey, default: RetryWait(settings)]
            .fail(retryAfter: retryAfter, at: now, using: &generator)
    }

    /// A result ends the wait of its ordering key.
    private mutating func freeKeys(of ids: [String]) {
        guard !keyWaits.isEmpty else { return }
        let settled = Set(ids)
        for row in window.rows where settled.contains(row.entry.id) { keyWaits[row.entry.orderingKey] = nil }
    }

    /// The hub's results by id, the first of each; ids that were not sent are left out.
    private func matched(_ results: [PushResult], to ids: [String]) -> [String: PushResult] {
        let sent = Set(ids)
        return Dictionary(results.filter { sent.contains($0.id) }.map { ($0.id, $0) }) { first, _ in first }
    }
}

// MARK: Reads and writes

extension OutboxMachine {
    private mutating func finishLoading(_ entries: [OutboxEntry], reachedEnd: Bool) {
        guard case .loading(let fromStart) = activity else { return }
        activity = .resting
        storeWait.reset()
        window.take(entries, reachedEnd: reachedEnd, fromStart: fromStart)
        guard fromStart else { return }
        let orderingKeys = Set(window.rows.map(\.entry.orderingKey))
        if !window.hasMore { keyWaits = keyWaits.filter { orderingKeys.contains($0.key) } }
    }

    /// Performs writes, one after the other.
    private mutating func begin(_ writes: [OutboxWrite], _ effects: inout [OutboxEffect]) {
        guard let first = writes.first else { return }
        activity = .writing(first, then: Array(writes.dropFirst()))
        effects.append(.write(first))
    }

    /// Results are announced and rows are removed only now, because the write is durable.
    private mutating func finishWriting(_ effects: inout [OutboxEffect]) {
        guard case .writing(let write, let rest) = activity else { return }
        activity = .resting
        storeWait.reset()
        switch write {
        case .record(let results, _): settle(results.filter(\.outcome.isFinal), &effects)
        case .reopen, .adopt: window.invalidate()
        case .note: break
        }
        begin(rest, &effects)
    }

    /// Nothing is lost: a read is repeated, a result is kept and written again, a push was not sent.
    private mutating func failStore(at now: Instant, _ effects: inout [OutboxEffect]) {
        switch activity {
        case .resting, .rewriting: return
        case .loading(let fromStart):
            window.failReading(fromStart: fromStart)
            activity = .resting
        case .sending(let shipment):
            if shipment.isCanary { effects.append(.finishCanary(good: false)) }
            activity = .resting
        case .writing(let write, let rest): activity = .rewriting(write, then: rest)
        }
        if canaryIsDue {
            canaryIsDue = false
            effects.append(.finishCanary(good: false))
        }
        storeWait.fail(at: now, using: &generator)
        endSync(.storeTrouble, &effects)
        effects.append(.endAllWaits)
    }

    private mutating func settle(_ results: [PushResult], _ effects: inout [OutboxEffect]) {
        guard !results.isEmpty else { return }
        window.remove(Set(results.map(\.id)))
        if let count = syncedResults { syncedResults = count + results.count }
        effects.append(.announceResults(results))
    }
}

// MARK: `sync now`

extension OutboxMachine {
    /// Begins a `sync now`: everything is tried at once, whatever the route and the pace. Exceptions are a
    /// valid `Retry-After` and the manual flag.
    private mutating func beginSync(at now: Instant, _ effects: inout [OutboxEffect]) {
        syncedResults = syncedResults ?? 0
        guard !isManualOffline else { return endSync(.manualOffline, &effects) }
        if let until = hubWait.serverRetryAfter, now < until {
            return endSync(.serverWait(until: until), &effects)
        }
        halt = nil
        pace = nil
        tryAllAtOnce()
    }

    private mutating func endSync(_ ending: DrainReport.Ending, _ effects: inout [OutboxEffect]) {
        guard let results = syncedResults else { return }
        syncedResults = nil
        effects.append(.finishSync(DrainReport(ending: ending, results: results)))
    }
}

// MARK: Status

extension OutboxMachine {
    /// What the outbox is doing at `now`.
    public func status(at now: Instant) -> DrainStatus {
        switch activity {
        case .loading, .sending, .writing: return .draining
        case .rewriting: return .storeTrouble(until: storeWait.until ?? now)
        case .resting: break
        }
        if isManualOffline { return .manualOffline }
        if let halt { return .stopped(halt.stop) }
        if storeWait.holds(at: now), let until = storeWait.until { return .storeTrouble(until: until) }
        if routeIsLost { return .routeLost }
        guard let deadline, now < deadline, !window.isDrained else { return .idle }
        return .waiting(until: deadline)
    }

    /// The end of the hub's `Retry-After`, before which nothing is sent for anybody; nil while none is valid.
    public func retryAfterEnds(at now: Instant) -> Instant? {
        hubWait.serverRetryAfter.flatMap { now < $0 ? $0 : nil }
    }

    /// Whether a measurement found that the path loses large packets: connections have small segments then.
    public var losesLargePackets: Bool { largePackets.areLost }

    /// The rows that were read and have no result yet, oldest first.
    public func rows(at now: Instant) -> [OutboxRowView] {
        var inFlight: Set<String> = []
        if case .sending(let shipment) = activity { inFlight = Set(shipment.ids) }
        let all = deadlineOfAll(at: now)
        return window.rows.map { row in
            let isSending = inFlight.contains(row.entry.id)
            let waits = [all, keyWaits[row.entry.orderingKey]?.until].compactMap { $0 }.filter { $0 > now }
            return OutboxRowView(
                id: row.entry.id, attempts: row.attempts, nextAttempt: isSending ? nil : waits.max(),
                isSending: isSending)
        }
    }

    /// Whether a row that was just committed can be sent before `instant`, as far as is known now.
    ///
    /// A backoff does not count, since a new sale ends it; the hub's `Retry-After` and its pace do.
    public func maySend(before instant: Instant) -> Bool {
        guard !isManualOffline, !routeIsLost, halt == nil else { return false }
        let holds = [hubWait.serverRetryAfter, pace?.next].compactMap { $0 }
        return holds.allSatisfy { $0 < instant }
    }

    private func deadlineOfAll(at now: Instant) -> Instant? {
        [hubWait.until, storeWait.until, pace?.next, halt?.retryAt].compactMap { $0 }.max()
    }
}

extension PushOutcome {
    /// Whether the request was sent and nothing came back.
    fileprivate var isLost: Bool {
        switch self {
        case .hubTrouble(let outcome, _): outcome.isLost
        case .results, .refused, .journalForked, .epochSuperseded, .upgradeRequired, .signInNeeded: false
        }
    }

    /// Whether the hub responded as the contract requires, so that a canary was good.
    fileprivate var isServed: Bool {
        switch self {
        case .results(let results, _, _): !results.contains { $0.outcome.isRetry }
        case .hubTrouble, .refused, .journalForked, .epochSuperseded, .upgradeRequired, .signInNeeded: false
        }
    }
}

extension PushResult.Outcome {
    fileprivate var isRetry: Bool {
        switch self {
        case .retry: true
        case .applied, .rejected, .conflict, .deferred: false
        }
    }

    fileprivate var retryAfter: Duration? {
        switch self {
        case .retry(let after): after
        case .applied, .rejected, .conflict, .deferred: nil
        }
    }
}
