import Base
import OfflineCore

/// Whom a state of a service is for.
struct QoSScope: Hashable, Comparable, Sendable {
    let scope: ServiceDecision.Scope
    /// The store's or terminal's id; empty for the global scope.
    let subject: String

    static let global = QoSScope(scope: .global, subject: "")

    static func < (left: QoSScope, right: QoSScope) -> Bool {
        (left.scope.rawValue, left.subject) < (right.scope.rawValue, right.subject)
    }

    static func store(_ id: String) -> QoSScope { QoSScope(scope: .store, subject: id) }
    /// The scope of an override: a store's, or the chain's.
    static func ofOverride(_ storeId: String?) -> QoSScope { storeId.map(store) ?? .global }
    static func terminal(_ id: String) -> QoSScope { QoSScope(scope: .terminal, subject: id) }
}

/// One service: its state in each scope, and what that is judged by.
///
/// Each scope has a rule (``QoSSettings``). It confirms a fault over the rule's own window; the fault ends
/// when the same rule, with its numbers in proportion, has not been met for the recovery time.
struct ServiceHealth: Hashable, Sendable {
    let service: String
    /// Grows with every change in any scope.
    private(set) var generation: Int64
    /// The operator's decision for the chain.
    private(set) var override: QoSOverride?
    /// Operators' decisions for single stores, by the store's id.
    private(set) var storeOverrides: [String: QoSOverride] = [:]
    /// When each operator's decision was made.
    private(set) var overrideSince: [QoSScope: Instant] = [:]
    /// When the service last became healthy in the global scope.
    private(set) var healthySince: Instant
    /// Scopes that are not healthy.
    private(set) var scopes: [QoSScope: ScopeHealth] = [:]
    private(set) var window = ReportWindow()
    /// The generation of the last change of each scope, healthy ones included; ``floor`` where there is none.
    private(set) var changes: [QoSScope: Int64] = [:]
    private(set) var floor: Int64
    /// When a scope's present state began: what was reported before has led to it and counts no second time.
    private var judgedFrom: [QoSScope: Instant] = [:]
    private var failedProbes = 0
    private var goodProbes = 0
    private var lastProbe: Instant?
    /// Before this moment time alone changes nothing.
    private var nextChange: Instant?

    /// Scopes whose last change is remembered one by one. Behind it all get the present generation, which
    /// costs each terminal one response without news; with half as many that would come twice as often.
    private static let maximumChanges = 1_000

    init(service: String, generation: Int64, at now: Instant) {
        self.service = service
        self.generation = generation
        floor = generation
        healthySince = now
    }

    func health(_ scope: QoSScope) -> ScopeHealth { scopes[scope] ?? .healthy }

    /// The generation of the last change that one of `scopes` had, so that what happens in other stores
    /// changes nothing in a terminal's decision.
    func generation(of scopes: [QoSScope]) -> Int64 {
        scopes.reduce(floor) { max($0, changes[$1] ?? 0) }
    }

    /// - Parameter keepsBack: terminals still wait for their turn, so a recovery for all is not over yet.
    func deadline(_ settings: QoSSettings, keepsBack: Bool) -> Instant? {
        let deadlines = scopes.map { $1.deadline(settings, keepsBack: keepsBack && $0 == .global) }
        return (deadlines + [override?.until] + storeOverrides.values.map(\.until)).compactMap { $0 }.min()
    }

    private mutating func change(
        _ scope: QoSScope, to health: ScopeHealth, because cause: ScopeHealth.Cause, at now: Instant
    ) -> [QoSEffect] {
        put(health, in: scope, at: now)
        return [transition(scope, health.state, cause, at: now)]
    }

    private mutating func put(_ health: ScopeHealth, in scope: QoSScope, at now: Instant) {
        nextChange = now
        judgedFrom = judgedFrom.filter { $0.value > now - .seconds(120) }
        judgedFrom[scope] = now + .seconds(1)
        switch health {
        case .healthy:
            scopes[scope] = nil
            if scope == .global { healthySince = now }
        case .faulty, .recovering: scopes[scope] = health
        }
    }

    private mutating func transition(
        _ scope: QoSScope, _ state: ServiceDecision.State, _ cause: ScopeHealth.Cause, at now: Instant
    ) -> QoSEffect {
        generation += 1
        if changes[scope] == nil, changes.count >= Self.maximumChanges {
            changes = [:]
            floor = generation
        }
        changes[scope] = generation
        return .keep(
            QoSTransition(
                service: service, generation: generation, scope: scope.scope, subject: scope.subject,
                state: state, source: cause.source, reason: cause.reason, evidence: cause.evidence, at: now))
    }
}

/// What terminals report.
extension ServiceHealth {
    mutating func report(
        _ reporter: QoSReporter, ok: Int, failed: Int, windowStart: Int64?, at now: Instant,
        _ settings: QoSSettings
    ) -> [QoSEffect] {
        window.forget(after: settings.memory, at: now)
        window.add(reporter, ok: ok, failed: failed, windowStart: windowStart, at: now)
        guard failed > 0 else { return [] }
        return [.terminal(reporter.terminalId), .store(reporter.storeId), .global].flatMap {
            judge($0, at: now, settings)
        }
    }

    private mutating func judge(_ scope: QoSScope, at now: Instant, _ settings: QoSSettings) -> [QoSEffect] {
        let health = health(scope)
        switch health {
        case .faulty:
            // Judged when its time has come; before that only where the recovery is longer than the rule
            // looks back.
            if settings.recovery > settings.window(of: scope.scope) { extend(scope, at: now, settings) }
            return []
        case .healthy, .recovering:
            guard let evidence = evidence(in: scope, at: now, settings) else { return [] }
            let cause = ScopeHealth.Cause(
                source: .reports, reason: evidence.text, evidence: evidence,
                firstFault: health.cause?.firstFault ?? now)
            return change(scope, to: .faulty(since: now, lastBad: now, cause), because: cause, at: now)
        }
    }

    /// What meets the scope's rule now, of what was reported since its present state began.
    ///
    /// - Parameter share: looks back only so long, with the numbers of the rule in proportion; nil: the
    ///   rule's own window.
    private func evidence(
        in scope: QoSScope, within share: Duration? = nil, at now: Instant, _ settings: QoSSettings
    ) -> QoSEvidence? {
        switch scope.scope {
        case .terminal:
            return ownEvidence(of: scope, Span(settings.terminalWindow, share), at: now, settings)
        case .store: return evidence(for: settings.store, in: scope, within: share, at: now, settings)
        case .global:
            let quorum = probesAreGood(at: now, settings) ? settings.global.doubled : settings.global
            return evidence(for: quorum, in: scope, within: share, at: now, settings)
        }
    }

    /// How far a rule looks back.
    private struct Span {
        let length: Duration
        private let window: Duration

        init(_ window: Duration, _ share: Duration?) {
            self.window = window
            length = min(window, share ?? window)
        }

        var seconds: Int64 { length.wholeMilliseconds / 1000 }

        /// `count` in proportion, rounded up.
        func scaled(_ count: Int) -> Int {
            let (part, whole) = (length.wholeMilliseconds, max(1, window.wholeMilliseconds))
            return Int((Int64(count) * part + whole - 1) / whole)
        }
    }

    private func start(of scope: QoSScope, _ span: Span, at now: Instant) -> Instant {
        max(now - span.length, judgedFrom[scope] ?? now - span.length)
    }

    private func ownEvidence(
        of scope: QoSScope, _ span: Span, at now: Instant, _ settings: QoSSettings
    ) -> QoSEvidence? {
        guard let counts = window.counts(of: scope.subject, since: start(of: scope, span, at: now)),
            counts.ok == 0, counts.failed >= max(1, span.scaled(settings.terminalFailures))
        else { return nil }
        return QoSEvidence(
            seconds: span.seconds, requests: min(counts.failed, settings.countedRequests), voting: 1,
            failing: 1, failingStores: 1, terminals: [counts],
            stores: [.init(storeId: counts.storeId, failing: 1)])
    }

    private func evidence(
        for quorum: QoSSettings.Quorum, in scope: QoSScope, within share: Duration?, at now: Instant,
        _ settings: QoSSettings
    ) -> QoSEvidence? {
        let span = Span(quorum.window, share)
        let votes = window.votes(in: scope, since: start(of: scope, span, at: now), settings) {
            !isKnownBad($0, for: quorum.window, at: now)
        }
        return votes.evidence(for: quorum, requests: span.scaled(quorum.requests), seconds: span.seconds)
    }

    /// Whether a terminal has had a fault of its own for longer than the window. In the window in which its
    /// fault began it still counts: when all terminals fail at once each is soon at fault by itself, and
    /// no terminal would be left to show that it is a global fault.
    private func isKnownBad(_ terminalId: String, for window: Duration, at now: Instant) -> Bool {
        guard let cause = scopes[.terminal(terminalId)]?.cause else { return false }
        return now - cause.firstFault > window
    }
}

/// What the hub probes, what operators decide, and what time brings.
extension ServiceHealth {
    /// One good probe ends a run of failures; while terminals are readmitted, one bad probe confirms a fault
    /// anew.
    mutating func probe(succeeded: Bool, at now: Instant, _ settings: QoSSettings) -> [QoSEffect] {
        lastProbe = now
        failedProbes = succeeded ? 0 : failedProbes + 1
        goodProbes = succeeded ? min(goodProbes + 1, settings.probesInARow) : 0
        guard !succeeded else { return [] }
        let health = health(.global)
        let isConfirmed: Bool
        switch health {
        case .faulty:
            scopes[.global] = health.afterBad(at: now)
            return []
        case .recovering: isConfirmed = true
        case .healthy: isConfirmed = failedProbes >= settings.probesInARow
        }
        guard isConfirmed else { return [] }
        let cause = ScopeHealth.Cause(
            source: .probe, reason: "\(failedProbes) probes in a row failed", evidence: nil,
            firstFault: health.cause?.firstFault ?? now)
        return change(.global, to: .faulty(since: now, lastBad: now, cause), because: cause, at: now)
    }

    private func probesAreGood(at now: Instant, _ settings: QoSSettings) -> Bool {
        guard goodProbes >= settings.probesInARow, let lastProbe else { return false }
        return now - lastProbe <= settings.probeMemory
    }

    /// - Parameter scope: a store, or the chain. Past ``QoSServiceRecord/maximumScopes`` stores nothing
    ///   changes.
    mutating func setOverride(
        _ decision: QoSOverride, in scope: QoSScope, at now: Instant
    ) -> [QoSEffect] {
        if scope == .global {
            override = decision
        } else {
            guard
                storeOverrides.count < QoSServiceRecord.maximumScopes || storeOverrides[scope.subject] != nil
            else { return [] }
            storeOverrides[scope.subject] = decision
        }
        overrideSince[scope] = now
        nextChange = now
        return [transition(scope, decision.state, .byOperator(decision.reason, at: now), at: now)]
    }

    mutating func liftOverride(in scope: QoSScope, at now: Instant) -> [QoSEffect] {
        let lifted: QoSOverride?
        if scope == .global {
            lifted = override
            override = nil
        } else {
            lifted = storeOverrides.removeValue(forKey: scope.subject)
        }
        guard let lifted else { return [] }
        overrideSince[scope] = nil
        let state = health(scope).state
        if scope == .global, state == .healthy { healthySince = now }
        return [transition(scope, state, .byOperator("taken back: \(lifted.reason)", at: now), at: now)]
    }

    /// The operator's decision for a caller in `scopes`: a store's own before the chain's.
    func override(in scopes: [QoSScope]) -> (scope: QoSScope, decision: QoSOverride)? {
        for scope in scopes where scope.scope == .store {
            if let decision = storeOverrides[scope.subject] { return (scope, decision) }
        }
        return override.map { (.global, $0) }
    }

    /// The operator's decision, or the state of the global scope.
    var stateForAll: ServiceDecision.State { override?.state ?? health(.global).state }

    /// What time alone changes.
    ///
    /// - Parameter keepsBack: terminals still wait for their turn, so a recovery for all is not over yet.
    mutating func passTime(
        to now: Instant, _ settings: QoSSettings, keepsBack: Bool = false
    ) -> [QoSEffect] {
        guard let nextChange, now >= nextChange else { return [] }
        var effects: [QoSEffect] = []
        if let until = override?.until, now >= until { effects += liftOverride(in: .global, at: now) }
        for storeId in storeOverrides.keys.sorted() {
            if let until = storeOverrides[storeId]?.until, now >= until {
                effects += liftOverride(in: .store(storeId), at: now)
            }
        }
        for scope in scopes.keys.sorted() {
            let health = judgedByTime(scope, at: now, settings)
            let later = health.afterTime(now, settings, keepsBack: keepsBack && scope == .global)
            guard later.state != health.state, let cause = health.cause else { continue }
            effects += change(scope, to: later, because: cause, at: now)
        }
        // Without `keepsBack`, which can end at any moment; looked at once a second meanwhile.
        self.nextChange = deadline(settings, keepsBack: false).map { $0 > now ? $0 : now + .seconds(1) }
        return effects
    }

    /// A fault whose time is over continues while its rule is still met by what was reported since.
    private mutating func judgedByTime(
        _ scope: QoSScope, at now: Instant, _ settings: QoSSettings
    ) -> ScopeHealth {
        if case .faulty(_, let lastBad, _) = health(scope), now >= lastBad + settings.recovery {
            extend(scope, at: now, settings)
        }
        return health(scope)
    }

    /// Notes when the rule of a fault was met last. All of what meets it may have come at the beginning of
    /// the time looked at, so it is looked at again a second later: nothing keeps up a fault longer than the
    /// recovery time.
    private mutating func extend(_ scope: QoSScope, at now: Instant, _ settings: QoSSettings) {
        guard let evidence = evidence(in: scope, within: settings.recovery, at: now, settings) else { return }
        scopes[scope] = health(scope).afterBad(at: now - .seconds(evidence.seconds) + .seconds(1))
    }
}

/// What is kept of it, and what another hub on the same database decided.
extension ServiceHealth {
    var record: QoSServiceRecord {
        let kept = scopes.sorted { $0.key < $1.key }.prefix(QoSServiceRecord.maximumScopes).compactMap {
            scope, health in
            health.cause.map { cause in
                QoSServiceRecord.Scope(
                    scope: scope.scope, subject: scope.subject, state: health.state, source: cause.source,
                    reason: cause.reason, evidence: cause.evidence, since: health.since)
            }
        }
        let changes = changes.sorted { $0.key < $1.key }.map {
            QoSServiceRecord.Change(scope: $0.key.scope, subject: $0.key.subject, generation: $0.value)
        }
        return QoSServiceRecord(
            service: service, generation: generation, scopes: kept, override: override,
            storeOverrides: storeOverrides,
            overrideSince: Dictionary(uniqueKeysWithValues: overrideSince.map { ($0.key.subject, $0.value) }),
            healthySince: healthySince, floor: floor, changes: changes)
    }

    /// Goes on from `record`. A fault that it begins ends no sooner than one of now, and terminals are
    /// readmitted from now on; what was reported stays.
    mutating func adopt(_ record: QoSServiceRecord, at now: Instant) {
        let theirs = Dictionary(
            record.scopes.map { (QoSScope(scope: $0.scope, subject: $0.subject), $0) }
        ) { _, last in last }
        let isComplete = record.scopes.count < QoSServiceRecord.maximumScopes
        for scope in Set(isComplete ? Array(scopes.keys) : []).union(theirs.keys).sorted() {
            guard health(scope).state != theirs[scope]?.state ?? .healthy else { continue }
            put(theirs[scope]?.health(at: now) ?? .healthy, in: scope, at: now)
        }
        if health(.global).state == .healthy, let since = record.healthySince {
            healthySince = min(since, now)
        }
        if !QoSOverride.isSame(override, record.override) {
            override = record.override
            overrideSince[.global] = record.override.map { _ in record.overrideSince[""].map { min($0, now) } ?? now }
            nextChange = now
        }
        for storeId in Set(storeOverrides.keys).union(record.storeOverrides.keys) {
            let decision = record.storeOverrides[storeId]
            guard !QoSOverride.isSame(storeOverrides[storeId], decision) else { continue }
            storeOverrides[storeId] = decision
            overrideSince[.store(storeId)] = decision.map { _ in
                record.overrideSince[storeId].map { min($0, now) } ?? now
            }
            nextChange = now
        }
        generation = record.generation
        floor = record.floor
        changes = Dictionary(
            record.changes.map { (QoSScope(scope: $0.scope, subject: $0.subject), $0.generation) }
        ) { max($0, $1) }
    }
}

extension QoSServiceRecord.Scope {
    fileprivate func health(at now: Instant) -> ScopeHealth {
        let cause = ScopeHealth.Cause(source: source, reason: reason, evidence: evidence, firstFault: now)
        return switch state {
        case .healthy: .healthy
        case .faulty: .faulty(since: since.map { min($0, now) } ?? now, lastBad: now, cause)
        case .recovering: .recovering(since: now, cause)
        }
    }
}

extension ScopeHealth.Cause {
    fileprivate static func byOperator(_ reason: String, at now: Instant) -> ScopeHealth.Cause {
        ScopeHealth.Cause(source: .operator, reason: reason, evidence: nil, firstFault: now)
    }
}
