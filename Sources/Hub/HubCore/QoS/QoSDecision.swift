package import Base
package import OfflineCore

/// The hub's decision on a service for one terminal.
package struct QoSDecision: Hashable, Sendable {
    /// The service's name in `config/core-apis.json`, for example `"order"`.
    package let service: String
    /// `healthy`, `faulty` or `recovering`; the worst of the terminal's three scopes unless an operator
    /// decided.
    package let state: ServiceDecision.State
    /// The scope that decided; `global` for a healthy service, the override's own for an override.
    package let scope: ServiceDecision.Scope
    /// The latest change in any scope that this terminal belongs to; it never falls under one issuer.
    package let generation: Int64
    /// When this state began, by the hub's monotonic clock.
    package let since: Instant
    /// The evidence or the operator's text, one line; nil for a healthy service.
    package let reason: String?
    /// What decided: `reports`, `probe` or `operator`; `reports` for a healthy service.
    package let source: ServiceDecision.Source
    /// How the terminal may come back; nil unless it is being readmitted.
    package let resume: ResumePace?
    /// When a terminal polls again during a recovery; nil where nothing depends on it.
    package let queryAgain: Duration?

    /// When the terminal polls again.
    ///
    /// - Parameter poll: the pace while all is well; a third of it while something is wrong.
    package func pollAfter(_ poll: Duration) -> Duration {
        queryAgain ?? (state == .healthy ? poll : max(poll / 3, .seconds(1)))
    }
}

/// What the hub knows of a service, for operators.
package struct QoSServiceStatus: Hashable, Sendable {
    /// The decision for the complete chain, or the override; stores and terminals are in ``scopes``.
    package let decision: QoSDecision
    /// The generation of the last change in any scope.
    package let generation: Int64
    /// The operator's decision in force for the chain; nil where the machine decides.
    package let override: QoSOverride?
    /// Operators' decisions for single stores, by the store's id; each has priority over ``override``.
    package let storeOverrides: [String: QoSOverride]
    /// Every scope that is not healthy: the global one, stores, terminals.
    package let scopes: [Scope]
    /// Failed of a hundred requests in the last minute; nil without any.
    package let failedPercent: Int?
    /// Terminals and stores that reported in the last minute.
    package let terminals: Int
    /// Stores that the terminals of ``terminals`` belong to.
    package let stores: Int

    /// A scope that is not healthy, and since when.
    package struct Scope: Hashable, Sendable {
        /// What is kept of the scope over a restart.
        package let record: QoSServiceRecord.Scope
        /// When its present state began, by the hub's monotonic clock.
        package let since: Instant
    }
}

extension QoSDecisionMachine {
    /// The effective decision on a service for one terminal; nil for an unknown service.
    package func decision(on service: String, for reporter: QoSReporter, at now: Instant) -> QoSDecision? {
        guard let health = self.service(service) else { return nil }
        let scopes: [QoSScope] = [.global, .store(reporter.storeId), .terminal(reporter.terminalId)]
        return decision(on: health, scopes: scopes, for: reporter.terminalId, at: now)
    }

    /// What operators see of a service; nil for an unknown one.
    package func status(of service: String, at now: Instant) -> QoSServiceStatus? {
        guard let health = self.service(service) else { return nil }
        let totals = health.window.totals(since: now - .seconds(60))
        return QoSServiceStatus(
            decision: decision(on: health, scopes: [.global], for: "", at: now),
            generation: health.generation,
            override: health.override, storeOverrides: health.storeOverrides,
            scopes: scopes(of: health, at: now),
            failedPercent: totals.requests == 0 ? nil : totals.failed * 100 / totals.requests,
            terminals: totals.terminals, stores: totals.stores)
    }

    private func scopes(of health: ServiceHealth, at now: Instant) -> [QoSServiceStatus.Scope] {
        health.record.scopes.map { record in
            let scope = QoSScope(scope: record.scope, subject: record.subject)
            return QoSServiceStatus.Scope(record: record, since: health.health(scope).since ?? now)
        }
    }

    private func decision(
        on health: ServiceHealth, scopes: [QoSScope], for terminalId: String, at now: Instant
    ) -> QoSDecision {
        let generation = health.generation(of: scopes)
        if let (scope, decision) = health.override(in: scopes) {
            let isBack = decision.state == .recovering
            return QoSDecision(
                service: health.service, state: decision.state, scope: scope.scope, generation: generation,
                since: health.overrideSince[scope] ?? now, reason: decision.reason, source: .operator,
                resume: isBack ? pace(health, scope, nil, terminalId, now) : nil,
                queryAgain: isBack ? queryAgain(health, scope, terminalId) : nil)
        }
        let worst =
            scopes.first { health.health($0).state == .faulty }
            ?? scopes.first { health.health($0).state == .recovering }
        let state = worst.map(health.health) ?? .healthy
        guard let worst, let since = state.since, let cause = state.cause else {
            return QoSDecision(
                service: health.service, state: .healthy, scope: .global, generation: generation,
                since: health.healthySince, reason: nil, source: .reports, resume: nil, queryAgain: nil)
        }
        let isBack = state.state == .recovering
        return QoSDecision(
            service: health.service, state: state.state, scope: worst.scope, generation: generation,
            since: since, reason: cause.reason, source: cause.source,
            resume: isBack ? pace(health, worst, since, terminalId, now) : nil,
            queryAgain: isBack ? queryAgain(health, worst, terminalId) : nil)
    }

    private func queryAgain(_ health: ServiceHealth, _ scope: QoSScope, _ terminalId: String) -> Duration? {
        isQueued(health, scope) ? release.queryAgain(terminalId) : nil
    }

    /// The order service is drained into, so after a fault for all its terminals queue for admission.
    private func isQueued(_ health: ServiceHealth, _ scope: QoSScope) -> Bool {
        health.service == Self.intakeService && scope == .global
    }

    /// Of a service without a queue, and of a store, each terminal gets a cohort and an even share; a
    /// terminal that comes back alone need not wait. All of it is settled by the terminal's id, so that every
    /// process of the hub gives the same.
    private func pace(
        _ health: ServiceHealth, _ scope: QoSScope, _ since: Instant?, _ terminalId: String, _ now: Instant
    ) -> ResumePace {
        if isQueued(health, scope) { return release.pace(for: terminalId, capacity: capacity.perMinute) }
        let terminals = max(1, health.window.terminalCount)
        let cohorts = scope.scope == .terminal ? 1 : min(settings.cohorts, terminals)
        let cohort = Int64(Mixing.mixed(terminalId) % UInt64(cohorts))
        let turn = (since ?? now) + settings.letBack / cohorts * Int(cohort)
        return ResumePace(
            after: max(.zero, turn - now),
            ratePerMinute: max(1, settings.capacityPerMinute / Int64(terminals)))
    }
}
