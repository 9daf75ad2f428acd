extension ServiceFaultDetector {
    /// The longest hold that the hub's `resume.afterMs` may ask for.
    private static let resumeRange: ClosedRange<Duration> = .zero ... .seconds(3_600)

    /// Applies or renews a decision.
    ///
    /// - Returns: whether it is a word to go by; false for an older generation or an overtaken answer.
    mutating func follow(
        _ decision: ServiceDecision, issuer: String?, sentAt: Instant, _ index: Int, at now: Instant,
        _ effects: inout [ServiceEffect]
    ) -> Bool {
        var word: FollowedWord
        switch watches[index].word?.standing(of: decision, issuer: issuer, sentAt: sentAt) ?? .new {
        case .stale: return false
        case .new: word = FollowedWord(decision, issuer: issuer, sentAt: sentAt)
        case .renewal:
            word = watches[index].word ?? FollowedWord(decision, issuer: issuer, sentAt: sentAt)
            word.renew(by: decision, sentAt: sentAt)
        }
        let pace = decision.resume.map {
            ResumePace(after: $0.after.clamped(to: Self.resumeRange), ratePerMinute: $0.ratePerMinute)
        }
        if let pace, word.state != .faulty, pace != word.resume {
            effects.append(.paceResume(service: watches[index].service, pace))
        }
        word.resume = pace
        watches[index].word = word
        obey(word, index, at: now)
        return true
    }

    private mutating func obey(_ word: FollowedWord, _ index: Int, at now: Instant) {
        switch (word.state, watches[index].phase) {
        case (.faulty, .healthy), (.faulty, .suspect), (.faulty, .overruled), (.faulty, .leased),
            (.faulty, .recovering):
            watches[index].enter(.faulty, at: now)
        case (.faulty, .faulty), (.healthy, .healthy), (.healthy, .overruled), (.recovering, .healthy),
            (.recovering, .overruled):
            break
        case (.healthy, .suspect), (.recovering, .suspect):
            watches[index].enter(.overruled, at: now)
        case (.healthy, .faulty), (.recovering, .faulty), (.recovering, .leased):
            beginTrial(index, pacedBy: word, at: now)
        case (.healthy, .leased): endLocalFault(index, at: now)
        case (.healthy, .recovering(let trial)):
            if trial.isLocal { endLocalFault(index, at: now) }
        case (.recovering, .recovering(let trial)):
            if trial.isLocal { beginTrial(index, pacedBy: word, at: now) }
            bringForward(trial, index, by: word, at: now)
        }
    }

    private mutating func beginTrial(_ index: Int, pacedBy word: FollowedWord, at now: Instant) {
        let start = now + (word.resume?.after ?? .zero)
        let trial = CanaryTrial(
            isLocal: false, remaining: settings.goodCanaries, step: .paced(until: start))
        watches[index].enter(.recovering(trial), at: now)
    }

    /// The hub reckons anew with each answer. A later turn than was told is not taken, or a hub that says the
    /// same hold with every answer would keep this terminal out for ever.
    private mutating func bringForward(
        _ trial: CanaryTrial, _ index: Int, by word: FollowedWord, at now: Instant
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
    }
}
