public import OfflineCore

/// What the hub says of a service to one terminal.
public struct QoSVerdict: Hashable, Sendable {
    public let service: String
    public let state: ServiceDecision.State
    public let scope: ServiceDecision.Scope
    public let generation: Int64
    public let since: Instant
    public let reason: String?
    public let source: ServiceDecision.Source
    /// How the terminal may come back; nil unless it is being let back.
    public let resume: ResumePace?
    /// When a terminal that is being let back asks again; nil where nothing depends on it.
    public let askAgain: Duration?

    /// When the terminal asks again.
    ///
    /// - Parameter poll: the pace while all is well; a third of it while something is wrong.
    public func pollAfter(_ poll: Duration) -> Duration {
        askAgain ?? (state == .healthy ? poll : max(poll / 3, .seconds(1)))
    }
}

/// What the hub knows of a service, for operators.
public struct QoSServiceStatus: Hashable, Sendable {
    public let verdict: QoSVerdict
    public let override: QoSOverride?
    /// Failed of a hundred requests in the last minute; nil without any.
    public let failedPercent: Int?
    /// Terminals and stores that reported in the last minute.
    public let terminals: Int
    public let stores: Int
}

extension QoSDecisionMachine {
    /// The effective decision on a service for one terminal; nil for an unknown service.
    public func verdict(on service: String, for reporter: QoSReporter, at now: Instant) -> QoSVerdict? {
        guard let health = self.service(service) else { return nil }
        let scopes: [QoSScope] = [.global, .store(reporter.storeId), .terminal(reporter.terminalId)]
        return verdict(on: health, scopes: scopes, for: reporter.terminalId, at: now)
    }

    /// What operators see of a service; nil for an unknown one.
    public func status(of service: String, at now: Instant) -> QoSServiceStatus? {
        guard let health = self.service(service) else { return nil }
        let sum = health.window.sum(since: now - .seconds(60))
        let requests = sum.ok + sum.failed
        return QoSServiceStatus(
            verdict: verdict(on: health, scopes: [.global], for: "", at: now), override: health.override,
            failedPercent: requests == 0 ? nil : sum.failed * 100 / requests,
            terminals: sum.terminals.count, stores: sum.stores.count)
    }

    private func verdict(
        on health: ServiceHealth, scopes: [QoSScope], for terminalId: String, at now: Instant
    ) -> QoSVerdict {
        if let word = health.override {
            return QoSVerdict(
                service: health.service, state: word.state, scope: .global, generation: health.generation,
                since: health.overrideSince ?? now, reason: word.reason, source: .operator,
                resume: word.state == .recovering ? pace(health, nil, terminalId, now) : nil,
                askAgain: word.state == .recovering ? askAgain(health, terminalId) : nil)
        }
        let worst =
            scopes.first { health.health($0).state == .faulty }
            ?? scopes.first { health.health($0).state == .recovering }
        guard let worst else { return healthy(health) }
        switch health.health(worst) {
        case .healthy: return healthy(health)
        case .faulty(let since, _, let conviction):
            return verdict(health, .faulty, worst, since, conviction, resume: nil, askAgain: nil)
        case .recovering(let since, let conviction):
            let pace = pace(health, since, terminalId, now)
            return verdict(
                health, .recovering, worst, since, conviction, resume: pace,
                askAgain: askAgain(health, terminalId))
        }
    }

    private func healthy(_ health: ServiceHealth) -> QoSVerdict {
        QoSVerdict(
            service: health.service, state: .healthy, scope: .global, generation: health.generation,
            since: health.healthySince, reason: nil, source: .reports, resume: nil,
            askAgain: nil)
    }

    private func verdict(
        _ health: ServiceHealth, _ state: ServiceDecision.State, _ scope: QoSScope, _ since: Instant,
        _ conviction: ScopeHealth.Conviction, resume: ResumePace?, askAgain: Duration?
    ) -> QoSVerdict {
        QoSVerdict(
            service: health.service, state: state, scope: scope.scope, generation: health.generation,
            since: since, reason: conviction.reason, source: conviction.source, resume: resume,
            askAgain: askAgain)
    }

    private func askAgain(_ health: ServiceHealth, _ terminalId: String) -> Duration? {
        health.service == Self.intakeService ? herd.askAgain(terminalId) : nil
    }

    /// The order service is drained into, so its terminals stand in line; of another one each gets a cohort
    /// and an even share. Both are settled by the terminal's id, so that every process of the hub says the
    /// same.
    private func pace(
        _ health: ServiceHealth, _ since: Instant?, _ terminalId: String, _ now: Instant
    ) -> ResumePace {
        if health.service == Self.intakeService {
            return herd.pace(for: terminalId, capacity: capacity.perMinute)
        }
        let terminals = max(1, health.window.terminalCount)
        let cohorts = min(settings.cohorts, terminals)
        let cohort = Int64(Mixing.mixed(terminalId) % UInt64(cohorts))
        let turn = (since ?? now) + settings.letBack / cohorts * Int(cohort)
        return ResumePace(
            after: max(.zero, turn - now),
            ratePerMinute: max(1, settings.capacityPerMinute / Int64(terminals)))
    }
}
