extension ServiceFaultDetector {
    /// The longest hold that the hub's `resume.afterMs` may ask for.
    private static let resumeRange: ClosedRange<Duration> = .zero ... .seconds(3_600)

    /// Applies or renews a decision.
    ///
    /// - Returns: whether it is a word to go by; false for an older generation, an overtaken answer, or a
    ///   decision that was over when it was issued.
    mutating func follow(
        _ decision: ServiceDecision, issuer: String?, sentAt: Instant, _ index: Int, at now: Instant,
        _ effects: inout [ServiceEffect]
    ) -> Bool {
        guard decision.validity > .zero else { return false }
        let before = watches[index].word
        var word: AppliedDecision
        switch before?.status(of: decision, issuer: issuer, sentAt: sentAt) ?? .new {
        case .stale: return false
        case .new: word = AppliedDecision(decision, issuer: issuer, sentAt: sentAt)
        case .renewal:
            word = before ?? AppliedDecision(decision, issuer: issuer, sentAt: sentAt)
            word.renew(by: decision, sentAt: sentAt)
        }
        takePace(of: decision, into: &word, before: before, index, &effects)
        watches[index].word = word
        obey(word, isNews: word.state != before?.state, index, at: now)
        return true
    }

    /// Passes a new pace on. `healthy` without a pace ends the hold of `recovering`; its rate stays, since
    /// the whole fleet's backlog comes in by it.
    private func takePace(
        of decision: ServiceDecision, into word: inout AppliedDecision, before: AppliedDecision?, _ index: Int,
        _ effects: inout [ServiceEffect]
    ) {
        var pace = decision.resume.map {
            ResumePace(after: $0.after.clamped(to: Self.resumeRange), ratePerMinute: $0.ratePerMinute)
        }
        // Nil for a new decision, whose pace counts from now.
        let passed = word.resume
        word.resume = pace
        if pace == nil, word.state == .healthy, let held = before?.resume, held.after > .zero {
            pace = ResumePace(after: .zero, ratePerMinute: held.ratePerMinute)
        }
        if let pace, word.state != .faulty, pace != passed {
            effects.append(.paceResume(service: watches[index].service, pace))
        }
    }

    /// Follows the decision that waited for the dwell, once that is over. The network has to be known first.
    mutating func takeWaitingSwitch(_ index: Int, at now: Instant) {
        guard networkReachability == .settled, let moment = watches[index].waitingSwitch, moment <= now,
            let word = watches[index].word
        else { return }
        watches[index].dwell.finish()
        guard word.state != .faulty || now < word.expiresAt else { return }
        obey(word, isNews: true, index, at: now)
    }

    private mutating func obey(_ word: AppliedDecision, isNews: Bool, _ index: Int, at now: Instant) {
        switch (word.state, watches[index].phase) {
        case (.faulty, .healthy), (.faulty, .suspect), (.faulty, .overruled):
            guard maySwitch(by: word, index, at: now) else { return }
            watches[index].enter(.faulty, at: now)
            noteSwitch(isFault: true, index, at: now)
        case (.faulty, .leased), (.faulty, .recovering):
            watches[index].enter(.faulty, at: now)
        case (.faulty, .faulty), (.healthy, .healthy), (.healthy, .overruled), (.recovering, .healthy),
            (.recovering, .overruled):
            break
        case (.healthy, .suspect), (.recovering, .suspect):
            watches[index].enter(.overruled, at: now)
        case (.healthy, .faulty), (.recovering, .faulty):
            if maySwitch(by: word, index, at: now) { beginTrial(index, pacedBy: word, at: now) }
        case (.recovering, .leased): beginTrial(index, pacedBy: word, at: now)
        case (.healthy, .leased): endLocalFault(index, at: now)
        case (.healthy, .recovering(let trial)):
            if trial.isLocal { endLocalFault(index, at: now) } else { endHold(trial, isNews, index, at: now) }
        case (.recovering, .recovering(let trial)):
            if trial.isLocal { beginTrial(index, pacedBy: word, at: now) }
            bringForward(trial, index, by: word, at: now)
        }
    }

    private func maySwitch(by word: AppliedDecision, _ index: Int, at now: Instant) -> Bool {
        word.source == .operator || !watches[index].dwell.holds(at: now)
    }

    /// A switch by QoS was made.
    mutating func noteSwitch(isFault: Bool, _ index: Int, at now: Instant) {
        if watches[index].word?.source == .operator {
            watches[index].dwell.finish()
        } else {
            watches[index].dwell.noteSwitch(isFault: isFault, at: now, settings: settings)
        }
    }

    /// `healthy` ends whatever hold was running: the canaries go at once. A canary that was bad keeps its
    /// wait, unless the decision is news.
    private mutating func endHold(_ trial: CanaryTrial, _ isNews: Bool, _ index: Int, at now: Instant) {
        var sooner = trial
        switch trial.step {
        case .paced: break
        case .due:
            guard isNews else { return }
        case .calling: return
        }
        sooner.step = .due(at: now)
        watches[index].enter(.recovering(sooner), at: now)
    }

    private mutating func beginTrial(_ index: Int, pacedBy word: AppliedDecision, at now: Instant) {
        let start = now + (word.resume?.after ?? .zero)
        let trial = CanaryTrial(
            isLocal: false, remaining: settings.goodCanaries, step: .paced(until: start))
        watches[index].enter(.recovering(trial), at: now)
    }

    /// The hub reckons anew with each answer. A later turn than was told is not taken, or a hub that says the
    /// same hold with every answer would keep this terminal out for ever.
    private mutating func bringForward(
        _ trial: CanaryTrial, _ index: Int, by word: AppliedDecision, at now: Instant
    ) {
        guard !trial.isLocal, case .paced(let until) = trial.step, let pace = word.resume,
            now + pace.after < until
        else { return }
        var sooner = trial
        sooner.step = .paced(until: now + pace.after)
        watches[index].enter(.recovering(sooner), at: now)
    }

    /// QoS answers again and calls the service well: the lease is over, what evidence is left is overruled.
    private mutating func endLocalFault(_ index: Int, at now: Instant) {
        watches[index].enter(isTripped(index, at: now) ? .overruled : .healthy, at: now)
        noteSwitch(isFault: false, index, at: now)
    }
}
