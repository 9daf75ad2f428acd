internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import OfflineCore

/// Runs the QoS decision machine: stamps the time, keeps what it decides, words its verdicts.
actor QoSEngine {
    /// The services of the contract (http.md, section 6).
    static let services = ["account", "marketing", "member", "order", "payment", "product"]

    let issuer: String
    private let ledger: any QoSLedger
    private let configuration: QoSConfiguration
    private let time: QoSTime
    private let logger: Logger
    private var machine: QoSDecisionMachine
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

    /// An engine that goes on from what `ledger` remembers.
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
        for (service, kept) in memory.services {
            machine.restore(QoSKeeping.record(service, kept, time), at: now)
        }
        (deadlines, deadline) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        deadline.yield(machine.deadline)
    }

    /// Goes on from what other processes on the same store decided since.
    func adopt() async throws(LedgerError) {
        for (service, kept) in try await ledger.load().services {
            machine.adopt(QoSKeeping.record(service, kept, time), at: time.now())
        }
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
                failed: Int(clamping: report.failed)))
    }

    /// Counts what terminals reported to the other processes since the last time, and tells them what was
    /// reported here. What cannot be told now is told next time.
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

    /// More says nothing new, and would wait for a store that is down.
    private static let maximumUnshared = 10_000

    var knownServices: [String] { machine.knownServices }

    /// Takes an event in and keeps what it changed.
    func handle(_ event: QoSEvent) async {
        let effects = machine.handle(event, at: time.now())
        // Without a decision the deadline only moves away, and waking up too early is harmless.
        if !effects.isEmpty { deadline.yield(machine.deadline) }
        for case .keep(let transition) in effects { await keep(transition) }
    }

    /// Does what time alone brings about.
    func wake() async {
        await handle(.deadlineReached)
        deadline.yield(machine.deadline)
    }

    /// A store that fails takes nothing from the decisions: they hold in memory, and the log says so.
    private func keep(_ transition: QoSTransition) async {
        guard let record = machine.record(of: transition.service) else { return }
        logger.notice(
            "\(transition.service) is \(transition.state.rawValue)",
            metadata: [
                "scope": "\(transition.scope.rawValue)", "subject": "\(transition.subject)",
                "reason": "\(transition.reason)",
            ])
        do {
            try await ledger.keep(
                service: transition.service, generation: record.generation,
                state: QoSKeeping.document(record, time), change: QoSKeeping.document(transition, time))
        } catch {
            logger.error("a QoS decision was not kept", metadata: ["reason": "\(error)"])
        }
    }

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
            guard let status = machine.status(of: service, at: time.now()) else { continue }
            let history = try await ledger.history(of: service, limit: 20)
            services.append(QoSKeeping.document(status, history: history, time))
        }
        return ["issuer": .string(issuer), "services": .array(services)]
    }

    /// An operator's word; `until` in milliseconds since 1970.
    func override(
        _ service: String, state: ServiceDecision.State, reason: String, by name: String, until: Int64?
    ) async {
        let word = QoSOverride(state: state, reason: reason, by: name, until: until.map(time.instant))
        await handle(.overridden(service: service, word))
    }
}

extension QoSConfiguration {
    fileprivate var settings: QoSSettings {
        var settings = QoSSettings()
        settings.recovery = recovery
        settings.capacityPerMinute = capacityPerMinute
        settings.herdMemory = max(.seconds(60), poll * 2)
        return settings
    }
}
