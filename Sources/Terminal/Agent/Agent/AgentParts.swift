import Base

internal import CurlTransport
internal import MachineRuntime
internal import Foundation
internal import HubProtocol
internal import LinuxNetwork
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The parts of a running agent, wired to each other and not yet running.
final class AgentParts: Sendable {
    let home: TerminalHome
    let tuning: RemoteConfiguration
    let enrolment: Enrolment
    let logger: Logger
    let time: any SystemTime
    let database: TerminalDatabase
    let facts: SQLiteTerminalFacts
    let catalogue: SQLiteCatalogue
    let copy: SQLiteFeedCopy
    let outbox: SQLiteOutbox
    let periods: SQLiteOfflinePeriods
    let periodLog: PeriodLog
    let pinger: ICMPPinger?
    let session: CurlSession
    let hub: HubClient
    let token: TokenKeeper
    let qos: CurlQoSConsultant
    let drainer: OutboxDrainer
    let attachments: SQLiteAttachments
    let uploader: AttachmentUploader
    let telemetry: TelemetryFeed
    let offline: OfflineService
    let permissions: SyncPermissions
    let feed: CatalogueFeed
    let checkout: Checkout
    let orders: Orders
    var authority: Authority { checkout.authority }
    let revisions: StatusRevisions
    let apis: CoreAPIs
    let schema: SchemaStatus
    let hubClock: HubTimeKeeper

    /// - Parameter recording: whether the machine's events are kept; a command that only looks keeps none.
    init(
        home: TerminalHome, sources: ConfigurationSources, logLevel: String, loop: EventLoop,
        recording: Bool = true
    ) async throws(TerminalError) {
        self.home = home
        logger = TerminalLog.logger(level: logLevel)
        time = LinuxSystemTime(loop: loop)
        revisions = StatusRevisions(time: time)
        apis = try CoreAPIsFile.load(try sources.configuration().coreAPIsFile)
        let openedAt = time.wallMilliseconds()
        let store = try await TerminalStores(home: home, time: time)
        if let leap = try? await store.facts.orderNumberLeap(), leap.at >= openedAt {
            logger.warning("\(leap.message)")
        }
        try await Self.fill(store.copy)
        let tuning = try await RemoteConfiguration(sources: sources, store: store, logger: logger)
        self.tuning = tuning
        let configuration = tuning.configuration
        if recording, !configuration.isTimeZoneSet {
            logger.warning("\(TerminalConfiguration.timeZoneWarning)")
        }
        database = store.database
        enrolment = store.enrolment
        facts = store.facts
        catalogue = store.catalogue
        copy = store.copy
        outbox = store.outbox
        periods = store.periods
        let relay = OutcomeRelay(apis: apis)
        let schema = SchemaStatus(home: home)
        self.schema = schema
        let hubClock = HubTimeKeeper(facts: store.facts, time: time)
        self.hubClock = hubClock
        let link = try HubLink(
            configuration: configuration, home: home, store: store, time: time, observer: relay,
            schema: schema, clock: hubClock, loop: loop, logger: logger)
        (session, hub, token) = (link.session, link.hub, link.token)
        let heads = link.heads
        qos = CurlQoSConsultant(client: hub, head: heads.head)
        var seeds = SystemRandomNumberGenerator()
        let uploads = UploadRelay()
        let tally = SyncTally(startedAt: time.wallMilliseconds())
        let service = TelemetryReporter(
            tally: tally, outbox: store.outbox, periods: store.periods, facts: store.facts, time: time)
        drainer = OutboxDrainer(
            storage: RelayingOutbox(
                outbox: store.outbox, uploads: uploads, facts: store.facts, logger: logger),
            uplink: TallyingUplink(
                uplink: CurlMutationUplink(
                    client: hub, telemetry: { await service.rider() }, head: heads.head), tally: tally),
            time: time,
            settings: configuration.outboxSettings, seed: seeds.next())
        pinger = link.pinger
        periodLog = try await store.periodLog(logger: logger)
        let recorder = recording ? FlightRecorderFile(home: home.path) : nil
        offline = OfflineService(
            settings: configuration.offlineSettings, apis: apis,
            ports: OfflinePorts(
                time: time, path: link.path, ping: link.pinger ?? NoPing(),
                probe: ReportingProbe(probe: link.probe, drainer: drainer), qos: qos,
                canary: TerminalCanary(drainer: drainer, others: link.canary(epoch: store.outbox)),
                manualFlag: ManualFlagFile(home: home.path), lastRun: store.lastRun,
                silences: SilencesFile(home: home, logger: logger), periods: periodLog,
                recorder: recorder ?? NoRecorder(),
                pace: DrainPacing(drainer: drainer)),
            seed: seeds.next(), logger: logger)
        relay.connect(to: offline)
        relay.connect(to: drainer)
        let (offline, permissions) = (
            offline, SyncPermissions(offline: offline, tuning: tuning, time: time)
        )
        self.permissions = permissions
        feed = CatalogueFeed(
            CataloguePull(hub: hub, catalogue: store.catalogue, time: time, logger: logger),
            records: await PullRecordStore(store.facts),
            interval: { tuning.configuration.pullInterval }, policy: { permissions.current },
            isRefused: { schema.isRefusedNow },
            afterPull: { [copy, logger] in
                await tuning.refresh(offline)
                await Self.refresh(copy, logger)
            })
        let (drainer, time) = (drainer, time)
        attachments = SQLiteAttachments(
            store.database, folder: AttachmentFolder(home: home.path), now: { time.wallMilliseconds() })
        uploader = AttachmentUploader(
            storage: attachments, uplink: CurlAttachmentUplink(client: hub), time: time,
            settings: UploadSettings(outbox: configuration.outboxSettings), seed: seeds.next(),
            permission: { permissions.current.uploadPermission(isAsked: $0) },
            whenFinished: { drainer.rowsChanged() })
        uploads.connect(to: uploader)
        service.connect(to: offline, permissions)
        telemetry = TelemetryFeed(
            service: service, hub: hub, head: heads.head, interval: { tuning.configuration.pullInterval })
        let delivery = DrainerDelivery(drainer: drainer) { tuning.configuration.onlineBudget }
        checkout = Checkout(
            ports: CheckoutPorts(
                modes: offline, catalogue: store.catalogue, ledger: store.ledger, intents: store.intents,
                cards: HubCardAuthorizing(hub: hub), counter: CounterPorts(hub: hub, store: store),
                delivery: delivery, time: time, hubClock: hubClock),
            policy: tuning.checkoutPolicy)
        orders = Orders(
            archive: store.orders, modes: offline, delivery: delivery, time: time,
            authority: checkout.authority, policy: tuning.checkoutPolicy)
        feed.whenAnswered { drainer.checkIn() }
        offline.register(feed)
        if let recorder { offline.register(recorder) }
        let revisions = revisions
        schema.whenChanged { revisions.advance() }
        await token.connect(
            to: hub, onRenewal: { drainer.identityRenewed() }, onReturn: { drainer.rowsChanged() })
    }

    private static func fill(_ copy: SQLiteFeedCopy) async throws(TerminalError) {
        do throws(CatalogueError) {
            try await copy.refresh()
        } catch {
            throw TerminalError(.unusable, code: "database_unusable", "\(error)")
        }
    }

    /// What could not be read anew stays as it was in memory.
    private static func refresh(_ copy: SQLiteFeedCopy, _ logger: Logger) async {
        do throws(CatalogueError) {
            try await copy.refresh()
        } catch {
            logger.error("people and offers stay as the pull before brought them: \(error)")
        }
    }
}
