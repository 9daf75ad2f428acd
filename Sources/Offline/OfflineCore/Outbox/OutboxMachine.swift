public import Base

/// Decides which rows of the outbox are sent to the hub next, and when.
///
/// One operation is pending at a time: a read, a request or a write. Rows are sent oldest first. Whose
/// trouble it is when a push gets no result, and what waits for that, is decided by its ``TroubleMachine``
/// alone. A row is removed only when its result is durable. An event changes the state, and ``proceed(at:)``
/// then starts the next operation, if nothing prevents it.
public struct OutboxMachine: Machine, Hashable, Sendable {
    private let settings: OutboxSettings
    private var generator: SplitMix64
    private var window = OutboxWindow()
    private var activity = Activity.resting
    private var trouble: TroubleMachine
    private var storeWait: RetryWait
    private var pace: DrainPace?
    private var isManualOffline: Bool
    private var routeIsLost = false
    private var serviceIsFaulty = false
    /// A probe passed while the network is lost: one small push follows it, so that a line on which few
    /// requests pass still carries sales.
    private var trickleIsDue = false
    private var linkIsDegraded = false
    private var largePackets = LargePackets()
    private var canaryIsDue = false
    /// The hub's acknowledged sequence must be queried. Any response that contains it ends this.
    private var checkInIsDue = false
    /// The number of results of the running `sync now`; nil while none runs.
    private var syncedResults: Int?
    /// How many rows the next request may contain; doubled after each accepted one.
    private var batchSize = 1
    /// Pushes without a result in the running `sync now`.
    private var syncFailures = 0
    /// What was announced last.
    private var delivery = DeliveryState.well
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

    /// - Parameters:
    ///   - seed: of the jitter; the same seed and events give the same effects.
    ///   - isManualOffline: whether the manual flag counts as set until the first event about it.
    public init(settings: OutboxSettings = OutboxSettings(), seed: UInt64, isManualOffline: Bool = false) {
        self.isManualOffline = isManualOffline
        self.settings = settings
        generator = SplitMix64(seed: seed)
        trouble = TroubleMachine(settings)
        storeWait = RetryWait(settings)
    }

    /// Applies one event and returns the effects in the order in which the driver performs them.
    public mutating func handle(_ event: OutboxEvent, at now: Instant) -> [OutboxEffect] {
        var effects: [OutboxEffect] = []
        switch event {
        case .rowAdded:
            window.expectMore()
            trouble.tryRouteAtOnce()
            storeWait.tryAtOnce()
        case .hubResponded(let toProbe):
            trouble.hubResponded(toProbe: toProbe, at: now, using: &generator)
            trickleIsDue = trickleIsDue || (toProbe && routeIsLost && !serviceIsFaulty)
        case .callLost:
            if largePackets.note(wasLost: true, at: now) { effects.append(.measurePath) }
        case .accountRefused: trouble.accountRefusedElsewhere(at: now)
        case .rowsChanged:
            window.invalidate()
            tryAllAtOnce(at: now)
        case .loaded(let entries, let reachedEnd): finishLoading(entries, reachedEnd: reachedEnd)
        case .pushFinished(let outcome): finishSending(outcome, at: now, &effects)
        case .written: finishWriting(&effects)
        case .storeFailed: failStore(at: now, &effects)
        case .routeLost(let byService):
            routeIsLost = true
            serviceIsFaulty = byService
            if byService { trickleIsDue = false }
        case .routeRestored:
            routeIsLost = false
            trickleIsDue = false
            trouble.routeRestored(at: now)
            storeWait.tryAtOnce()
        case .syncRequested: beginSync(at: now, &effects)
        case .checkInDue: checkInIsDue = true
        case .canaryRequested: canaryIsDue = true
        case .canaryWithdrawn: canaryIsDue = false
        case .manualOfflineChanged(let isOn): switchManual(isOn, at: now, &effects)
        case .linkQualityChanged(let isDegraded): linkIsDegraded = isDegraded
        case .pathMeasured(let largePass): takeMeasurement(largePass: largePass, at: now, &effects)
        case .paced(let resume): pace = DrainPace(resume, after: pace, at: now)
        case .identityRenewed:
            trouble.identityRenewed(at: now)
            storeWait.tryAtOnce()
            window.invalidate()
        case .deadlineReached: break
        }
        proceed(at: now, &effects)
        announceDelivery(&effects)
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
        let empty = emptyPushDue
        guard !routeIsLost || trickleIsDue, !window.isDrained else {
            return [empty, paceEnd].compactMap { $0 }.min()
        }
        return [empty, rowsDue].compactMap { $0 }.min()
    }

    /// When rows may be sent or read next; nil: there are none, or other events decide it.
    private var rowsDue: Instant? {
        guard !trouble.holdsRows, mustRead || !window.goingRows.isEmpty else { return nil }
        let all = [trouble.rowsWaitUntil, storeWait.until, pace?.next].compactMap { $0 }.max()
        guard !mustRead, let orderingKey = earliestKeyEnd else { return all }
        return all.map { max($0, orderingKey) } ?? orderingKey
    }

    /// When an empty push is sent to show whose trouble it is; nil: none is due, or the network is down.
    private var emptyPushDue: Instant? {
        guard !routeIsLost || trickleIsDue || syncedResults != nil, let due = trouble.emptyPushDue
        else { return nil }
        return storeWait.until.map { max($0, due) } ?? due
    }

    /// Ends every wait except the hub's `Retry-After`.
    private mutating func tryAllAtOnce(at now: Instant) {
        trouble.tryAllAtOnce(at: now)
        storeWait.tryAtOnce()
    }

    private mutating func announceDelivery(_ effects: inout [OutboxEffect]) {
        let next = trouble.delivery
        guard next != delivery else { return }
        delivery = next
        effects.append(.announceDelivery(next))
    }

    private mutating func switchManual(
        _ isOn: Bool, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        guard isOn != isManualOffline else { return }
        isManualOffline = isOn
        if isOn {
            endSync(.manualOffline, &effects)
            effects.append(.endAllWaits)
        } else {
            tryAllAtOnce(at: now)
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
        forgetPace(at: now)
        if canaryIsDue, sendCanary(at: now, &effects) { return }
        if !mustRead, !hasFreeRow { trouble.questionSuspects() }
        if !isManualOffline, let due = emptyPushDue, due <= now {
            return send(Shipment(ids: [], isCanary: false), at: now, &effects)
        }
        guard mayDrain(at: now) else { return }
        drain(at: now, &effects)
    }

    /// Whether rows must be read before the machine can decide what is sent next.
    private var mustRead: Bool { window.isStale || (window.hasMore && !hasFreeRow) }

    /// When the first waiting ordering key may continue; nil when a row may be sent or there is none.
    private var earliestKeyEnd: Instant? {
        guard !hasFreeRow else { return nil }
        return window.goingRows.compactMap { trouble.waitEnds(of: $0.entry.orderingKey) }.min()
    }

    /// When the pace ends while the outbox is empty; nil otherwise.
    private var paceEnd: Instant? { window.isDrained ? pace?.next : nil }

    private var hasFreeRow: Bool {
        window.goingRows.contains { trouble.isFree($0.entry.orderingKey) }
    }

    private func mayDrain(at now: Instant) -> Bool {
        guard !isManualOffline, !storeWait.holds(at: now), trouble.allowsRows(at: now) else { return false }
        if syncedResults != nil { return true }
        return (!routeIsLost || trickleIsDue) && (pace.map { $0.next <= now } ?? true)
    }

    private mutating func drain(at now: Instant, _ effects: inout [OutboxEffect]) {
        let batch = nextBatch(at: now)
        if window.isStale || (window.hasMore && batch.count < batchLimit && !batch.isClosed) {
            return load(&effects)
        }
        guard !batch.ids.isEmpty || (checkInIsDue && window.waitsForAttachmentsOnly) else {
            trickleIsDue = false
            return endSync(window.isDrained ? .drained : .keysWaiting, &effects)
        }
        pace?.noteSent(batch.count, at: now)
        send(Shipment(ids: batch.ids, isCanary: false), at: now, &effects)
    }

    /// A canary ignores the route, the backoff and the pace; it respects the manual flag and the hub's
    /// `Retry-After`. Where sync has stopped it is the next try, once that is due: while the route is lost
    /// nothing else is sent that could end the stop.
    ///
    /// - Returns: whether an operation has begun.
    private mutating func sendCanary(at now: Instant, _ effects: inout [OutboxEffect]) -> Bool {
        let isStopped = trouble.stop != nil
        let triesAgain = trouble.emptyPushDue.map { $0 <= now } ?? false
        guard !isManualOffline, !isStopped || triesAgain, !trouble.isServerWait(at: now) else {
            canaryIsDue = false
            effects.append(.finishCanary(good: false))
            return false
        }
        if isStopped {
            canaryIsDue = false
            send(Shipment(ids: [], isCanary: true), at: now, &effects)
            return true
        }
        if window.isStale || (window.hasMore && window.goingRows.isEmpty) {
            load(&effects)
            return true
        }
        canaryIsDue = false
        let oldest = window.goingRows.first { trouble.isFree($0.entry.orderingKey) }
        send(Shipment(ids: oldest.map { [$0.entry.id] } ?? [], isCanary: true), at: now, &effects)
        return true
    }

    private mutating func load(_ effects: inout [OutboxEffect]) {
        let after = window.readAfter
        activity = .loading(fromStart: window.beginReading())
        effects.append(.load(after: after, limit: settings.batchLimit))
    }

    private mutating func send(_ shipment: Shipment, at now: Instant, _ effects: inout [OutboxEffect]) {
        trouble.noteSending(window.entries(shipment.ids), at: now)
        trickleIsDue = false
        activity = .sending(shipment)
        effects.append(.push(ids: shipment.ids))
    }

    /// The pace limits the backlog after a fault, so it ends when the backlog is sent.
    private mutating func forgetPace(at now: Instant) {
        if let pace, window.isDrained, pace.next <= now { self.pace = nil }
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
        let ceiling = linkIsDegraded || trickleIsDue ? settings.degradedBatchLimit : settings.batchLimit
        return max(1, min(batchSize, ceiling, syncedResults == nil ? pace?.batchLimit ?? .max : .max))
    }

    /// The next rows. A row in trouble goes alone, and only where no other can go, or in its turn, so that
    /// many of them do not hold up the others.
    private func nextBatch(at now: Instant) -> Batch {
        let others = nextOthers(at: now)
        guard others.ids.isEmpty ? !window.hasMore : trouble.prefersEntry(at: now) else { return others }
        let inTrouble = window.goingRows.lazy.map(\.entry).filter {
            trouble.isInTrouble($0.orderingKey) && !trouble.isWaiting($0.orderingKey, at: now)
        }
        guard let next = trouble.longestWaiting(of: inTrouble) else { return others }
        return Batch(ids: [next.id], bytes: next.bytes, isClosed: true)
    }

    /// The oldest rows that wait for no attachment and whose ordering keys neither wait nor are in trouble,
    /// up to the limits.
    private func nextOthers(at now: Instant) -> Batch {
        var batch = Batch()
        for row in window.goingRows
        where !trouble.isWaiting(row.entry.orderingKey, at: now)
            && !trouble.isInTrouble(row.entry.orderingKey)
        {
            let fits = batch.count < batchLimit && batch.bytes + row.entry.bytes <= settings.batchBytes
            guard batch.ids.isEmpty || fits else {
                batch.isClosed = true
                return batch
            }
            batch.ids.append(row.entry.id)
            batch.bytes += row.entry.bytes
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
        // An empty push always fits into a small packet.
        if !shipment.ids.isEmpty, largePackets.note(wasLost: outcome.isLost, at: now) {
            effects.append(.measurePath)
        }
        if shipment.isCanary { effects.append(.finishCanary(good: outcome.isServed)) }
        let isOfTerminal = outcome.stopsTerminal
        if !isOfTerminal { window.noteAttempt(of: shipment.ids) }
        switch outcome {
        case .results(let results, let acknowledgedThrough, let missing):
            takeResults(results, of: shipment, acknowledgedThrough, missing, at: now, &effects)
        case .journalForked(let epoch, let headSequence, let headHash, let headOrderNumber):
            forksInARow += 1
            if forksInARow > 1 { waitOnce(at: now, &effects) }
            begin(
                [
                    .adopt(
                        epoch: epoch, headSequence: headSequence, headHash: headHash,
                        headOrderNumber: headOrderNumber)
                ], &effects)
        case .epochSuperseded(let journal):
            trouble.superseded(at: now, using: &generator)
            stopped(.epochSuperseded, &effects)
            if !journal.ends.isEmpty { begin([.keep(journal)], &effects) }
        case .hubTrouble(.cancelled, _): waitOnce(at: now, &effects)
        case .refused where PlantedBug.refusalRemovesRow.isPlanted:
            let gone = shipment.ids.map { PushResult(id: $0, outcome: .applied, document: "{}") }
            begin([.record(gone, acknowledgedThrough: nil)], &effects)
        case .hubTrouble, .refused, .upgradeRequired, .signInNeeded:
            if let failure = PushFailure(outcome) { take(failure, of: shipment, at: now, &effects) }
        }
    }

    /// The hub handled the request: its backoff ends, and each row gets its result. A row without a result
    /// waits like one with the result `retry`.
    private mutating func takeResults(
        _ results: [PushResult], of shipment: Shipment, _ acknowledgedThrough: Int64?, _ missing: [Int64],
        at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        forksInARow = 0
        if !shipment.ids.isEmpty { growBatch() }
        if acknowledgedThrough != nil { checkInIsDue = false }
        let known = matched(results, to: shipment.ids)
        let sent = window.entries(shipment.ids)
        let unsettled = sent.filter { !(known[$0.id]?.outcome.isFinal ?? false) }
        let settled = Set(shipment.ids).subtracting(unsettled.map(\.id))
        let found = trouble.served(
            sent, settled: settled, isForPerson: syncedResults != nil, at: now, using: &generator)
        for row in unsettled {
            trouble.deferred(row, retryAfter: known[row.id]?.outcome.retryAfter, at: now, using: &generator)
        }
        if !unsettled.isEmpty { effects.append(.endWaits(ids: unsettled.map(\.id))) }
        var writes: [OutboxWrite] = []
        if !known.isEmpty || (shipment.ids.isEmpty && acknowledgedThrough != nil) {
            let ordered = shipment.ids.compactMap { known[$0] }
            writes.append(.record(ordered, acknowledgedThrough: acknowledgedThrough))
        }
        let lost = PlantedBug.restoredHubNotNoticed.isPlanted ? [] : window.settled(among: missing)
        if !lost.isEmpty { writes.append(.reopen(lost)) }
        for (id, problem) in found { writes.append(.note(problem: problem, id: id)) }
        begin(writes, &effects)
    }

    /// A response that is no result, or none. A batch is halved, so that the row that gets none is soon sent
    /// alone.
    private mutating func take(
        _ failure: PushFailure, of shipment: Shipment, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        let sent = window.entries(shipment.ids)
        let (window, mayHaveMore) = (window, window.hasMore)
        let finding = trouble.failed(
            failure, of: sent,
            hasOthers: { trouble in
                mayHaveMore || sent.count > 1
                    || window.goingRows.contains { trouble.isFree($0.entry.orderingKey) }
            }, at: now, using: &generator)
        switch finding {
        case .stopped(let stop): stopped(stop, &effects)
        case .route:
            shrinkBatch(to: 1)
            endSync(.hubTrouble, &effects)
            effects.append(.endAllWaits)
        case .undecided, .entry:
            shrinkBatch(to: sent.count / 2)
            effects.append(.endWaits(ids: shipment.ids))
            syncFailures += 1
            if syncFailures >= Self.longestSync { endSync(.keysWaiting, &effects) }
        }
        if case .entry(let problem) = finding, let row = sent.first {
            begin([.note(problem: problem, id: row.id)], &effects)
        }
    }

    /// What failed for the size of its packets is sent again at once when their size changes.
    private mutating func takeMeasurement(
        largePass: Bool?, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        let wereLost = largePackets.areLost
        largePackets.measured(largePass: largePass, at: now)
        guard largePackets.areLost != wereLost else { return }
        effects.append(.useSmallSegments(largePackets.areLost))
        trouble.tryEverything(at: now)
    }

    /// Pushes without a result after which `sync now` reports that keys wait. Halved, one bad row among 200
    /// ends it before the others are sent; doubled, a person waits some ten seconds longer.
    private static let longestSync = 12

    private mutating func stopped(_ stop: DrainStop, _ effects: inout [OutboxEffect]) {
        endSync(.stopped(stop), &effects)
        effects.append(.endAllWaits)
    }

    /// What the failure was is known, and it was nobody's trouble: everything waits on one backoff.
    private mutating func waitOnce(at now: Instant, _ effects: inout [OutboxEffect]) {
        trouble.waitForFork(at: now, using: &generator)
        shrinkBatch(to: 1)
        endSync(.hubTrouble, &effects)
        effects.append(.endAllWaits)
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
        if !window.hasMore { trouble.keep(orderingKeys) }
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
        case .note, .keep: break
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
        syncFailures = 0
        guard !isManualOffline else { return endSync(.manualOffline, &effects) }
        if let until = trouble.serverRetryAfter, now < until {
            return endSync(.serverWait(until: until), &effects)
        }
        pace = nil
        trouble.tryEverything(at: now)
        storeWait.tryAtOnce()
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
        if let stop = trouble.stop, !isManualOffline { return .stopped(stop) }
        switch activity {
        case .loading, .sending, .writing: return .draining
        case .rewriting: return .storeTrouble(until: storeWait.until ?? now)
        case .resting: break
        }
        if isManualOffline { return .manualOffline }
        if storeWait.holds(at: now), let until = storeWait.until { return .storeTrouble(until: until) }
        if routeIsLost { return .routeLost }
        guard let deadline, now < deadline, !window.isDrained else { return .idle }
        return .waiting(until: deadline)
    }

    /// The end of the hub's `Retry-After`, before which nothing is sent for anybody; nil while none is valid.
    public func retryAfterEnds(at now: Instant) -> Instant? {
        trouble.serverRetryAfter.flatMap { now < $0 ? $0 : nil }
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
            let waits = [all, trouble.waitEnds(of: row.entry.orderingKey)].compactMap { $0 }
                .filter { $0 > now }
            return OutboxRowView(
                id: row.entry.id, attempts: row.attempts, nextAttempt: isSending ? nil : waits.max(),
                isSending: isSending)
        }
    }

    /// Whether a row that was just committed can be sent before `instant`, as far as is known now.
    ///
    /// A backoff does not count, since a new sale ends it; the hub's `Retry-After` and its pace do.
    public func maySend(before instant: Instant) -> Bool {
        guard !isManualOffline, !routeIsLost, trouble.stop == nil else { return false }
        let holds = [trouble.serverRetryAfter, pace?.next].compactMap { $0 }
        return holds.allSatisfy { $0 < instant }
    }

    private func deadlineOfAll(at now: Instant) -> Instant? {
        let all = trouble.holdsRows ? trouble.emptyPushDue : trouble.rowsWaitUntil
        return [all, storeWait.until, pace?.next].compactMap { $0 }.max()
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

    /// Whether the hub does not serve this terminal at all; it is no try of the rows that were sent.
    fileprivate var stopsTerminal: Bool {
        switch self {
        case .epochSuperseded, .upgradeRequired, .signInNeeded: true
        case .results, .hubTrouble, .refused, .journalForked: false
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
