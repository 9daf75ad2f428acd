extension OutboxMachine {
    mutating func finishSending(
        _ outcome: PushOutcome, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        guard case .sending(let shipment) = activity else { return }
        activity = .resting
        if largePackets.notePush(wasLost: outcome.isLost, at: now) { effects.append(.measurePath) }
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
        case .journalForked(let epoch, let headSequence, _, let headOrderNumber):
            window.noteAttempt(of: shipment.ids)
            forksInARow += 1
            if forksInARow > 1 { holdBack(retryAfter: nil, at: now, &effects) }
            begin(
                [.adopt(epoch: epoch, headSequence: headSequence, headOrderNumber: headOrderNumber)],
                &effects)
        case .epochSuperseded: halt(.epochSuperseded, retryAt: nil, &effects)
        case .upgradeRequired: halt(.upgradeRequired, retryAt: nil, &effects)
        case .signInNeeded(let code):
            halt(.signInNeeded(code: code), retryAt: now + settings.signInRetry, &effects)
        }
    }

    /// The hub took the request: its backoff ends, and each row gets what the hub said of it. A row without a
    /// result has no verdict and waits like one to be tried again.
    private mutating func takeResults(
        _ results: [PushResult], of shipment: Shipment, _ acknowledgedThrough: Int64?, _ missing: [Int64],
        at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        endHubTrouble()
        forksInARow = 0
        if !shipment.ids.isEmpty { growBatch() }
        if acknowledgedThrough != nil { checkInIsDue = false }
        let known = matched(results, to: shipment.ids)
        let unsettled = shipment.ids.filter { !(known[$0]?.outcome.isVerdict ?? false) }
        freeKeys(of: shipment.ids.filter { known[$0]?.outcome.isVerdict ?? false })
        for id in unsettled { holdKey(of: id, retryAfter: known[id]?.outcome.retryAfter, at: now) }
        if !unsettled.isEmpty { effects.append(.endWaits(ids: unsettled)) }
        var writes: [OutboxWrite] = []
        if !known.isEmpty || (shipment.ids.isEmpty && acknowledgedThrough != nil) {
            let ordered = shipment.ids.compactMap { known[$0] }
            writes.append(.record(ordered, acknowledgedThrough: acknowledgedThrough))
        }
        let lost = window.answered(among: missing)
        if !lost.isEmpty { writes.append(.reopen(lost)) }
        begin(writes, &effects)
    }

    private mutating func endHubTrouble() {
        hubWait.reset()
        hasTriedForResponse = false
    }

    /// The hub's trouble: everything waits on one backoff, and the next request is a small one.
    private mutating func holdBack(
        retryAfter: Duration?, at now: Instant, _ effects: inout [OutboxEffect]
    ) {
        hubWait.fail(retryAfter: retryAfter, at: now, using: &generator)
        lastTrouble = now
        shrinkBatch(to: 1)
        endSync(.hubTrouble, &effects)
        effects.append(.endAllWaits)
    }

    /// A batch is halved until the row that the hub objects to stands alone; then its lane waits.
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

    /// A verdict ends its lane's trouble.
    private mutating func freeKeys(of ids: [String]) {
        guard !keyWaits.isEmpty else { return }
        let settled = Set(ids)
        for row in window.rows where settled.contains(row.entry.id) { keyWaits[row.entry.orderingKey] = nil }
    }

    /// The hub's results by id, the first of each, strangers left out.
    private func matched(_ results: [PushResult], to ids: [String]) -> [String: PushResult] {
        let sent = Set(ids)
        return Dictionary(results.filter { sent.contains($0.id) }.map { ($0.id, $0) }) { first, _ in first }
    }
}

extension PushOutcome {
    /// Whether the request went out and nothing came back.
    fileprivate var isLost: Bool {
        switch self {
        case .hubTrouble(let outcome, _): outcome.isLost
        case .results, .refused, .journalForked, .epochSuperseded, .upgradeRequired, .signInNeeded: false
        }
    }

    /// Whether the hub answered as the contract says, so that a canary was good.
    var isServed: Bool {
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
