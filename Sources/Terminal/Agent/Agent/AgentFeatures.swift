internal import AgentAPI
internal import CurlHTTP
internal import CurlTransport
internal import Foundation
internal import HubProtocol
internal import Logging
internal import Logs
internal import LinuxNetwork
internal import LinuxRuntime
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// What every feature is made of: the open store, the settings in force, the connection to the hub.
struct AgentFoundation: Sendable {
    let home: TerminalHome
    let logger: Logger
    let time: any SystemTime
    /// The clock by which the store sells.
    var storeTime: any SystemTime { hubClock.storeTime }
    let store: TerminalStores
    let tuning: RemoteConfiguration
    let apis: CoreAPIs
    let revisions: StatusRevisions
    let schema: SchemaStatus
    /// What the sockets of this machine wait on; nil: there are none.
    let sockets: EventLoop?
    let hasThreads: Bool
    /// The way to the store's other tills; nil: there is none.
    let neighbours: (any NeighbourNetwork)?
    let hubClock: HubTimeKeeper
    let news: HubNews
    let link: HubLink
    let certificate: HubCertificate
    /// To a card machine that speaks HTTPS, beside whatever path the hub is reached by; nil: there is none.
    let cardSession: (any HTTPSession)?
    /// To devices of the shop's network that take bytes.
    let connect: @Sendable (DeviceAddress, Duration) async -> (any DeviceLine)?

    var configuration: TerminalConfiguration { tuning.configuration }

    /// - Parameter isRecording: false for a command that only looks: it warns of nothing.
    init(
        home: TerminalHome, sources: ConfigurationSources, log: LogStream,
        context: any TerminalContext, isRecording: Bool
    ) async throws(TerminalError) {
        self.home = home
        logger = log.logger(label: "pos")
        time = context.time
        sockets = context.sockets
        (neighbours, hasThreads) = (context.neighbours, context.hasThreads)
        connect = { address, limit in await context.connect(to: address, within: limit) }
        revisions = StatusRevisions(time: time)
        apis = try CoreAPIsFile.load(try sources.configuration().coreAPIsFile)
        let openedAt = time.wallMilliseconds()
        hubClock = HubTimeKeeper(time: time)
        store = try await TerminalStores(home: home, hubClock: hubClock)
        if let leap = try? await store.facts.orderNumberLeap(), leap.at >= openedAt {
            logger.warning("\(leap.message)")
        }
        do throws(CatalogueError) {
            try await store.copy.refresh()
        } catch {
            throw TerminalError(.unusable, code: "database_unusable") { $0.databaseUnusable("\(error)") }
        }
        tuning = try await RemoteConfiguration(sources: sources, store: store, logger: logger)
        if isRecording, !tuning.configuration.isTimeZoneSet {
            logger.warning("\(TerminalConfiguration.timeZoneWarning)")
        }
        schema = SchemaStatus(home: home) { [revisions] in revisions.advance() }
        await hubClock.start(store.facts) { [tuning] in tuning.checkoutPolicy.calendar }
        news = HubNews(apis: apis)
        link = try HubLink(
            configuration: tuning.configuration, home: home, store: store, news: news, schema: schema,
            clock: hubClock, context: context, logger: logger)
        cardSession =
            if case .nexo(let place, _)? = tuning.configuration.cardMachine?.way {
                try context.session(caFile: place.caFile)
            } else {
                nil
            }
        certificate = HubCertificate(
            isSecure: link.probe.isSecure, facts: store.facts, time: time, logger: logger,
            shake: link.probe.certificate
        ) { [revisions] in revisions.advance() }
    }
}

/// The agent's features, wired to each other and not yet running.
struct AgentFeatures: Sendable {
    let foundation: AgentFoundation
    let modes: ModesFeature
    let sync: SyncFeature
    let catalogue: CatalogueFeature
    let sales: SalesFeature
    let printing: PrintingFeature
    let neighbours: NeighboursFeature
    private let banner = SteadyBanner()

    /// - Parameter isRecording: whether the machine's events are kept; a command that only looks keeps none.
    init(_ foundation: AgentFoundation, isRecording: Bool) async throws(TerminalError) {
        self.foundation = foundation
        modes = try await ModesFeature(foundation, isRecording: isRecording)
        neighbours = NeighboursFeature(foundation, modes, isReader: !isRecording)
        sync = SyncFeature(foundation, modes, neighbours)
        sales = SalesFeature(foundation, modes, sync, neighbours)
        catalogue = await CatalogueFeature(foundation, modes, sync, sales)
        printing = PrintingFeature(foundation, sales, isReader: !isRecording)
    }

    /// Runs everything until the task is cancelled.
    ///
    /// - Parameter isLasting: whether it may be long until the next sale, and there may be many.
    func run(isLasting: Bool) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await modes.run() }
            group.addTask { await sync.run() }
            group.addTask { await catalogue.feed.run() }
            group.addTask { await sales.followSales(isLasting: isLasting) }
            group.addTask { [sales] in
                await (sales.cardMachine ?? sales.formerCardMachine).follow()
            }
            group.addTask { await sales.frontEnds.run() }
            group.addTask { await printing.run() }
            if isLasting {
                group.addTask { await neighbours.follow() }
                group.addTask { await sync.telemetry.follow(neighbours.moves) }
            }
            group.addTask { await foundation.link.token.run() }
            group.addTask { await foundation.certificate.run() }
            group.addTask { await foundation.news.deliver(to: modes.offline, sync.drainer, catalogue.feed) }
            group.addTask { await modes.requests.deliver(to: sync.drainer) }
            group.addTask { await follower.run() }
        }
    }

    private var follower: ModeFollower {
        ModeFollower(
            offline: modes.offline, permissions: modes.permissions, drainer: sync.drainer,
            uploader: sync.uploader, feed: catalogue.feed, token: foundation.link.token,
            session: foundation.link.session, revisions: foundation.revisions, banner: banner,
            time: foundation.time)
    }

    /// Ends the transport and closes the store, once nothing runs any more.
    func close() async {
        foundation.link.session.close()
        foundation.cardSession?.close()
        await foundation.hubClock.finish()
        foundation.store.database.close()
    }

    /// The table of the agent's requests.
    ///
    /// - Parameters:
    ///   - isRunning: false for a reader of the disk, where nothing runs.
    ///   - isOfCommand: whether the agent ends with the command that runs it.
    ///   - handOver: ends the agent's work for another program that needs the data folder.
    func handler(
        isRunning: Bool, isOfCommand: Bool, handOver: (@Sendable () -> Void)? = nil
    ) -> AgentHandler {
        let reader = sync.reader(foundation, modes, isRunning: isRunning)
        let (time, store, authority) = (foundation.time, foundation.store, sales.checkout.authority)
        let handlers: [any RequestHandler] = [
            ModesHandler(
                status: statusReader(isRunning: isRunning), revisions: foundation.revisions,
                offline: modes.offline, authority: authority, qos: modes.qos, history: store.history,
                doctor: doctor, drill: drill, isOfCommand: isOfCommand, handOver: handOver),
            SalesHandler(
                checkout: sales.checkout, orders: sales.orders, carts: sales.carts,
                frontEnds: sales.frontEnds, catalogue: store.catalogue,
                search: store.search, printing: printing, receipts: foundation.link.receipts,
                disk: sales.disk, revisions: foundation.revisions, time: time,
                logger: foundation.logger),
            CartsHandler(
                carts: sales.carts, frontEnds: sales.frontEnds, isRunning: isRunning,
                logger: foundation.logger),
            ShiftsHandler(
                shifts: sales.shifts, facts: store.facts, printing: printing,
                revisions: foundation.revisions),
            SessionHandler(authority: authority, revisions: foundation.revisions),
            MembersHandler(members: sales.members),
            OrdersHandler(
                orders: sales.orders, attachments: sync.attachments, uploader: sync.uploader,
                printing: printing, receipts: foundation.link.receipts),
            PrintingHandler(printing: printing),
            CardMachineHandler(
                machine: sales.cardMachine, former: sales.formerCardMachine, storedCards: sales.offlineCards,
                authority: authority, drainer: sync.drainer,
                time: foundation.storeTime,
                calendar: { [tuning = foundation.tuning] in tuning.checkoutPolicy.calendar }),
            NeighboursHandler(neighbours: neighbours),
            NotesHandler(
                notes: SQLiteNotes(store.database), authority: authority, attachments: sync.attachments,
                drainer: sync.drainer, uploader: sync.uploader, time: foundation.storeTime),
            SyncHandler(
                reader: reader, offline: modes.offline, token: foundation.link.token,
                feed: catalogue.feed, telemetry: sync.telemetry, tuning: foundation.tuning,
                hubClock: foundation.hubClock, export: export),
            RefusalsHandler(
                refusals: Refusals(SQLiteRefusals(store.database)), drainer: sync.drainer,
                authority: authority, revisions: foundation.revisions, time: foundation.storeTime),
        ]
        return AgentHandler(handlers) { [tuning = foundation.tuning] in tuning.configuration.language }
    }

    private func statusReader(isRunning: Bool) -> StatusReader {
        StatusReader(
            store: foundation.store, offline: modes.offline, drainer: sync.drainer,
            permissions: modes.permissions, path: modes.path, feed: catalogue.feed,
            checkout: sales.checkout, carts: sales.carts, cardReturns: sales.cardReturns,
            cardMachine: sales.cardMachine,
            saleWaits: sync.saleWaits, disk: sales.disk, drill: modes.drill, tuning: foundation.tuning,
            schema: foundation.schema,
            hubClock: foundation.hubClock, certificate: foundation.certificate, banner: banner,
            neighbours: neighbours,
            time: foundation.storeTime, revisions: foundation.revisions, isRunning: isRunning)
    }

    private var doctor: Doctor {
        Doctor(
            home: foundation.home, store: foundation.store, tuning: foundation.tuning,
            schema: foundation.schema, hubClock: foundation.hubClock, time: foundation.storeTime,
            offline: modes.offline, drainer: sync.drainer, feed: catalogue.feed, checkout: sales.checkout,
            cardReturns: sales.cardReturns,
            formerCardMachine: sales.cardMachine == nil ? sales.formerCardMachine : nil,
            carts: sales.carts, qos: modes.qos, token: foundation.link.token,
            certificate: foundation.certificate, path: modes.path,
            isPinging: foundation.link.pinger != nil, printing: printing, speed: sales.disk,
            neighbours: neighbours)
    }

    private var drill: OutageDrill {
        OutageDrill(
            control: modes.drill, offline: modes.offline, session: foundation.link.session,
            store: foundation.store, checkout: sales.checkout, periods: modes.periodLog,
            revisions: foundation.revisions, time: foundation.time)
    }

    private func export(_ call: ExportCall) async throws(TerminalError) -> ExportCall.Response {
        try await JournalExportRequest.write(
            foundation.store.database, sync.attachments.folder, of: foundation.home, to: call.file,
            call.plainReason)
    }
}
