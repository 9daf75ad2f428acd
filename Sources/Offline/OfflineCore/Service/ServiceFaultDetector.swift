public import Base

/// Decides which of the hub's services are faulty.
///
/// Outcomes of listed APIs are evidence. When evidence trips, the terminal queries QoS, and QoS decides: the
/// decision has priority over what this terminal observes. Only tripped evidence together with the silence of
/// QoS causes a local fault, a lease that ends. A fault ends after good canary calls. Nothing starts unless
/// the network is reachable. An event changes the state, and ``advance(to:)`` then makes every transition
/// that is due.
public struct ServiceFaultDetector: Machine, Hashable, Codable, Sendable {
    var settings: ServiceSettings
    private var generator: SplitMix64
    // Tests set up a phase through the properties that are not private.
    var networkReachability = NetworkReachability.lost
    /// By service name.
    var watches: [ServiceWatch]
    let indexOfService: [String: Int]
    /// Where the outcomes of each known route are counted.
    let places: [APIRoute: Place]
    /// The place found last: a till calls one API most of the time.
    private var lastFound: Found?
    /// Per index of `watches`, the indices of its windows.
    let windowsOfService: [[Int]]
    /// One per API; aliases share theirs.
    var windows: [OutcomeWindow] = []
    var query: Query?
    private var sentReports: [SentReport] = []
    private var lastTag: UInt64 = 0
    /// When the detector must be woken next; nil while nothing is due, as while the network is lost.
    public private(set) var deadline: Instant?
    /// One per known service, by name.
    public private(set) var statuses: [ServiceStatus]
    /// Counts the changes of ``statuses``.
    private(set) var revision: UInt64 = 0

    /// The service of an API, an index of `watches`, and its window, an index of `windows`.
    struct Place: Hashable, Codable, Sendable {
        let service: Int
        let window: Int
    }

    private struct Found: Hashable, Codable, Sendable {
        let api: APIRoute
        let place: Place
    }

    /// What the state of the network allows the detector to do.
    enum NetworkReachability: Hashable, Codable, Sendable {
        /// Nothing starts. Leaves to `returned`.
        case lost
        /// QoS is queried first. Leaves to `settled` by its response or its silence, to `lost`.
        case returned
        /// Leaves to `lost`.
        case settled
    }

    /// A pending query; it failed when no response came by `until`.
    struct Query: Hashable, Codable, Sendable {
        let tag: UInt64
        let queried: [Int]
        let until: Instant
    }

    /// A pending report, with the counts to put back if it fails.
    private struct SentReport: Hashable, Codable, Sendable {
        let tag: UInt64
        let taken: [Int: ReportLedger]
        let until: Instant
    }

    /// - Parameters:
    ///   - seed: of the jitter; the same seed and events give the same effects.
    ///   - now: when watching began; the network counts as lost until `networkBecameReachable`.
    public init(settings: ServiceSettings, apis: CoreAPIs, seed: UInt64, at now: Instant) {
        self.settings = settings
        generator = SplitMix64(seed: seed)
        let services = apis.allServices
        watches = services.map { ServiceWatch(service: $0, isCore: apis.core.contains($0), at: now) }
        statuses = watches.map(\.status)
        let indexOfService = Dictionary(uniqueKeysWithValues: zip(services, services.indices))
        self.indexOfService = indexOfService
        var windowOfAPI: [APIRoute: Int] = [:]
        var places: [APIRoute: Place] = [:]
        for (route, service) in apis.services.sorted(by: { $0.key.description < $1.key.description }) {
            guard let index = indexOfService[service] else { continue }
            let window = windowOfAPI[apis.canonical(route), default: windowOfAPI.count]
            windowOfAPI[apis.canonical(route)] = window
            places[route] = Place(service: index, window: window)
        }
        self.places = places
        windowsOfService = services.indices.map { index in
            Set(places.values.filter { $0.service == index }.map(\.window)).sorted()
        }
        windows = Array(repeating: OutcomeWindow(), count: windowOfAPI.count)
    }

    /// Applies one event, makes every transition that is due, and returns the effects in order.
    public mutating func handle(_ event: ServiceEvent, at now: Instant) -> [ServiceEffect] {
        var effects: [ServiceEffect] = []
        switch event {
        case .outcomeObserved(let api, let outcome):
            let isRoutine = observe(outcome, of: api, at: now)
            if isRoutine, !isDue(at: now) { return [] }
        case .failureConfirmed(let api, let outcome): confirm(outcome, of: api, at: now)
        case .networkBecameReachable: regainNetwork(at: now)
        case .networkLost: loseNetwork(at: now)
        case .qosResponded(let response, let tag, let sentAt):
            handleResponse(response, tag: tag, sentAt: sentAt, at: now, &effects)
        case .qosFailed(let tag): handleSilence(tag: tag, at: now)
        case .canaryFinished(let service, let tag, let good):
            finishCanary(of: service, tag: tag, good: good, at: now)
        case .retryRequested: retryNow(at: now)
        case .deadlineReached: break
        }
        advance(to: now, &effects)
        deadline = computedDeadline
        showStatuses()
        return effects
    }

    private func isDue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }

    private var computedDeadline: Instant? {
        guard networkReachability != .lost else { return nil }
        var earliest = query?.until ?? watches.lazy.map(\.queryBy).min()
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            earliest = earliest.map { min($0, instant) } ?? instant
        }
        for report in sentReports { consider(report.until) }
        for watch in watches {
            consider(watch.ledger.due(settings))
            consider(phaseDeadline(of: watch))
        }
        return earliest
    }

    private mutating func showStatuses() {
        let next = watches.map(\.status)
        guard next != statuses else { return }
        statuses = next
        revision += 1
    }

    /// Whether the fault of a core service is in force: the `service` cause.
    public var causeHolds: Bool { watches.contains { $0.isCore && $0.phase.isFault } }

    /// Whether calls of `service` must be handled locally. False for an unknown service.
    public func isFaulty(_ service: String) -> Bool {
        indexOfService[service].map { watches[$0].phase.isFault } ?? false
    }

    /// Where the outcomes of `api` are counted; nil for an API that belongs to no service.
    private mutating func place(of api: APIRoute) -> Place? {
        if let lastFound, lastFound.api == api { return lastFound.place }
        guard let place = places[api] else { return nil }
        lastFound = Found(api: api, place: place)
        return place
    }

    /// The core service that `api` belongs to; nil where it belongs to none.
    mutating func coreService(of api: APIRoute) -> String? {
        guard let place = place(of: api), watches[place.service].isCore else { return nil }
        return watches[place.service].service
    }

    private mutating func nextTag() -> UInt64 {
        lastTag += 1
        return lastTag
    }

    /// Makes every transition that is due at `now`. Harmless to repeat.
    private mutating func advance(to now: Instant, _ effects: inout [ServiceEffect]) {
        guard networkReachability != .lost else { return }
        dropLostCalls(at: now)
        for index in watches.indices { settle(index, at: now) }
        queryQoS(at: now, &effects)
        report(at: now, &effects)
        for index in watches.indices { sendCanary(index, at: now, &effects) }
    }
}

// MARK: Evidence

extension ServiceFaultDetector {
    /// Counts an outcome for its API; unknown APIs belong to no service and concern the network only.
    ///
    /// - Returns: whether it changed only counts, so that nothing new is due.
    private mutating func observe(_ outcome: OutcomeClass, of api: APIRoute, at now: Instant) -> Bool {
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

    /// Counts a failure of the service that looks like one of the network.
    private mutating func confirm(_ outcome: OutcomeClass, of api: APIRoute, at now: Instant) {
        guard let place = place(of: api) else { return }
        watches[place.service].ledger.noteConfirmed(outcome, at: now)
        judge(place, failed: true, at: now)
    }

    /// Whether every service is healthy, so that evidence may age unobserved.
    private var isCalm: Bool {
        // By index: an element taken out of the array would be copied.
        watches.indices.allSatisfy { watches[$0].isHealthy }
    }

    /// Moves a service between `healthy`, `suspect` and `overruled` as its evidence trips or ends; evidence
    /// does not change a fault in force.
    private mutating func weighEvidence(of index: Int, at now: Instant) {
        switch watches[index].phase {
        case .healthy:
            guard networkReachability != .lost, isTripped(index, at: now) else { return }
            if let heldUntil = watches[index].heldUntil, now < heldUntil {
                watches[index].enter(.overruled, at: now)
            } else {
                watches[index].enter(
                    .suspect(failedQueries: 0, confirmation: now + settings.silenceLimit), at: now)
                watches[index].queryAt = now
            }
        case .suspect, .overruled:
            if !isTripped(index, at: now) { watches[index].enter(.healthy, at: now) }
        case .faulty, .leased, .recovering: break
        }
    }

    /// Whether any API of the service trips.
    private mutating func isTripped(_ index: Int, at now: Instant) -> Bool {
        windowsOfService[index].contains { windows[$0].isTripped(at: now, settings: settings) }
    }

    /// Evidence from before a fault's end does not count after it.
    private mutating func forgetEvidence(of index: Int) {
        for window in windowsOfService[index] { windows[window] = OutcomeWindow() }
        watches[index].heldUntil = nil
    }

    private mutating func judge(_ place: Place, failed: Bool, at now: Instant) {
        windows[place.window].note(failed: failed, at: now, settings: settings)
        weighEvidence(of: place.service, at: now)
    }
}

// MARK: Network

extension ServiceFaultDetector {
    /// Queries QoS first. Tripped evidence waits for QoS again, since QoS could not respond meanwhile.
    private mutating func regainNetwork(at now: Instant) {
        guard networkReachability == .lost else { return }
        networkReachability = .returned
        for index in watches.indices {
            watches[index].queryAt = now
            watches[index].ledger.dropStale(at: now, settings)
            switch watches[index].phase {
            case .suspect:
                let confirmation = now + settings.silenceLimit
                watches[index].enter(.suspect(failedQueries: 0, confirmation: confirmation), at: now)
            case .healthy, .overruled, .faulty, .leased, .recovering: break
            }
            weighEvidence(of: index, at: now)
        }
    }

    /// Stops queries, canaries and leases. Pending ones are dropped, because the network would cause their
    /// failure.
    private mutating func loseNetwork(at now: Instant) {
        networkReachability = .lost
        query = nil
        for report in sentReports { putBack(report, at: now) }
        sentReports = []
        for index in watches.indices {
            switch watches[index].phase {
            case .recovering(var trial):
                guard case .calling = trial.step else { break }
                trial.step = .due(at: now)
                watches[index].enter(.recovering(trial), at: now)
            case .healthy, .suspect, .overruled, .faulty, .leased: break
            }
        }
    }

    /// A person's retry: queries QoS, ends leases and sends waiting canaries, but keeps the hub's pace.
    private mutating func retryNow(at now: Instant) {
        guard networkReachability != .lost else { return }
        for index in watches.indices {
            watches[index].queryAt = now
            switch watches[index].phase {
            case .leased: watches[index].enter(.leased(until: now), at: now)
            case .recovering(var trial):
                guard case .due = trial.step else { break }
                trial.step = .due(at: now)
                watches[index].enter(.recovering(trial), at: now)
            case .healthy, .suspect, .overruled, .faulty: break
            }
        }
    }
}

// MARK: Queries to QoS

extension ServiceFaultDetector {
    /// How much longer than its timeout a call may take before its result counts as lost.
    private static let grace = Duration.seconds(1)
    /// The range into which the server's `pollAfterMs` is clamped.
    static let pollRange: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    /// A poll may be late by this part of its interval: a fifth, like the poll's 20 % of jitter.
    private static let slackDivisor = 5

    /// Queries QoS about every service that is due; one query is pending at a time.
    private mutating func queryQoS(at now: Instant, _ effects: inout [ServiceEffect]) {
        guard query == nil else { return }
        let due = watches.indices.filter { watches[$0].queryAt <= now }
        guard !due.isEmpty else { return }
        let tag = nextTag()
        query = Query(tag: tag, queried: due, until: lossTime(of: settings.queryTimeout, at: now))
        effects.append(.queryQoS(tag: tag, services: due.map { watches[$0].service }))
    }

    /// Applies the decisions of a response to a query or a report. A queried service without a usable
    /// decision in the response counts as unanswered.
    private mutating func handleResponse(
        _ response: QoSResponse, tag: UInt64, sentAt: Instant, at now: Instant,
        _ effects: inout [ServiceEffect]
    ) {
        var responded: Set<Int> = []
        for decision in response.decisions {
            guard let index = indexOfService[decision.service],
                follow(decision, issuer: response.issuer, sentAt: sentAt, index, at: now, &effects)
            else { continue }
            responded.insert(index)
            pacePoll(index, by: decision.pollAfter, at: now)
        }
        sentReports.removeAll { $0.tag == tag }
        if let queried = query, queried.tag == tag {
            query = nil
            networkReachability = networkReachability == .returned ? .settled : networkReachability
            noteMissingResponses(queried.queried.filter { !responded.contains($0) }, at: now)
        }
    }

    private mutating func handleSilence(tag: UInt64, at now: Instant) {
        for report in sentReports where report.tag == tag { putBack(report, at: now) }
        sentReports.removeAll { $0.tag == tag }
        if let queried = query, queried.tag == tag {
            query = nil
            networkReachability = networkReachability == .returned ? .settled : networkReachability
            noteMissingResponses(queried.queried, at: now)
        }
    }

    /// Drops calls whose result the driver never delivered, so that none is pending forever.
    private mutating func dropLostCalls(at now: Instant) {
        if let query, query.until <= now { handleSilence(tag: query.tag, at: now) }
        for report in sentReports where report.until <= now { handleSilence(tag: report.tag, at: now) }
    }

    private func lossTime(of timeout: Duration, at now: Instant) -> Instant { now + timeout + Self.grace }

    /// The server sets the time of the next poll; its decision on tripped evidence is valid until then.
    private mutating func pacePoll(_ index: Int, by pollAfter: Duration, at now: Instant) {
        let pace = pollAfter.clamped(to: Self.pollRange)
        let next = now + pace
        watches[index].queryAt = next
        watches[index].querySlack = pace / Self.slackDivisor
        switch watches[index].phase {
        case .overruled: watches[index].heldUntil = next
        case .healthy, .suspect, .faulty, .leased, .recovering: break
        }
    }

    /// QoS sent no decision on these services. Its silence alone neither causes nor ends a fault; together
    /// with tripped evidence it counts.
    private mutating func noteMissingResponses(_ indices: [Int], at now: Instant) {
        guard !indices.isEmpty else { return }
        let nextPoll = now + generator.jittered(settings.pollInterval, perMille: 200)
        for index in indices {
            watches[index].queryAt = nextPoll
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
            watches[index].queryAt = now + settings.queryRetry
        }
    }
}

// MARK: Decisions of QoS

extension ServiceFaultDetector {
    /// The range into which the hub's `resume.afterMs` is clamped: at most an hour, as for `Retry-After`.
    static let resumeRange: ClosedRange<Duration> = .zero ... .seconds(3_600)

    /// Applies or renews a decision.
    ///
    /// - Returns: whether the decision is usable; false for an older generation, an overtaken response, or a
    ///   decision that had expired when it was issued.
    private mutating func follow(
        _ decision: ServiceDecision, issuer: String?, sentAt: Instant, _ index: Int, at now: Instant,
        _ effects: inout [ServiceEffect]
    ) -> Bool {
        guard decision.validity > .zero else { return false }
        let before = watches[index].applied
        var applied: AppliedDecision
        switch before?.freshness(of: decision, issuer: issuer, sentAt: sentAt) ?? .new {
        case .stale: return false
        case .new: applied = AppliedDecision(decision, issuer: issuer, sentAt: sentAt)
        case .renewal:
            applied = before ?? AppliedDecision(decision, issuer: issuer, sentAt: sentAt)
            applied.renew(by: decision, sentAt: sentAt)
        }
        takePace(of: decision, into: &applied, before: before, index, &effects)
        watches[index].applied = applied
        apply(applied, isNews: applied.state != before?.state, index, at: now)
        return true
    }

    /// Passes a new pace on. `healthy` without a pace ends the hold of `recovering`; its rate stays, because
    /// it limits the backlog of all terminals.
    private func takePace(
        of decision: ServiceDecision, into applied: inout AppliedDecision, before: AppliedDecision?,
        _ index: Int,
        _ effects: inout [ServiceEffect]
    ) {
        var pace = decision.resume.map {
            ResumePace(after: $0.after.clamped(to: Self.resumeRange), ratePerMinute: $0.ratePerMinute)
        }
        // Nil for a new decision, whose pace counts from now.
        let passed = applied.resume
        applied.resume = pace
        if pace == nil, applied.state == .healthy, let held = before?.resume, held.after > .zero {
            pace = ResumePace(after: .zero, ratePerMinute: held.ratePerMinute)
        }
        if let pace, applied.state != .faulty, pace != passed {
            effects.append(
                .paceResume(service: watches[index].service, pace.ending(within: decision.validity)))
        }
    }

    /// Applies the decision that waited for the dwell, once that is over. The network must be settled first.
    private mutating func takeWaitingSwitch(_ index: Int, at now: Instant) {
        guard networkReachability == .settled, let moment = watches[index].waitingSwitch, moment <= now,
            let applied = watches[index].applied
        else { return }
        watches[index].dwell.finish()
        guard applied.state != .faulty || now < applied.expiresAt else { return }
        apply(applied, isNews: true, index, at: now)
    }

    private mutating func apply(_ applied: AppliedDecision, isNews: Bool, _ index: Int, at now: Instant) {
        switch (applied.state, watches[index].phase) {
        case (.faulty, .healthy), (.faulty, .suspect), (.faulty, .overruled):
            guard maySwitch(by: applied, index, at: now) else { return }
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
            if maySwitch(by: applied, index, at: now) { beginTrial(index, pacedBy: applied, at: now) }
        case (.recovering, .leased): beginTrial(index, pacedBy: applied, at: now)
        case (.healthy, .leased): endLocalFault(index, at: now)
        case (.healthy, .recovering(let trial)):
            if trial.isLocal { endLocalFault(index, at: now) } else { endHold(trial, isNews, index, at: now) }
        case (.recovering, .recovering(let trial)):
            if trial.isLocal { beginTrial(index, pacedBy: applied, at: now) }
            bringForward(trial, index, by: applied, at: now)
        }
    }

    private func maySwitch(by applied: AppliedDecision, _ index: Int, at now: Instant) -> Bool {
        applied.source == .operator || !watches[index].dwell.holds(at: now)
    }

    /// Records a switch that QoS caused.
    private mutating func noteSwitch(isFault: Bool, _ index: Int, at now: Instant) {
        if watches[index].applied?.source == .operator {
            watches[index].dwell.finish()
        } else {
            watches[index].dwell.noteSwitch(isFault: isFault, at: now, settings: settings)
        }
    }

    /// `healthy` ends the hold: the canaries are sent at once. After a bad canary the wait stays, unless the
    /// decision is a new one.
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

    private mutating func beginTrial(_ index: Int, pacedBy applied: AppliedDecision, at now: Instant) {
        let start = now + (applied.resume?.after ?? .zero)
        let trial = CanaryTrial(
            isLocal: false, remaining: settings.goodCanaries, step: .paced(until: start))
        watches[index].enter(.recovering(trial), at: now)
    }

    /// The hub computes the hold again for each response. A later start than the present one is ignored, or a
    /// hub that sends the same hold with every response would stop this terminal forever.
    private mutating func bringForward(
        _ trial: CanaryTrial, _ index: Int, by applied: AppliedDecision, at now: Instant
    ) {
        guard !trial.isLocal, case .paced(let until) = trial.step, let pace = applied.resume,
            now + pace.after < until
        else { return }
        var sooner = trial
        sooner.step = .paced(until: now + pace.after)
        watches[index].enter(.recovering(sooner), at: now)
    }

    /// QoS responds again and the service is healthy: the lease is over, remaining evidence is overruled.
    private mutating func endLocalFault(_ index: Int, at now: Instant) {
        watches[index].enter(isTripped(index, at: now) ? .overruled : .healthy, at: now)
        noteSwitch(isFault: false, index, at: now)
    }
}

// MARK: Canaries

extension ServiceFaultDetector {
    /// The transitions that time alone causes. The end of a lease, the expiry of a decision and canaries wait
    /// until QoS was queried.
    private mutating func settle(_ index: Int, at now: Instant) {
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

    /// When the phase ends by itself; nil where only an event ends it, or while QoS must be queried first.
    private func phaseDeadline(of watch: ServiceWatch) -> Instant? {
        let waiting = networkReachability == .settled ? watch.waitingSwitch : nil
        return switch watch.phase {
        case .healthy, .overruled: waiting
        case .suspect(_, let end): waiting.map { min($0, end) } ?? end
        case .faulty: networkReachability == .settled ? waiting ?? faultEnd(of: watch) : nil
        case .leased(let until): networkReachability == .settled ? until : nil
        case .recovering(let trial):
            networkReachability == .settled ? trial.deadline(holdEnds: watch.applied?.expiresAt) : nil
        }
    }

    /// A fault ends with its decision, and not before the dwell after the switch that began it.
    private func faultEnd(of watch: ServiceWatch) -> Instant {
        let end = watch.applied?.expiresAt ?? watch.since
        return watch.dwell.ends.map { max($0, end) } ?? end
    }

    private mutating func sendCanary(_ index: Int, at now: Instant, _ effects: inout [ServiceEffect]) {
        guard networkReachability == .settled, case .recovering(var trial) = watches[index].phase else {
            return
        }
        switch trial.step {
        case .paced, .due:
            guard isDue(index, at: now) else { return }
            let tag = nextTag()
            trial.step = .calling(tag: tag, until: now + settings.canaryTimeout)
            watches[index].enter(.recovering(trial), at: now)
            effects.append(.sendCanary(tag: tag, service: watches[index].service))
        case .calling: break
        }
    }

    /// Handles the result of the pending canary; a result of a cancelled one changes nothing.
    private mutating func finishCanary(of service: String, tag: UInt64, good: Bool, at now: Instant) {
        guard let index = indexOfService[service], case .recovering(let trial) = watches[index].phase,
            case .calling(tag, _) = trial.step
        else { return }
        endCanary(trial, index, good: good, at: now)
    }

    private func isDue(_ index: Int, at now: Instant) -> Bool {
        phaseDeadline(of: watches[index]).map { $0 <= now } ?? false
    }

    /// A fault whose time has ended is tested by canaries.
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

    /// A bad canary renews a lease. A fault of QoS is tested again at the poll's pace, from the first canary.
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

// MARK: Reports to QoS

extension ServiceFaultDetector {
    /// Reports to QoS the counts of every service that may be included, once one of them is due.
    private mutating func report(at now: Instant, _ effects: inout [ServiceEffect]) {
        guard watches.contains(where: { isDue($0.ledger, at: now) }) else { return }
        var taken: [Int: ReportLedger] = [:]
        for index in watches.indices where watches[index].ledger.mayJoinReport(at: now, settings) {
            taken[index] = watches[index].ledger.take(at: now)
        }
        let tag = nextTag()
        sentReports.append(
            SentReport(tag: tag, taken: taken, until: lossTime(of: settings.queryTimeout, at: now)))
        effects.append(.reportQoS(tag: tag, makeReport(taken, at: now)))
    }

    private mutating func putBack(_ report: SentReport, at now: Instant) {
        for (index, ledger) in report.taken { watches[index].ledger.putBack(ledger, at: now, settings) }
    }

    private func isDue(_ ledger: ReportLedger, at now: Instant) -> Bool {
        ledger.due(settings).map { $0 <= now } ?? false
    }

    private func makeReport(_ taken: [Int: ReportLedger], at now: Instant) -> QoSReport {
        var generations: [String: Int64] = [:]
        for watch in watches { generations[watch.service] = watch.applied?.generation }
        return QoSReport(
            windowStart: taken.values.compactMap(\.start).min() ?? now, windowEnd: now,
            services: taken.sorted { $0.key < $1.key }.map(\.value.counts), knownGeneration: generations)
    }
}
