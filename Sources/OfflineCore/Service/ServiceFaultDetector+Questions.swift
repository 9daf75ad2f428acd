extension ServiceFaultDetector {
    /// How much longer than its timeout a call is awaited before it counts as lost on this side.
    private static let grace = Duration.seconds(1)
    /// The range into which the server's `pollAfterMs` is clamped.
    private static let pollRange: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    /// The part of the poll's pace by which it may be late, as 1 in so many: the poll's 20 % of jitter.
    private static let slackDivisor = 5

    /// Asks QoS of every service whose time has come; one question is out at a time.
    mutating func ask(at now: Instant, _ effects: inout [ServiceEffect]) {
        guard question == nil else { return }
        let due = watches.indices.filter { watches[$0].askAt <= now }
        guard !due.isEmpty else { return }
        let tag = nextTag()
        question = Question(tag: tag, asked: due, until: lossTime(of: settings.queryTimeout, at: now))
        effects.append(.queryQoS(tag: tag, services: due.map { watches[$0].service }))
    }

    /// Follows an answer's decisions, whatever it answered. A service that was asked of and has no usable
    /// word in the answer counts as not answered.
    mutating func hear(
        _ answer: QoSAnswer, tag: UInt64, sentAt: Instant, at now: Instant, _ effects: inout [ServiceEffect]
    ) {
        var heard: Set<Int> = []
        for decision in answer.decisions {
            guard let index = indexOfService[decision.service],
                follow(decision, issuer: answer.issuer, sentAt: sentAt, index, at: now, &effects)
            else { continue }
            heard.insert(index)
            pacePoll(index, by: decision.pollAfter, at: now)
        }
        sentReports.removeAll { $0.tag == tag }
        if let asked = question, asked.tag == tag {
            question = nil
            networkReachability = networkReachability == .returned ? .settled : networkReachability
            noteUnanswered(asked.asked.filter { !heard.contains($0) }, at: now)
        }
    }

    mutating func noteSilence(tag: UInt64, at now: Instant) {
        for report in sentReports where report.tag == tag { putBack(report, at: now) }
        sentReports.removeAll { $0.tag == tag }
        if let asked = question, asked.tag == tag {
            question = nil
            networkReachability = networkReachability == .returned ? .settled : networkReachability
            noteUnanswered(asked.asked, at: now)
        }
    }

    /// Gives up on calls whose answer never came back from the driver, so that none can stick.
    mutating func dropLostCalls(at now: Instant) {
        if let question, question.until <= now { noteSilence(tag: question.tag, at: now) }
        for report in sentReports where report.until <= now { noteSilence(tag: report.tag, at: now) }
    }

    func lossTime(of timeout: Duration, at now: Instant) -> Instant { now + timeout + Self.grace }

    /// The server paces the poll; the answer to tripped evidence holds until then.
    private mutating func pacePoll(_ index: Int, by pollAfter: Duration, at now: Instant) {
        let pace = pollAfter.clamped(to: Self.pollRange)
        let next = now + pace
        watches[index].askAt = next
        watches[index].askSlack = pace / Self.slackDivisor
        switch watches[index].phase {
        case .overruled: watches[index].heldUntil = next
        case .healthy, .suspect, .faulty, .leased, .recovering: break
        }
    }

    /// QoS was silent on these services: its silence alone neither makes nor clears a fault, beside tripped
    /// evidence it counts.
    private mutating func noteUnanswered(_ indices: [Int], at now: Instant) {
        guard !indices.isEmpty else { return }
        let nextPoll = now + generator.jittered(settings.pollInterval, perMille: 200)
        for index in indices {
            watches[index].askAt = nextPoll
            switch watches[index].phase {
            case .suspect(let failed, let confirmation):
                suspect(index, failedQueries: failed + 1, confirmation: confirmation, at: now)
            case .overruled:
                suspect(index, failedQueries: 1, confirmation: now + settings.silenceLimit, at: now)
            case .healthy, .faulty, .leased, .recovering: break
            }
        }
    }

    private mutating func suspect(
        _ index: Int, failedQueries: Int, confirmation: Instant, at now: Instant
    ) {
        if failedQueries >= settings.failedQueries {
            watches[index].enter(.leased(until: now + settings.lease), at: now)
        } else {
            watches[index].enter(
                .suspect(failedQueries: failedQueries, confirmation: confirmation), at: now)
            watches[index].askAt = now + settings.queryRetry
        }
    }
}
