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

    /// The end of the hub's `Retry-After`, before which nothing is sent whoever asks; nil while none holds.
    public func retryAfterEnds(at now: Instant) -> Instant? {
        hubWait.serverRetryAfter.flatMap { now < $0 ? $0 : nil }
    }

    /// Whether a measurement found that the path loses large packets: rows go one by one then.
    public var losesLargePackets: Bool { largePackets.areLost }

    /// The rows that were read and have no verdict yet, oldest first.
    public func rows(at now: Instant) -> [OutboxRowView] {
        var inFlight: Set<String> = []
        if case .sending(let shipment) = activity { inFlight = Set(shipment.ids) }
        let whole = deadlineOfWhole(at: now)
        return window.rows.map { row in
            let isSending = inFlight.contains(row.entry.id)
            let waits = [whole, keyWaits[row.entry.orderingKey]?.until].compactMap { $0 }.filter { $0 > now }
            return OutboxRowView(
                id: row.entry.id, attempts: row.attempts, nextAttempt: isSending ? nil : waits.max(),
                isSending: isSending)
        }
    }

    /// Whether a row that was just committed could be on its way before `instant`, as far as is known now.
    ///
    /// A backoff does not count, since a new sale ends it; the hub's `Retry-After` and its pace do.
    public func maySend(before instant: Instant) -> Bool {
        guard !isManualOffline, !routeIsLost, halt == nil else { return false }
        let holds = [hubWait.serverRetryAfter, pace?.next].compactMap { $0 }
        return holds.allSatisfy { $0 < instant }
    }

    private func deadlineOfWhole(at now: Instant) -> Instant? {
        [hubWait.until, storeWait.until, pace?.next, halt?.retryAt].compactMap { $0 }.max()
    }
}
