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
    static func terminal(_ id: String) -> QoSScope { QoSScope(scope: .terminal, subject: id) }
}

/// One service: what is said of it in each scope, and what that is judged by.
struct ServiceHealth: Hashable, Sendable {
    let service: String
    /// Grows with every change in any scope.
    private(set) var generation: Int64
    private(set) var override: QoSOverride?
    /// When the operator's word was given.
    private(set) var overrideSince: Instant?
    /// When the service last became healthy for everybody.
    private(set) var healthySince: Instant
    /// Scopes that are not healthy.
    private(set) var scopes: [QoSScope: ScopeHealth] = [:]
    private(set) var window = ReportWindow()
    /// When a scope's present state began: what was reported before has led to it and counts no second time.
    private var judgedFrom: [QoSScope: Instant] = [:]
    private var failedProbes = 0

    init(service: String, generation: Int64, at now: Instant) {
        self.service = service
        self.generation = generation
        healthySince = now
    }

    func health(_ scope: QoSScope) -> ScopeHealth { scopes[scope] ?? .healthy }

    /// - Parameter keepsBack: terminals still wait for their turn.
    func deadline(_ settings: QoSSettings, keepsBack: Bool) -> Instant? {
        (scopes.values.map { $0.deadline(settings, keepsBack: keepsBack) } + [override?.until])
            .compactMap { $0 }.min()
    }

    mutating func report(
        _ reporter: QoSReporter, ok: Int, failed: Int, at now: Instant, _ settings: QoSSettings
    ) -> [QoSEffect] {
        window.forget(after: settings.memory, at: now)
        window.add(reporter, ok: ok, failed: failed, at: now)
        guard failed > 0 else { return [] }
        let affected: [(QoSScope, QoSSettings.Rule)] = [
            (.terminal(reporter.terminalId), settings.terminal), (.store(reporter.storeId), settings.store),
            (.global, settings.global),
        ]
        return affected.flatMap { scope, rule in judge(scope, by: rule, at: now) }
    }

    /// Holds the reports against a rule.
    private mutating func judge(
        _ scope: QoSScope, by rule: QoSSettings.Rule, at now: Instant
    ) -> [QoSEffect] {
        let health = health(scope)
        switch health {
        case .faulty:
            scopes[scope] = health.afterFailure(at: now)
            return []
        case .healthy, .recovering:
            let start = max(now - rule.window, judgedFrom[scope] ?? now - rule.window)
            guard let words = rule.conviction(by: sum(scope, since: start)) else { return [] }
            return convict(scope, .init(source: .reports, reason: words), at: now)
        }
    }

    private func sum(_ scope: QoSScope, since start: Instant) -> ReportWindow.Sum {
        switch scope.scope {
        case .global: window.sum(since: start)
        case .store: window.sum(store: scope.subject, since: start)
        case .terminal: window.sum(terminal: scope.subject, since: start)
        }
    }

    private mutating func convict(
        _ scope: QoSScope, _ conviction: ScopeHealth.Conviction, at now: Instant
    ) -> [QoSEffect] {
        change(scope, to: .faulty(since: now, lastBad: now, conviction), conviction, at: now)
    }

    private mutating func change(
        _ scope: QoSScope, to health: ScopeHealth, _ conviction: ScopeHealth.Conviction, at now: Instant
    ) -> [QoSEffect] {
        judgedFrom = judgedFrom.filter { $0.value > now - .seconds(120) }
        judgedFrom[scope] = now + .seconds(1)
        switch health {
        case .healthy:
            scopes[scope] = nil
            if scope == .global { healthySince = now }
        case .faulty, .recovering: scopes[scope] = health
        }
        return [
            transition(scope, health.state, source: conviction.source, reason: conviction.reason, at: now)
        ]
    }

    private mutating func transition(
        _ scope: QoSScope, _ state: ServiceDecision.State, source: ServiceDecision.Source, reason: String,
        at now: Instant
    ) -> QoSEffect {
        generation += 1
        return .keep(
            QoSTransition(
                service: service, generation: generation, scope: scope.scope, subject: scope.subject,
                state: state, source: source, reason: reason, at: now))
    }
}

extension ServiceHealth {
    /// One good probe ends a run of failures; while terminals are let back, one bad probe convicts anew.
    mutating func probe(succeeded: Bool, at now: Instant, _ settings: QoSSettings) -> [QoSEffect] {
        failedProbes = succeeded ? 0 : failedProbes + 1
        guard !succeeded else { return [] }
        let conviction = ScopeHealth.Conviction(
            source: .probe, reason: "\(failedProbes) probes in a row failed")
        switch health(.global) {
        case .faulty:
            scopes[.global] = health(.global).afterFailure(at: now)
            return []
        case .recovering: return convict(.global, conviction, at: now)
        case .healthy:
            return failedProbes >= settings.probeFailures ? convict(.global, conviction, at: now) : []
        }
    }

    mutating func setOverride(_ word: QoSOverride, at now: Instant) -> [QoSEffect] {
        override = word
        overrideSince = now
        return [transition(.global, word.state, source: .operator, reason: word.reason, at: now)]
    }

    mutating func liftOverride(at now: Instant) -> [QoSEffect] {
        guard let word = override else { return [] }
        override = nil
        overrideSince = nil
        let state = health(.global).state
        if state == .healthy { healthySince = now }
        return [
            transition(.global, state, source: .operator, reason: "taken back: \(word.reason)", at: now)
        ]
    }

    /// Whether nothing stands against it in any scope.
    var isWell: Bool { scopes.isEmpty && (override.map { $0.state == .healthy } ?? true) }

    /// The operator's word, or the worst of all scopes.
    var worstState: ServiceDecision.State {
        if let override { return override.state }
        let states = scopes.values.map(\.state)
        return states.contains(.faulty) ? .faulty : states.isEmpty ? .healthy : .recovering
    }

    /// What time alone changes.
    ///
    /// - Parameter keepsBack: terminals still wait for their turn, so a recovery is not over yet.
    mutating func passTime(
        to now: Instant, _ settings: QoSSettings, keepsBack: Bool = false
    ) -> [QoSEffect] {
        var effects: [QoSEffect] = []
        if let until = override?.until, now >= until { effects += liftOverride(at: now) }
        for scope in scopes.keys.sorted() {
            let health = health(scope)
            let later = health.afterTime(now, settings, keepsBack: keepsBack)
            guard later.state != health.state else { continue }
            effects += change(scope, to: later, health.conviction, at: now)
        }
        return effects
    }

    /// Takes over a state from before a restart; its times begin anew.
    mutating func restore(
        _ scope: QoSScope, _ state: ServiceDecision.State, _ conviction: ScopeHealth.Conviction,
        at now: Instant
    ) {
        switch state {
        case .healthy: scopes[scope] = nil
        case .faulty: scopes[scope] = .faulty(since: now, lastBad: now, conviction)
        case .recovering: scopes[scope] = .recovering(since: now, conviction)
        }
    }

    mutating func restore(_ word: QoSOverride, at now: Instant) {
        override = word
        overrideSince = now
    }
}

extension ScopeHealth {
    /// Why it is not healthy; an empty word for a healthy one.
    fileprivate var conviction: Conviction {
        switch self {
        case .healthy: Conviction(source: .reports, reason: "")
        case .faulty(_, _, let conviction), .recovering(_, let conviction): conviction
        }
    }
}
