extension OutboxMachine {
    mutating func finishLoading(_ entries: [OutboxEntry], reachedEnd: Bool) {
        guard case .loading(let fromStart) = activity else { return }
        activity = .resting
        storeWait.reset()
        window.take(entries, reachedEnd: reachedEnd, fromStart: fromStart)
        guard fromStart else { return }
        let orderingKeys = Set(window.rows.map(\.entry.orderingKey))
        if !window.hasMore { keyWaits = keyWaits.filter { orderingKeys.contains($0.key) } }
    }

    /// Takes writes up, one after the other.
    mutating func begin(_ writes: [OutboxWrite], _ effects: inout [OutboxEffect]) {
        guard let first = writes.first else { return }
        activity = .writing(first, then: Array(writes.dropFirst()))
        effects.append(.write(first))
    }

    /// Only now that it is durable is anything announced or taken out.
    mutating func finishWriting(_ effects: inout [OutboxEffect]) {
        guard case .writing(let write, let rest) = activity else { return }
        activity = .resting
        storeWait.reset()
        switch write {
        case .record(let results, _): settle(results.filter(\.outcome.isVerdict), &effects)
        case .reopen, .adopt: window.invalidate()
        case .note: break
        }
        begin(rest, &effects)
    }

    /// Nothing is lost: a read is done again, an answer is kept and written again, a push was not sent.
    mutating func failStore(at now: Instant, _ effects: inout [OutboxEffect]) {
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
        if canaryIsWanted {
            canaryIsWanted = false
            effects.append(.finishCanary(good: false))
        }
        storeWait.fail(at: now, using: &generator)
        endSync(.storeTrouble, &effects)
        effects.append(.endAllWaits)
    }

    private mutating func settle(_ verdicts: [PushResult], _ effects: inout [OutboxEffect]) {
        guard !verdicts.isEmpty else { return }
        window.remove(Set(verdicts.map(\.id)))
        if let count = syncedVerdicts { syncedVerdicts = count + verdicts.count }
        effects.append(.announceVerdicts(verdicts))
    }
}
