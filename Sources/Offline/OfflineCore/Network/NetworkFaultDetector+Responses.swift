import Base

/// Responses and failures of pings, probes and business calls, phase by phase.
extension NetworkFaultDetector {
    mutating func pingFinished(_ tag: ProbeTag, _ result: PingResult, at now: Instant) -> [NetworkEffect] {
        guard probes.counts(tag), isPinging else { return [] }
        switch result {
        case .responded: return pingResponded(tag, at: now)
        case .timedOut: return pingTimedOut(tag, at: now)
        case .unavailable: return pingWasUnavailable(at: now)
        }
    }

    private mutating func pingResponded(_ tag: ProbeTag, at now: Instant) -> [NetworkEffect] {
        let isNews = pings != .responded
        pings = .responded
        switch phase {
        case .reachable(var watch):
            watch.ping = nil
            if isNews { drawSpans(of: &watch) }
            watch.nextPing = now.advanced(by: watch.pingSpan)
            phase = .reachable(watch)
        case .suspect(var suspicion):
            suspicion.step.update { $0.pingEnded(responded: true, sequence: tag.sequence) }
            guard suspicion.endsWithPing, !suspicion.isBackendDown else {
                settle(suspicion, isNew: false, at: now)
                return []
            }
            becomeReachable(trailingProbe: suspicion.step.openHubProbe, at: now)
        case .unreachable, .backendDown, .recovering:
            // Only a response of the hub itself ends an outage.
            break
        }
        return []
    }

    private mutating func pingTimedOut(_ tag: ProbeTag, at now: Instant) -> [NetworkEffect] {
        var effects: [NetworkEffect] = []
        switch phase {
        case .reachable(var watch):
            guard watch.ping == tag.sequence else { return [] }
            watch.ping = nil
            phase = .reachable(watch)
            // Where no echo ever got a response, silence is normal on this path.
            if pings == .responded { openSuspicion(.pingTimedOut, at: now, &effects) }
        case .suspect(var suspicion):
            suspicion.step.update { $0.pingEnded(responded: false, sequence: tag.sequence) }
            if pings == .responded { trail.note(.pingTimedOut) }
            settle(suspicion, isNew: false, at: now)
        case .unreachable, .backendDown, .recovering:
            break
        }
        return effects
    }

    private mutating func pingWasUnavailable(at now: Instant) -> [NetworkEffect] {
        pings = .unavailable
        switch phase {
        case .reachable(var watch):
            watch.ping = nil
            drawSpans(of: &watch)
            watch.nextProbe = min(watch.nextProbe, now.advanced(by: watch.probeSpan))
            phase = .reachable(watch)
        case .suspect(var suspicion):
            suspicion.step.update { $0.stopPinging() }
            settle(suspicion, isNew: false, at: now)
        case .unreachable, .backendDown, .recovering:
            break
        }
        return []
    }

    mutating func hubProbeFinished(
        _ tag: ProbeTag, _ result: ProbeResult, at now: Instant
    ) -> [NetworkEffect] {
        guard probes.counts(tag) else { return [] }
        switch result {
        case .good(let roundTrip):
            noteHubResponse(latency: roundTrip, isWell: true, at: now)
            note(hubTrouble: .none)
            hubProbeResponded(tag, at: now)
            return []
        case .respondedBadly(let status, let roundTrip):
            noteHubResponse(latency: roundTrip, isWell: false, at: now)
            // 429 means too many requests, which is no fault of the hub.
            note(hubTrouble: status == 429 ? .none : .status(status))
            hubProbeResponded(tag, at: now)
            return []
        case .failed(let failure): return hubProbeFailed(tag, .probeFailed(failure), at: now)
        case .portal(let portal): return hubProbeFailed(tag, .probePortal(portal), at: now)
        }
    }

    private mutating func hubProbeResponded(_ tag: ProbeTag, at now: Instant) {
        switch phase {
        case .reachable(let watch): postpone(watch, at: now)
        case .suspect(let suspicion): verifiedWhileSuspect(suspicion, at: now)
        case .unreachable(let outage): hubCameBack(outage, isBackendDown: false, at: now)
        case .backendDown(let outage): hubCameBack(outage, isBackendDown: true, at: now)
        case .recovering(let recovery):
            guard recovery.probe?.sequence == tag.sequence else { return }
            note(probeWasGood: true, in: recovery, at: now)
        }
    }

    private mutating func hubProbeFailed(
        _ tag: ProbeTag, _ evidence: NetworkEvidence, at now: Instant
    ) -> [NetworkEffect] {
        var effects: [NetworkEffect] = []
        // Silence from before the network last became reachable is old: a response came after it.
        guard probes.isFresh(tag) else { return effects }
        switch phase {
        case .reachable: openSuspicion(evidence, at: now, &effects)
        case .suspect(var suspicion):
            guard !suspicion.isVerifying else {
                openSuspicion(
                    evidence, after: suspicion, isBackendDown: suspicion.isBackendDown, at: now, &effects)
                break
            }
            note(evidence, in: &suspicion)
            suspicion.step.update { $0.hubFailed(sequence: tag.sequence) }
            settle(suspicion, isNew: false, at: now)
        case .unreachable(var outage):
            note(failure: evidence)
            outage.step.update { $0.hubFailed(sequence: tag.sequence) }
            settle(unreachable: outage, at: now)
        case .backendDown(var outage):
            note(failure: evidence)
            outage.step.update { $0.hubFailed(sequence: tag.sequence) }
            settle(backendDown: outage, at: now, &effects)
        case .recovering(let recovery):
            guard recovery.probe?.sequence == tag.sequence else { break }
            note(failure: evidence)
            note(probeWasGood: false, in: recovery, at: now)
        }
        return effects
    }

    mutating func internetProbeFinished(
        _ tag: ProbeTag, _ result: ProbeResult, at now: Instant
    ) -> [NetworkEffect] {
        guard probes.counts(tag) else { return [] }
        var effects: [NetworkEffect] = []
        if result.isResponse { signals.lastInternetOk = now }
        switch phase {
        case .suspect(var suspicion):
            suspicion.step.update { $0.internetEnded(responded: result.isResponse, sequence: tag.sequence) }
            settle(suspicion, isNew: false, at: now)
        case .unreachable(var outage):
            outage.step.update { $0.internetEnded(responded: result.isResponse, sequence: tag.sequence) }
            settle(unreachable: outage, at: now)
        case .backendDown(var outage):
            outage.step.update { $0.internetEnded(responded: result.isResponse, sequence: tag.sequence) }
            settle(backendDown: outage, at: now, &effects)
        case .reachable, .recovering:
            break
        }
        return effects
    }

    /// The verified hub responded to a business call. It counts from when its first byte arrived.
    mutating func responseObserved(
        firstByteAt: Instant, latency: Duration, isWell: Bool, at now: Instant
    ) -> [NetworkEffect] {
        guard probes.includes(firstByteAt) else { return [] }
        noteHubResponse(latency: latency, isWell: isWell, at: now)
        switch phase {
        case .reachable(let watch): postpone(watch, at: now)
        case .suspect(let suspicion):
            // Bytes that were buffered when the carrier was lost prove nothing; a probe of this path does.
            if firstByteAt >= suspicion.openedAt, !isPathLost { verifiedWhileSuspect(suspicion, at: now) }
        case .unreachable(let outage):
            if firstByteAt >= outage.since { hubCameBack(outage, isBackendDown: false, at: now) }
        case .backendDown(let outage):
            if firstByteAt >= outage.since { hubCameBack(outage, isBackendDown: true, at: now) }
        case .recovering:
            break
        }
        return []
    }

    /// A business call failed, or stalls.
    mutating func failureObserved(
        _ evidence: NetworkEvidence, startedAt: Instant, at now: Instant
    ) -> [NetworkEffect] {
        guard probes.includes(startedAt) else { return [] }
        var effects: [NetworkEffect] = []
        switch phase {
        case .reachable: openSuspicion(evidence, at: now, &effects)
        case .suspect(var suspicion):
            guard !suspicion.isVerifying else {
                openSuspicion(
                    evidence, after: suspicion, isBackendDown: suspicion.isBackendDown, at: now, &effects)
                break
            }
            note(evidence, in: &suspicion)
            settle(suspicion, isNew: false, at: now)
        case .unreachable, .backendDown, .recovering:
            note(failure: evidence)
        }
        return effects
    }

    private mutating func verifiedWhileSuspect(_ suspicion: Suspicion, at now: Instant) {
        if suspicion.isBackendDown {
            beginRecovery(isBackendDown: true, at: now)
        } else {
            becomeReachable(at: now)
        }
    }

    private mutating func hubCameBack(_ outage: Outage, isBackendDown: Bool, at now: Instant) {
        if outage.isTakenOver {
            becomeReachable(at: now)
        } else {
            beginRecovery(isBackendDown: isBackendDown, at: now)
        }
    }
}
