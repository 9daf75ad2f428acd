package import Base
import OfflineCore

/// Decides which services are well, for all, for a store and for a terminal (offline-mode.md, section
/// 5).
///
/// Terminals report what went well and what failed, the hub probes, operators decide. Each scope has a rule
/// of its own in which a terminal is one vote, so one broken terminal or store makes a service faulty for
/// nobody else. When the rule has not been met for a while, the terminals are readmitted in cohorts, each at
/// its share of the service's capacity. The operator's decision has priority.
package struct QoSDecisionMachine: Machine, Sendable {
    let settings: QoSSettings
    private var services: [String: ServiceHealth]
    /// The measured capacity of the order service's store.
    private(set) var capacity: IntakeCapacity
    /// The terminals that wait to drain; begun anew with each fault of the order service.
    private(set) var release = RecoveryAdmission()

    /// The service that outboxes drain into.
    static let intakeService = "order"

    /// A machine for `services`; others are not known to it.
    ///
    /// - Parameter generations: the last generation of each service, from before a restart.
    package init(
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
    package var knownServices: [String] { services.keys.sorted() }

    /// The measured capacity of the order service, in mutations a minute.
    package var measuredCapacity: Int64 { capacity.perMinute }

    /// When ``QoSEvent/deadlineReached`` is due; nil when nothing changes by time alone.
    package var deadline: Instant? {
        let services = services.values.map { $0.deadline(settings, keepsBack: keepsBack($0.service)) }
        return (services + [intakeState == .healthy ? nil : release.deadline]).compactMap { $0 }.min()
    }

    /// Handles one event. An event about an unknown service changes nothing.
    package mutating func handle(_ event: QoSEvent, at now: Instant) -> [QoSEffect] {
        let before = intakeState
        if before != .healthy { release.sweep(at: now) }
        var effects: [QoSEffect] = []
        for service in services.keys.sorted() {
            let keepsBack = keepsBack(service)
            effects += services[service]?.passTime(to: now, settings, keepsBack: keepsBack) ?? []
        }
        effects += take(event, at: now)
        beginRelease(after: before, at: now)
        return effects
    }

    private mutating func take(_ event: QoSEvent, at now: Instant) -> [QoSEffect] {
        switch event {
        case .queried(let reporter):
            noteQuery(reporter.terminalId, at: now)
        case .pending(let count, let terminalId):
            if intakeState != .healthy { release.note(terminalId, pending: count, at: now) }
        case .backlogMeasured(let count, let terminalId):
            if intakeState != .healthy { release.note(terminalId, measured: count, at: now) }
        case .intakeEnded(let results, let sent, let terminalId, let start):
            // A push with few results shows nothing of the store's capacity: the rest was refused or waits.
            if results > 0, results * 2 >= sent { capacity.note(results, from: start, to: now) }
            guard intakeState != .healthy else { break }
            release.tookIn(terminalId, results, isEmpty: sent == 0, at: now)
        case .reported(let service, let reporter, let ok, let failed, let windowStart):
            if service == Self.intakeService { noteQuery(reporter.terminalId, at: now) }
            return services[service]?.report(
                reporter, ok: ok, failed: failed, windowStart: windowStart, at: now, settings) ?? []
        case .probed(let service, let succeeded):
            return services[service]?.probe(succeeded: succeeded, at: now, settings) ?? []
        case .overridden(let service, let decision, let storeId):
            return services[service]?.setOverride(decision, in: .ofOverride(storeId), at: now) ?? []
        case .overrideLifted(let service, let storeId):
            return services[service]?.liftOverride(in: .ofOverride(storeId), at: now) ?? []
        case .deadlineReached:
            break
        }
        return []
    }

    /// Whether terminals still wait for their turn.
    private func keepsBack(_ service: String) -> Bool { service == Self.intakeService && !release.isOver }

    /// The state of the order service in the global scope. A fault of one terminal or one store opens no
    /// queue, so that it delays nobody else.
    private var intakeState: ServiceDecision.State { services[Self.intakeService]?.stateForAll ?? .healthy }

    private mutating func noteQuery(_ id: String, at now: Instant) {
        switch intakeState {
        case .healthy: break
        case .faulty: release.expect(id, at: now)
        case .recovering: release.noteQuery(id, capacity: capacity.perMinute, at: now)
        }
    }

    /// With each global fault the queue begins anew. A terminal that reported lately was there when the fault
    /// began and will be back.
    private mutating func beginRelease(after before: ServiceDecision.State, at now: Instant) {
        let state = intakeState
        guard state != .healthy, before == .healthy || (state == .faulty && before == .recovering) else {
            return
        }
        release = RecoveryAdmission(memory: settings.releaseMemory)
        for id in services[Self.intakeService]?.window.terminalIds ?? [] { release.expect(id, at: now) }
    }

    /// Goes on from what was kept before a restart, or from what another process of the hub decided. Scopes
    /// whose state that changes begin anew now, so a fault has to be quiet again; what was reported here
    /// stays counted.
    package mutating func adopt(_ record: QoSServiceRecord, at now: Instant) {
        let before = intakeState
        services[record.service]?.adopt(record, at: now)
        beginRelease(after: before, at: now)
    }

    /// What a restart and the other processes need to know of a service; nil for an unknown one.
    package func record(of service: String) -> QoSServiceRecord? { services[service]?.record }

    /// The generation of a service's last change; nil for an unknown one.
    package func generation(of service: String) -> Int64? { services[service]?.generation }
}
