import Base
package import AgentAPI
internal import CurlHTTP
internal import CurlTransport
internal import Foundation
internal import HubProtocol
internal import LinuxNetwork
internal import Logging
internal import Logs
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import Synchronization
internal import TerminalStore
internal import MachineRuntime

/// What `pos init` is requested to do.
package struct EnrolmentCommand: Sendable {
    /// `https://`; `http://` is for loopback, or where ``allowInsecure`` is set.
    package let hubURL: String
    /// The one-time code of `pos-hub enrol-code`.
    package let code: String
    /// In the hub's lists; when not given the one of before, or the machine's host name.
    package let name: String?
    /// Allows `http://` to a hub on another machine; kept in the configuration.
    package let allowInsecure: Bool
    /// Absolute path of the certificates (PEM) that vouch for the hub in the place of the system's, kept as
    /// `hub.caFile`; nil leaves what is configured.
    package let caFile: String?

    /// An enrolment; nil as `name` and `caFile` keeps what there is. Nothing is checked here.
    package init(hubURL: String, code: String, name: String?, allowInsecure: Bool, caFile: String? = nil) {
        self.caFile = caFile
        self.hubURL = hubURL
        self.code = code
        self.name = name
        self.allowInsecure = allowInsecure
    }
}

extension TerminalLaunch {
    /// Makes the home, the device key and the configuration, enrols, and pulls the catalogue.
    ///
    /// On an existing home it enrols anew: journal, outbox, flag and settings stay. An agent that runs lets
    /// the home go meanwhile.
    ///
    /// - Throws: kind `hubRefused` when the hub does not take the code, `tryAgain` when it was not reached.
    package func initialise(_ order: EnrolmentCommand) async throws(TerminalError) -> EnrolmentResult {
        try TerminalError.refuseCardNumbers(in: [order.hubURL, order.code, order.name])
        let insecure = order.allowInsecure || environment["POS_HUB_ALLOW_INSECURE"] == "true"
        _ = try TerminalConfiguration.checkedURL(order.hubURL, key: "--hub", allowInsecure: insecure)
        try home.create()
        let lock = try await lockForEnrolment()
        defer { withExtendedLifetime(lock) {} }
        let draft = ConfigurationDraft(path: configurationPath)
        let trusted = draft.caFile
        try draft.write(
            hubURL: order.hubURL, allowInsecure: order.allowInsecure,
            caFile: order.caFile ?? environment["POS_HUB_CA_FILE"].flatMap { $0.isEmpty ? nil : $0 })
        let configuration = try await loadConfiguration()
        let key = try DeviceKey(home: home, creating: true)
        let database = try TerminalStores.open(home: home, creating: true)
        defer { database.close() }
        let grant: EnrolmentGrant
        do throws(TerminalError) {
            grant = try await enrol(order, configuration, key, SQLiteTerminalFacts(database))
        } catch {
            // A wrong authority must not stay: without --ca-file the next try could not get rid of it.
            try? draft.takeBack(caFile: trusted)
            throw error
        }
        let count = try await firstPull(configuration, grant, database)
        return EnrolmentResult(
            terminalId: grant.terminalId, storeId: grant.storeId, terminalNumber: grant.terminalNumber,
            hub: configuration.hubURL, products: Int64(count))
    }

    private func enrol(
        _ order: EnrolmentCommand, _ configuration: TerminalConfiguration, _ key: DeviceKey,
        _ facts: SQLiteTerminalFacts
    ) async throws(TerminalError) -> EnrolmentGrant {
        let session = try context.session(caFile: configuration.caFile)
        defer { session.close() }
        // It is sent once and has to pass on every path; an agent finds out later what its path carries.
        session.useSmallSegments(true)
        let hub = HubClient(
            session: session, configuration: try HubLink.clientConfiguration(configuration), access: .none,
            time: context.time, observer: nil)
        let grant: EnrolmentGrant
        let kept = (try? await facts.fact(TokenKeeper.nameFact)) ?? nil
        let name = order.name ?? kept ?? ProcessInfo.processInfo.hostName
        do throws(HubCallError) {
            grant = try await hub.enrol(
                EnrolmentRequest(enrolmentCode: order.code, name: name, publicKey: key.publicKey)
            ) { key.sign($0) }
        } catch {
            throw TerminalError(enrolling: error, at: configuration.hubURL)
        }
        let enrolment = Enrolment(
            terminalId: grant.terminalId, storeId: grant.storeId, terminalNumber: grant.terminalNumber,
            token: grant.token, tokenExpiresAt: grant.tokenExpiresAt)
        do {
            try await facts.enrol(enrolment, epoch: grant.epoch, hubKeys: grant.hubKeys)
            try await facts.keep(name, as: TokenKeeper.nameFact)
            if let hub = Timestamp.milliseconds(of: grant.hubTime) {
                // The agent compares its first time of the hub with it.
                try await facts.keep(hubTime: KnownHubTime(hub: hub, at: MachineMoment(context.time)))
            }
        } catch {
            throw TerminalError(.notDurable, code: "enrolment_not_kept") { $0.enrolmentNotKept("\(error)") }
        }
        return grant
    }

    /// The catalogue as far as it comes now; what fails here is pulled by the agent.
    private func firstPull(
        _ configuration: TerminalConfiguration, _ grant: EnrolmentGrant, _ database: TerminalDatabase
    ) async throws(TerminalError) -> Int {
        let time = context.time
        let catalogue = SQLiteCatalogue(database, now: { time.wallMilliseconds() })
        let records = await PullRecordStore(SQLiteTerminalFacts(database))
        let session = try context.session(caFile: configuration.caFile)
        defer { session.close() }
        session.useSmallSegments(true)
        let hub = HubClient(
            session: session, configuration: try HubLink.clientConfiguration(configuration),
            access: HubAccess(token: { grant.token }, renew: { false }), time: time, observer: nil)
        let logger = LogStream.ofSetup.logger(label: "pos")
        let skipped = Mutex<[SkippedRow]>([])
        let pull = CataloguePull(
            hub: hub, catalogue: catalogue, time: time, logger: logger,
            noteSkipped: { row in skipped.withLock { $0.append(row) } })
        do {
            // A hub that was restored or replaced has other cursors: an enrolment begins a fresh generation.
            try await catalogue.startAgain()
            _ = try await pull(.everything)
            await records.change {
                $0.succeed(at: time.wallMilliseconds(), passingOver: skipped.withLock { $0 })
            }
            return try await catalogue.count()
        } catch {
            let problem = "\(error)".printable
            logger.warning("the catalogue was not pulled yet, the agent goes on: \(problem)")
            await records.change { $0.fail(problem, passingOver: skipped.withLock { $0 }) }
            return 0
        }
    }
}

extension TerminalError {
    /// Why an enrolment came to nothing.
    fileprivate init(enrolling error: HubCallError, at hub: String) {
        switch error {
        case .refused(let problem):
            self.init(.hubRefused, code: problem.code.rawValue) {
                $0.enrolmentRefused(problem.detail.isEmpty ? problem.title : problem.detail)
            }
        case .noResponse(let outcome):
            self.init(.tryAgain, code: "hub_unreachable") {
                $0.noHub(at: hub, outcome.words, isForeign: outcome == .portal(.foreignCertificate))
            }
        case .notContract(let detail):
            self.init(.hubRefused, code: "not_a_hub") { $0.otherHub(at: hub, detail) }
        }
    }
}
