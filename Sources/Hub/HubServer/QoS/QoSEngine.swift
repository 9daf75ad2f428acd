import Base

internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import OfflineCore

/// Runs the QoS decision machine: stamps the time, keeps what it decides, formats its decisions.
///
/// A decision holds in this process at once and is kept by compare-and-set: only if the store still holds the
/// generation that it was made from. The second one merges its decision with what the first one stored
/// (``QoSServiceRecord/merged(with:since:)``) and tries again, so that all processes on one store end with
/// one state.
actor QoSEngine {
    /// The services of the contract (http.md, section 6).
    static let services = ["account", "marketing", "member", "order", "payment", "product"]

    let issuer: String
    private let ledger: any QoSLedger
    private let configuration: QoSConfiguration
    private let time: QoSTime
    private let logger: Logger
    private var machine: QoSDecisionMachine
    /// What the store holds of each service, as far as this process knows.
    private var kept: [String: Kept] = [:]
    /// Changes that are not in the history yet, by service.
    private var unkept: [String: [JSONValue]] = [:]
    /// What stores each service's state now; the next change to store waits for it.
    private var keeping: [String: Task<Void, Never>] = [:]
    /// Services whose state has to be stored and is not being stored yet.
    private var awaited: Set<String> = []
    /// What terminals reported here and the other processes do not know yet.
    private var unshared: [SharedReport] = []
    private var position: Int64?
    /// The name of this process among those that share the store.
    private let process = UUID().uuidString
    /// Whether other processes decide in the same store.
    private let isShared: Bool
    /// When ``wake()`` is due, anew whenever a decision was made; nil for not before the next one. For one
    /// reader.
    nonisolated let deadlines: AsyncStream<Instant?>
    private let deadline: AsyncStream<Instant?>.Continuation

    private struct Kept {
        let record: QoSServiceRecord
        let document: JSONValue
    }

    /// An engine that continues from the state in `ledger`.
    static func opened(
        _ ledger: any QoSLedger, _ configuration: QoSConfiguration, isShared: Bool = false, logger: Logger
    ) async throws(LedgerError) -> QoSEngine {
        QoSEngine(
            ledger, configuration, memory: try await ledger.load(), isShared: isShared, logger: logger)
    }

    private init(
        _ ledger: any QoSLedger, _ configuration: QoSConfiguration, memory: QoSMemory, isShared: Bool,
        logger: Logger
    ) {
        self.ledger = ledger
        self.isShared = isShared
        self.configuration = configuration
        self.logger = logger
        issuer = memory.issuer
        time = QoSTime()
        let now = time.now()
        machine = QoSDecisionMachine(
            services: Self.services, settings: configuration.settings,
            generations: memory.services.mapValues(\.generation), at: now)
        for service in Self.services {
            if let known = memory.services[service] {
                machine.adopt(QoSPersistence.record(service, known, time), at: now)
            }
            kept[service] = machine.record(of: service).map {
                Kept(record: $0, document: memory.services[service]?.state ?? .null)
            }
        }
        (deadlines, deadline) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        deadline.yield(machine.deadline)
    }

    /// Takes a terminal's report in, and remembers it for the other processes.
    func take(_ report: SharedReport) async {
        if isShared, unshared.count < Self.maximumUnshared { unshared.append(report) }
        await count(report)
    }

    private func count(_ report: SharedReport) async {
        let reporter = QoSReporter(terminalId: report.terminalId, storeId: report.storeId)
        await handle(
            .reported(
                service: report.service, by: reporter, ok: Int(clamping: report.ok),
                failed: Int(clamping: report.failed), windowStart: report.windowStart))
    }

    /// Counts what terminals reported to the other processes since the last time, and passes on what was
    /// reported here. What cannot be passed on now is passed on next time.
    func exchangeReports() async throws(LedgerError) {
        let mine = unshared
        unshared = []
        do throws(LedgerError) {
            let taken = try await ledger.exchange(
                mine, of: process, after: position, at: WallClock.now())
            position = taken.position
            for report in taken.reports { await count(report) }
        } catch {
            unshared = Array((mine + unshared).suffix(Self.maximumUnshared))
            throw error
        }
    }

    /// More adds no information, and would wait for a store that is down.
    private static let maximumUnshared = 10_000

    var knownServices: [String] { machine.knownServices }

    /// Takes an event in. What it changes holds at once and is kept beside what comes next, so that a store
    /// that hangs delays no response.
    func handle(_ event: QoSEvent) async {
        for service in apply(event) where awaited.insert(service).inserted {
            Task { await keep(service) }
        }
    }

    /// - Returns: the services that it changed.
    private func apply(_ event: QoSEvent) -> Set<String> {
        let effects = machine.handle(event, at: time.now())
        // Without a decision the deadline only moves away, and waking up too early is harmless.
        if !effects.isEmpty { deadline.yield(machine.deadline) }
        var changed: Set<String> = []
        for case .keep(let transition) in effects {
            note(transition)
            changed.insert(transition.service)
        }
        return changed
    }

    /// Does what time alone brings about.
    func wake() async {
        await handle(.deadlineReached)
        deadline.yield(machine.deadline)
    }

    private func note(_ transition: QoSTransition) {
        logger.notice(
            "\(transition.service) is \(transition.state.rawValue)",
            metadata: [
                "scope": "\(transition.scope.rawValue)", "subject": "\(transition.subject)",
                "reason": "\(transition.reason)",
            ])
        let change = QoSPersistence.document(transition, time)
        unkept[transition.service] = (unkept[transition.service] ?? []).suffix(Self.maximumUnkept) + [change]
    }

    /// More changes than this are not kept for a history while the store is down.
    private static let maximumUnkept = 200

    /// The effective decisions for a terminal on the services named, as the contract writes them.
    func decisions(on services: [String], for reporter: QoSReporter) async -> QoSDecisionPage {
        await handle(.asked(by: reporter))
        let now = time.now()
        let verdicts = services.compactMap { machine.verdict(on: $0, for: reporter, at: now) }
        return QoSDecisionPage(
            verdicts: verdicts, issuer: issuer, issuedAt: WallClock.now(), poll: configuration.poll,
            since: { self.time.wall($0) })
    }

    /// Every service for operators.
    func status() async throws(LedgerError) -> JSONValue {
        await handle(.deadlineReached)
        var services: [JSONValue] = []
        for service in machine.knownServices {
            await keep(service)
            guard let status = machine.status(of: service, at: time.now()) else { continue }
            let history = try await ledger.history(of: service, limit: 20)
            services.append(QoSPersistence.document(status, history: history, time))
        }
        return ["issuer": .string(issuer), "services": .array(services)]
    }

    /// An operator's decision, kept when it returns; `until` in milliseconds since 1970.
    func override(
        _ service: String, state: ServiceDecision.State, reason: String, by name: String, until: Int64?
    ) async {
        let decision = QoSOverride(state: state, reason: reason, by: name, until: until.map(time.instant))
        await decide(service, .overridden(service: service, decision))
    }

    /// Takes an operator's decision back, one that was made at another hub just now included.
    func liftOverride(_ service: String) async {
        await decide(service, .overrideLifted(service: service))
    }

    private func decide(_ service: String, _ event: QoSEvent) async {
        do {
            try await adopt()
        } catch {
            logger.error("what other processes decided was not read", metadata: ["reason": "\(error)"])
        }
        for changed in apply(event) { await keep(changed) }
    }
}

/// How the processes on one store come to one state.
extension QoSEngine {
    /// A process tries so often to keep a state that others change meanwhile; the next attempt comes with the
    /// next change, or when it reads what others decided.
    private static let maximumAttempts = 20

    /// Goes on from what other processes on the same store decided since, and keeps what could not be kept
    /// before.
    func adopt() async throws(LedgerError) {
        let before = kept.mapValues(\.record.generation)
        for (service, memory) in try await ledger.load().services {
            // What this process kept meanwhile, or is keeping, is newer than what was read.
            guard let known = kept[service], keeping[service] == nil,
                before[service] == known.record.generation
            else { continue }
            if memory.generation != known.record.generation || memory.state != known.document {
                merge(service, with: memory)
            }
        }
        for service in machine.knownServices where isUnkept(service) { await keep(service) }
    }

    private func isUnkept(_ service: String) -> Bool {
        machine.generation(of: service) != kept[service]?.record.generation
    }

    private func merge(_ service: String, with memory: QoSMemory.Kept) {
        guard let known = kept[service], let mine = machine.record(of: service) else { return }
        let theirs = QoSPersistence.record(service, memory, time)
        machine.adopt(mine.merged(with: theirs, since: known.record), at: time.now())
        kept[service] = Kept(record: theirs, document: memory.state)
        deadline.yield(machine.deadline)
    }

    /// Keeps a service's state and returns when it is kept, or cannot be now. A store that fails takes
    /// nothing from the decisions: they are valid in memory, and the log records it.
    private func keep(_ service: String) async {
        guard isUnkept(service) || keeping[service] != nil else {
            awaited.remove(service)
            return
        }
        let previous = keeping[service]
        let task = Task {
            await previous?.value
            awaited.remove(service)
            await keepNow(service)
        }
        keeping[service] = task
        await task.value
        if keeping[service] == task { keeping[service] = nil }
    }

    private func keepNow(_ service: String) async {
        do {
            for _ in 0..<Self.maximumAttempts {
                guard isUnkept(service), let mine = machine.record(of: service),
                    let known = kept[service]
                else { return }
                let document = QoSPersistence.document(mine, time)
                let changes = unkept.removeValue(forKey: service) ?? []
                do {
                    let decision = QoSKeptDecision(
                        service: service, previous: known.record.generation, generation: mine.generation,
                        state: document, changes: changes)
                    switch try await ledger.decide(decision) {
                    case .kept: kept[service] = Kept(record: mine, document: document)
                    case .overtaken(let memory):
                        unkept[service] = changes + (unkept[service] ?? [])
                        merge(service, with: memory)
                    }
                } catch {
                    unkept[service] = (changes + (unkept[service] ?? [])).suffix(Self.maximumUnkept)
                    throw error
                }
            }
        } catch {
            logger.error("a QoS decision was not kept", metadata: ["reason": "\(error)"])
        }
    }
}

extension QoSConfiguration {
    fileprivate var settings: QoSSettings {
        var settings = QoSSettings()
        settings.recovery = recovery
        settings.capacityPerMinute = capacityPerMinute
        settings.releaseMemory = max(.seconds(60), poll * 2)
        settings.probeMemory = max(.seconds(30), probe * 3)
        return settings
    }
}
