extension ServiceFaultDetector {
    /// Counts an outcome and judges its API; unknown APIs belong to no service and are left to the network.
    mutating func observe(_ outcome: OutcomeClass, of api: APIRoute, at now: Instant) {
        guard let place = places[api] else { return }
        watches[place.service].ledger.note(outcome, networkIsReachable: footing != .lost, at: now)
        switch outcome {
        case .success: judge(place, failed: false, at: now)
        case .service: judge(place, failed: true, at: now)
        case .network, .auth, .throttle, .business, .portal, .cancelled: break
        }
    }

    /// Moves a service between `healthy`, `suspect` and `overruled` as its evidence trips or goes; a fault in
    /// force is not touched by evidence.
    mutating func weighEvidence(of index: Int, at now: Instant) {
        switch watches[index].phase {
        case .healthy:
            guard footing != .lost, isTripped(index, at: now) else { return }
            if let heldUntil = watches[index].heldUntil, now < heldUntil {
                watches[index].enter(.overruled, at: now)
            } else {
                watches[index].enter(
                    .suspect(failedQueries: 0, conviction: now + settings.silenceLimit), at: now)
                watches[index].askAt = now
            }
        case .suspect, .overruled:
            if !isTripped(index, at: now) { watches[index].enter(.healthy, at: now) }
        case .faulty, .leased, .recovering: break
        }
    }

    /// Whether any API of the service trips.
    mutating func isTripped(_ index: Int, at now: Instant) -> Bool {
        for window in windowsOfService[index] where windows[window].isTripped(at: now, settings: settings) {
            return true
        }
        return false
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
