extension OutboxMachine {
    /// Takes up the next thing if the hands are free and nothing stands against it. Harmless to repeat.
    mutating func proceed(at now: Instant, _ effects: inout [OutboxEffect]) {
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
        if canaryIsWanted { return sendCanary(at: now, &effects) }
        guard mayDrain(at: now) else { return }
        drain(at: now, &effects)
    }

    /// Whether rows must be read before the machine can tell what goes next.
    var mustRead: Bool { window.isStale || (window.hasMore && !hasFreeRow) }

    /// When the first lane in trouble may go on; nil when a row is free to go or there is none.
    var earliestKeyEnd: Instant? {
        guard !hasFreeRow else { return nil }
        return window.goingRows.compactMap { keyWaits[$0.entry.orderingKey]?.until }.min()
    }

    /// While a pace holds over an empty outbox, when it is to be forgotten.
    var paceEnd: Instant? { window.isDrained ? pace?.next : nil }

    private var hasFreeRow: Bool {
        window.goingRows.contains { keyWaits[$0.entry.orderingKey]?.until == nil }
    }

    private func mayDrain(at now: Instant) -> Bool {
        guard !isManualOffline, halt == nil, !storeWait.holds(at: now), !hubWait.holds(at: now) else {
            return false
        }
        if syncedVerdicts != nil { return true }
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

    /// A canary goes past the route, the backoff and the pace, not past a person's word or the hub's.
    private mutating func sendCanary(at now: Instant, _ effects: inout [OutboxEffect]) {
        guard !isManualOffline, halt == nil, !hubWait.isServerWait(at: now) else {
            canaryIsWanted = false
            effects.append(.finishCanary(good: false))
            return
        }
        if window.isStale || (window.hasMore && window.goingRows.isEmpty) { return load(&effects) }
        canaryIsWanted = false
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

    /// The pace was for the backlog of a fault: it ends with it.
    private mutating func forgetPace(at now: Instant) {
        if let pace, window.isDrained, pace.next <= now { self.pace = nil }
    }

    func isWaiting(_ orderingKey: String, at now: Instant) -> Bool { keyWaits[orderingKey]?.holds(at: now) ?? false }
}
