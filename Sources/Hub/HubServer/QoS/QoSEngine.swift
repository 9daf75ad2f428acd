import Base

internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import OfflineCore
internal import LinuxRuntime
internal import MachineRuntime

/// Owns the driver of the QoS decision machine: keeps what the machine decides, formats its decisions.
///
/// Callers get their response from the machine at once, so their events pass the driver's inbox by; its loop
/// (``run()``) does what time alone brings about.
///
/// A decision holds in this process at once and is kept by compare-and-set: only if the store still holds the
/// generation that it was made from. The second one merges its decision with what the first one stored
/// (``QoSServiceRecord/merged(with:since:)``) and tries again, so that all processes on one store end with
/// one state.
actor QoSEngine {
    /// The services of the contract (http.md, section 6).
    static let services = ["account", "marketing", "member", "order", "payment", "product"]

    let issuer: String
    let ledger: any QoSLedger
    private let configuration: QoSConfiguration
    private let time = LinuxSystemTime.hub
    private let logger: Logger
    private let driver: MachineDriver<QoSDecisionMachine>
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
    private var followers = QoSFollowers()
    private var position: Int64?
    /// The name of this process among those that share the store.
    private let process = UUID().uuidString
    /// Whether other processes decide in the same store.
    private let isShared: Bool

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
        let now = time.now()
        var machine = QoSDecisionMachine(
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
        driver = MachineDriver(machine, time: time, wakeUp: { [.deadlineReached] })
    }

    /// Runs until the task is cancelled. Called once.
    func run() async {
        await withDiscardingTaskGroup { group in
            await driver.run(in: &group) { _, effects, _ in
                keepSoon(note(effects))
                return []
            } perform: { _, _ in
            }
        }
    }

    /// Takes a terminal's report in, and remembers it for the other processes.
    func take(_ report: SharedReport) async {
        if isShared, unshared.count < Self.maximumUnshared { unshared.append(report) }
        count(report)
    }

    private func count(_ report: SharedReport) {
        let reporter = QoSReporter(terminalId: report.terminalId, storeId: report.storeId)
        handle(
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
                mine, of: process, after: position, at: LinuxSystemTime.hub.wallMilliseconds())
            position = taken.position
            for report in taken.reports { count(report) }
        } catch {
            unshared = Array((mine + unshared).suffix(Self.maximumUnshared))
            throw error
        }
    }

    /// More adds no information, and would wait for a store that is down.
    private static let maximumUnshared = 10_000

    var knownServices: [String] { driver.withMachine { $0.knownServices } }

    /// Takes an event in. What it changes holds at once and is kept beside what comes next, so that a store
    /// that hangs delays no response.
    func handle(_ event: QoSEvent) { keepSoon(apply(event)) }

    private func keepSoon(_ services: Set<String>) {
        for service in services where awaited.insert(service).inserted {
            Task { await keep(service) }
        }
    }

    /// - Returns: the services that it changed.
    private func apply(_ event: QoSEvent) -> Set<String> {
        let effects = driver.handle(event)
        // Without a decision the deadline only moves away, and waking up too early is harmless.
        if !effects.isEmpty { driver.rearm() }
        return note(effects)
    }

    /// - Returns: the services that `effects` changed.
    private func note(_ effects: [QoSEffect]) -> Set<String> {
        var changed: Set<String> = []
        for case .keep(let transition) in effects {
            note(transition)
            changed.insert(transition.service)
        }
        return changed
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
    ///
    /// - Parameters:
    ///   - tag: that of the response which the terminal holds; nil for none.
    ///   - known: the generations that the terminal names itself.
    func decisions(
        on services: [String], for reporter: QoSReporter, holding tag: String? = nil,
        knowing known: [String: Int64] = [:]
    ) async -> QoSDecisionPage {
        handle(.queried(by: reporter))
        let now = time.now()
        let results = driver.withMachine { machine in
            services.compactMap { machine.decision(on: $0, for: reporter, at: now) }
        }
        let page = QoSDecisionPage(
            results: results, issuer: issuer, issuedAt: LinuxSystemTime.hub.wallMilliseconds(),
            poll: configuration.poll,
            since: { self.time.wallMilliseconds(of: $0) })
        let generations = Dictionary(results.map { ($0.service, $0.generation) }) { $1 }
        let isHeld = tag != nil && tag == page.entityTag
        followers.note(
            reporter, sent: generations,
            confirmed: isHeld ? generations : known.filter { generations[$0.key] != nil },
            at: LinuxSystemTime.hub.wallMilliseconds())
        return page
    }

    /// What each terminal follows that polled or reported here since the start, beside the decisions of now.
    func terminals() -> JSONValue {
        handle(.deadlineReached)
        let now = time.now()
        return driver.withMachine { machine in
            followers.document { machine.decision(on: $0, for: $1, at: now) }
        }
    }

    /// The newest changes first, of one service or of all, each with its evidence.
    func history(of service: String?, limit: Int) async throws(LedgerError) -> JSONValue {
        var changes: [(at: String, service: String, change: JSONValue)] = []
        for name in service.map({ [$0] }) ?? knownServices {
            await keep(name)
            for change in try await ledger.history(of: name, limit: limit) {
                var members = change.object ?? [:]
                members["service"] = .string(name)
                changes.append((change["at"]?.string ?? "", name, .object(members)))
            }
        }
        // The store gives each service's newest first; equal moments stay in that order.
        let order = changes.indices.sorted {
            (changes[$1].at, $0) < (changes[$0].at, $1)
        }
        return .array(order.prefix(limit).map { changes[$0].change })
    }

    /// Every service for operators.
    ///
    /// - Parameter limit: how many of its last changes; a page's plot shows more than the contract's list.
    func status(history limit: Int = 20) async throws(LedgerError) -> JSONValue {
        handle(.deadlineReached)
        var services: [JSONValue] = []
        let proposals = try await proposals()
        for service in knownServices {
            await keep(service)
            let now = time.now()
            guard let status = driver.withMachine({ $0.status(of: service, at: now) }) else { continue }
            let history = try await ledger.history(of: service, limit: limit)
            services.append(
                QoSPersistence.document(
                    status, history: history, proposal: proposals.first { $0.service == service }, time))
        }
        return ["issuer": .string(issuer), "services": .array(services)]
    }

    /// An operator's decision for a store, or for the chain; kept when it returns. `until` is in milliseconds
    /// since 1970.
    func override(
        _ service: String, state: ServiceDecision.State, reason: String, by name: String, until: Int64?,
        storeId: String? = nil
    ) async {
        let decision = QoSOverride(
            state: state, reason: reason, by: name, until: until.map(time.instant(ofWall:)))
        await decide(service, .overridden(service: service, decision, storeId: storeId))
    }

    /// Takes an operator's decision back, one that was made at another hub just now included.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func liftOverride(_ service: String, storeId: String? = nil) async -> Bool {
        await decide(service, .overrideLifted(service: service, storeId: storeId))
    }

    /// - Returns: whether it changed something.
    @discardableResult
    private func decide(_ service: String, _ event: QoSEvent) async -> Bool {
        do {
            try await adopt()
        } catch {
            logger.error("what other processes decided was not read", metadata: ["reason": "\(error)"])
        }
        let changes = apply(event)
        for changed in changes { await keep(changed) }
        return !changes.isEmpty
    }
}

/// Overrides for the chain that wait for a second operator.
extension QoSEngine {
    func propose(_ proposal: QoSProposal) async throws(LedgerError) { try await ledger.propose(proposal) }

    func proposals() async throws(LedgerError) -> [QoSProposal] {
        try await ledger.proposals(at: LinuxSystemTime.hub.wallMilliseconds())
    }

    func takeProposal(of service: String, id: String?) async throws(LedgerError) -> QoSProposal? {
        try await ledger.takeProposal(of: service, id: id)
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
        for service in knownServices where isUnkept(service) { await keep(service) }
    }

    private func isUnkept(_ service: String) -> Bool {
        driver.withMachine { $0.generation(of: service) } != kept[service]?.record.generation
    }

    private func merge(_ service: String, with memory: QoSMemory.Kept) {
        guard let known = kept[service], let mine = record(of: service) else { return }
        let theirs = QoSPersistence.record(service, memory, time)
        let now = time.now()
        driver.withMachine { $0.adopt(mine.merged(with: theirs, since: known.record), at: now) }
        kept[service] = Kept(record: theirs, document: memory.state)
        driver.rearm()
    }

    private func record(of service: String) -> QoSServiceRecord? {
        driver.withMachine { $0.record(of: service) }
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
                guard isUnkept(service), let mine = record(of: service),
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
