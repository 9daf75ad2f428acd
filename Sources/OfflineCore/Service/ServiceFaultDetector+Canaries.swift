extension ServiceFaultDetector {
    /// Moves that time alone makes. A lease, an expired word and canaries wait until QoS was asked first.
    mutating func settle(_ index: Int, at now: Instant) {
        takeWaitingSwitch(index, at: now)
        switch watches[index].phase {
        case .healthy: break
        case .overruled: weighEvidence(of: index, at: now)
        case .suspect(_, let confirmation):
            weighEvidence(of: index, at: now)
            guard case .suspect = watches[index].phase, confirmation <= now else { return }
            watches[index].enter(.leased(until: now + settings.lease), at: now)
        case .faulty: tryAgain(index, isLocal: false, remaining: settings.goodCanaries, at: now)
        case .leased: tryAgain(index, isLocal: true, remaining: 1, at: now)
        case .recovering(let trial):
            guard isDue(index, at: now), case .calling = trial.step else { return }
            endCanary(trial, index, good: false, at: now)
        }
    }

    /// When the phase ends by itself; nil where only an event ends it, or while QoS is to be asked first.
    func phaseDeadline(of watch: ServiceWatch) -> Instant? {
        let waiting = networkReachability == .settled ? watch.waitingSwitch : nil
        return switch watch.phase {
        case .healthy, .overruled: waiting
        case .suspect(_, let end): waiting.map { min($0, end) } ?? end
        case .faulty: networkReachability == .settled ? waiting ?? faultEnd(of: watch) : nil
        case .leased(let until): networkReachability == .settled ? until : nil
        case .recovering(let trial): networkReachability == .settled ? trial.deadline : nil
        }
    }

    /// A fault ends with its decision, and not before the dwell after the switch that began it.
    private func faultEnd(of watch: ServiceWatch) -> Instant {
        let end = watch.word?.expiresAt ?? watch.since
        return watch.dwell.ends.map { max($0, end) } ?? end
    }

    mutating func sendCanary(_ index: Int, at now: Instant, _ effects: inout [ServiceEffect]) {
        guard networkReachability == .settled, case .recovering(var trial) = watches[index].phase else { return }
        switch trial.step {
        case .paced(let due), .due(let due):
            guard due <= now else { return }
            let tag = nextTag()
            trial.step = .calling(tag: tag, until: now + settings.canaryTimeout)
            watches[index].enter(.recovering(trial), at: now)
            effects.append(.sendCanary(tag: tag, service: watches[index].service))
        case .calling: break
        }
    }

    /// Takes the answer of the canary that is out; one that was given up before changes nothing.
    mutating func finishCanary(of service: String, tag: UInt64, good: Bool, at now: Instant) {
        guard let index = indexOfService[service], case .recovering(let trial) = watches[index].phase,
            case .calling(tag, _) = trial.step
        else { return }
        endCanary(trial, index, good: good, at: now)
    }

    private func isDue(_ index: Int, at now: Instant) -> Bool {
        phaseDeadline(of: watches[index]).map { $0 <= now } ?? false
    }

    /// A fault whose time is up is tried by canaries.
    private mutating func tryAgain(_ index: Int, isLocal: Bool, remaining: Int, at now: Instant) {
        guard isDue(index, at: now) else { return }
        let trial = CanaryTrial(isLocal: isLocal, remaining: remaining, step: .due(at: now))
        watches[index].enter(.recovering(trial), at: now)
    }

    private mutating func endCanary(_ trial: CanaryTrial, _ index: Int, good: Bool, at now: Instant) {
        guard good else { return failTrial(trial, index, at: now) }
        guard trial.remaining > 1 else {
            forgetEvidence(of: index)
            watches[index].enter(.healthy, at: now)
            if !trial.isLocal { noteSwitch(isFault: false, index, at: now) }
            return
        }
        let next = CanaryTrial(isLocal: trial.isLocal, remaining: trial.remaining - 1, step: .due(at: now))
        watches[index].enter(.recovering(next), at: now)
    }

    /// A bad canary renews a lease; a fault of QoS is tried again at the poll's pace, from the first canary
    /// on.
    private mutating func failTrial(_ trial: CanaryTrial, _ index: Int, at now: Instant) {
        guard !trial.isLocal else {
            watches[index].enter(.leased(until: now + settings.lease), at: now)
            return
        }
        let retry = now + generator.jittered(settings.pollInterval, perMille: 200)
        let again = CanaryTrial(
            isLocal: false, remaining: settings.goodCanaries, step: .due(at: retry))
        watches[index].enter(.recovering(again), at: now)
    }
}
