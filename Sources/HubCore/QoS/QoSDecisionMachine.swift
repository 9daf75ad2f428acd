public import OfflineCore

/// Decides which services are well, for everybody, for a store and for a terminal (offline-mode.md, section
/// 5).
///
/// Terminals report what went well and what failed, the hub probes, operators say their word. A scope is
/// convicted by a rule of its own, so one broken terminal or store never convicts a service for others. When
/// nothing has failed for a while, the terminals are let back in cohorts, each at its share of what the
/// service bears. The operator's word goes first.
public struct QoSDecisionMachine: Sendable {
    let settings: QoSSettings
    private var services: [String: ServiceHealth]
    /// What the store of the order service has shown that it bears.
    private(set) var capacity: IntakeCapacity
    /// The terminals that wait to drain; begun anew with each fault of the order service.
    private(set) var herd = HerdRelease()

    /// The service that outboxes drain into.
    static let intakeService = "order"

    /// A machine for `services`; others are not known to it.
    ///
    /// - Parameter generations: the last generation of each service, from before a restart.
    public init(
        services: [String], settings: QoSSettings, generations: [String: Int64] = [:], at now: Instant
    ) {
        self.settings = settings
        capacity = IntakeCapacity(believing: settings.capacityPerMinute)
        self.services = [:]
        for service in services {
            self.services[service] = ServiceHealth(
                service: service, generation: generations[service] ?? 1, at: now)
        }
    }

    func service(_ name: String) -> ServiceHealth? { services[name] }

    /// The services that it knows, by name.
    public var knownServices: [String] { services.keys.sorted() }

    /// Mutations a minute that the order service has shown that it bears.
    public var measuredCapacity: Int64 { capacity.perMinute }

    /// When ``QoSEvent/deadlineReached`` is due; nil when nothing changes by time alone.
    public var deadline: Instant? {
        let services = services.values.map { $0.deadline(settings, keepsBack: keepsBack($0.service)) }
        return (services + [intakeIsWell ? nil : herd.deadline]).compactMap { $0 }.min()
    }

    /// Takes one event in. An event about an unknown service changes nothing.
    public mutating func handle(_ event: QoSEvent, at now: Instant) -> [QoSEffect] {
        let wasWell = intakeIsWell
        if !wasWell { herd.sweep(at: now) }
        var effects: [QoSEffect] = []
        for service in services.keys.sorted() {
            let keepsBack = keepsBack(service)
            effects += services[service]?.passTime(to: now, settings, keepsBack: keepsBack) ?? []
        }
        switch event {
        case .asked(let reporter):
            noteAsking(reporter.terminalId, at: now)
        case .pending(let count, let terminalId):
            if !intakeIsWell { herd.note(terminalId, pending: count, at: now) }
        case .intakeBegan:
            capacity.begin(at: now)
        case .intakeEnded(let count, let terminalId):
            capacity.end(count, at: now)
            if !intakeIsWell { herd.tookIn(terminalId, count, at: now) }
        case .reported(let service, let reporter, let ok, let failed):
            if service == Self.intakeService, !intakeIsWell { herd.expect(reporter.terminalId, at: now) }
            effects += services[service]?.report(reporter, ok: ok, failed: failed, at: now, settings) ?? []
        case .probed(let service, let succeeded):
            effects += services[service]?.probe(succeeded: succeeded, at: now, settings) ?? []
        case .overridden(let service, let word):
            effects += services[service]?.setOverride(word, at: now) ?? []
        case .overrideLifted(let service):
            effects += services[service]?.liftOverride(at: now) ?? []
        case .deadlineReached:
            break
        }
        if wasWell, !intakeIsWell { beginHerd(at: now) }
        return effects
    }

    /// Whether terminals still wait for their turn.
    private func keepsBack(_ service: String) -> Bool { service == Self.intakeService && !herd.isOver }

    private var intakeIsWell: Bool { services[Self.intakeService]?.isWell ?? true }

    private mutating func noteAsking(_ id: String, at now: Instant) {
        switch services[Self.intakeService]?.worstState ?? .healthy {
        case .healthy: break
        case .faulty: herd.expect(id, at: now)
        case .recovering: herd.noteAsking(id, capacity: capacity.perMinute, at: now)
        }
    }

    /// Whoever reported lately was there when the fault began and will be back.
    private mutating func beginHerd(at now: Instant) {
        herd = HerdRelease(memory: settings.herdMemory)
        for id in services[Self.intakeService]?.window.terminalIds ?? [] { herd.expect(id, at: now) }
    }

    /// Takes over what was said before a restart. Its times begin anew, so a fault has to be quiet again.
    public mutating func restore(_ record: QoSServiceRecord, at now: Instant) {
        for scope in record.scopes {
            services[record.service]?.restore(
                QoSScope(scope: scope.scope, subject: scope.subject), scope.state,
                .init(source: scope.source, reason: scope.reason), at: now)
        }
        if let word = record.override { services[record.service]?.restore(word, at: now) }
    }

    /// Goes on from what another process of the hub decided since, when its generation is a later one. What
    /// was counted here for the earlier decision is forgotten.
    public mutating func adopt(_ record: QoSServiceRecord, at now: Instant) {
        guard let own = services[record.service], own.generation < record.generation else { return }
        services[record.service] = ServiceHealth(
            service: record.service, generation: record.generation, at: now)
        restore(record, at: now)
    }

    /// What a restart needs to know of a service; nil for an unknown one.
    public func record(of service: String) -> QoSServiceRecord? {
        guard let health = services[service] else { return nil }
        let scopes = health.scopes.compactMap { scope, state -> QoSServiceRecord.Scope? in
            switch state {
            case .healthy: nil
            case .faulty(_, _, let conviction), .recovering(_, let conviction):
                QoSServiceRecord.Scope(
                    scope: scope.scope, subject: scope.subject, state: state.state,
                    source: conviction.source, reason: conviction.reason)
            }
        }
        return QoSServiceRecord(
            service: service, generation: health.generation, scopes: scopes, override: health.override)
    }
}

/// What is kept of a service over a restart.
public struct QoSServiceRecord: Hashable, Sendable {
    /// A scope that is not healthy.
    public struct Scope: Hashable, Sendable {
        public let scope: ServiceDecision.Scope
        public let subject: String
        public let state: ServiceDecision.State
        public let source: ServiceDecision.Source
        public let reason: String

        public init(
            scope: ServiceDecision.Scope, subject: String, state: ServiceDecision.State,
            source: ServiceDecision.Source, reason: String
        ) {
            self.scope = scope
            self.subject = subject
            self.state = state
            self.source = source
            self.reason = reason
        }
    }

    public let service: String
    public let generation: Int64
    public let scopes: [Scope]
    public let override: QoSOverride?

    public init(service: String, generation: Int64, scopes: [Scope], override: QoSOverride?) {
        self.service = service
        self.generation = generation
        self.scopes = scopes
        self.override = override
    }
}
