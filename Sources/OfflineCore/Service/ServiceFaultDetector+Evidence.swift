extension ServiceFaultDetector {
    /// Counts an outcome and judges its API; unknown APIs belong to no service and are left to the network.
    ///
    /// - Returns: whether it changed counts at most, so that nothing is due that was not due before.
    mutating func observe(_ outcome: OutcomeClass, of api: APIRoute, at now: Instant) -> Bool {
        guard let place = place(of: api) else { return isCalm }
        let wasCounting = watches[place.service].ledger.isCounting
        watches[place.service].ledger.note(outcome, networkIsReachable: networkReachability != .lost, at: now)
        switch outcome {
        case .success:
            judge(place, failed: false, at: now)
            return wasCounting && isCalm
        case .service: judge(place, failed: true, at: now)
        case .network, .auth, .throttle, .business, .portal, .cancelled: break
        }
        return false
    }

    /// Counts a failure that is the service's, though it looks like the network's.
    mutating func confirm(_ outcome: OutcomeClass, of api: APIRoute, at now: Instant) {
        guard let place = place(of: api) else { return }
        watches[place.service].ledger.noteConfirmed(outcome, at: now)
        judge(place, failed: true, at: now)
    }

    /// Whether every service is healthy, so that evidence ages without being missed.
    private var isCalm: Bool {
        // By index: an element taken out of the array would be copied.
        watches.indices.allSatisfy { watches[$0].isHealthy }
    }

    /// Moves a service between `healthy`, `suspect` and `overruled` as its evidence trips or goes; a fault in
    /// force is not touched by evidence.
    mutating func weighEvidence(of index: Int, at now: Instant) {
        switch watches[index].phase {
        case .healthy:
            guard networkReachability != .lost, isTripped(index, at: now) else { return }
            if let heldUntil = watches[index].heldUntil, now < heldUntil {
                watches[index].enter(.overruled, at: now)
            } else {
                watches[index].enter(
                    .suspect(failedQueries: 0, confirmation: now + settings.silenceLimit), at: now)
                watches[index].askAt = now
            }
        case .suspect, .overruled:
            if !isTripped(index, at: now) { watches[index].enter(.healthy, at: now) }
        case .faulty, .leased, .recovering: break
        }
    }

    /// Whether any API of the service trips.
    mutating func isTripped(_ index: Int, at now: Instant) -> Bool {
        windowsOfService[index].contains { windows[$0].isTripped(at: now, settings: settings) }
    }

    /// Evidence from before a fault's end says nothing of what comes after it.
    mutating func forgetEvidence(of index: Int) {
        for window in windowsOfService[index] { windows[window] = OutcomeWindow() }
        watches[index].heldUntil = nil
    }

    private mutating func judge(_ place: Place, failed: Bool, at now: Instant) {
        windows[place.window].note(failed: failed, at: now, settings: settings)
        weighEvidence(of: place.service, at: now)
    }
}
