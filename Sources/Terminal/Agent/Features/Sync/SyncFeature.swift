internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import MachineRuntime
internal import OfflineMode
internal import TerminalStore

/// The way of what was recorded to the hub: outbox, attachments, telemetry.
struct SyncFeature: Sendable {
    let drainer: OutboxDrainer
    /// Of the drainer and the checkout together.
    let saleWaits = SaleWaits()
    let uploader: AttachmentUploader
    let attachments: SQLiteAttachments
    let telemetry: TelemetryFeed
    private let outbox: ReportingOutbox
    private let reopenings: AsyncStream<Void>

    init(_ foundation: AgentFoundation, _ modes: ModesFeature, _ neighbours: NeighboursFeature) {
        let (store, time, tuning) = (foundation.store, foundation.time, foundation.tuning)
        let (hub, head) = (foundation.link.hub, foundation.link.heads.head)
        let (permissions, settings) = (modes.permissions, foundation.configuration.outboxSettings)
        let tally = SyncTally(startedAt: time.wallMilliseconds())
        let reporter = TelemetryReporter(
            tally: tally, outbox: store.outbox, history: store.history, facts: store.facts,
            offline: modes.offline, permissions: permissions, neighbours: neighbours,
            time: foundation.storeTime)
        var seeds = SystemRandomNumberGenerator()
        let absences = HubAbsences(store.database)
        let outbox = ReportingOutbox(
            outbox: store.outbox, facts: store.facts, absences: absences,
            revisions: foundation.revisions, logger: foundation.logger)
        let drainer = OutboxDrainer(
            storage: outbox,
            uplink: TallyingUplink(
                uplink: CurlMutationUplink(
                    client: hub, telemetry: { await reporter.rider() }, head: head,
                    feedMoved: { [news = foundation.news] in news.feedMoved() },
                    extent: { await absences.note($0, isWhole: $1) }), tally: tally),
            time: time, settings: settings, saleWaits: saleWaits, seed: seeds.next(),
            onDelivery: { [offline = modes.offline] in offline.deliveryChanged($0) })
        let attachments = SQLiteAttachments(
            store.database, folder: AttachmentFolder(home: foundation.home.path),
            now: { time.wallMilliseconds() })
        uploader = AttachmentUploader(
            storage: attachments, uplink: CurlAttachmentUplink(client: hub), time: time,
            settings: UploadSettings(outbox: settings), seed: seeds.next(),
            permission: { permissions.current.uploadPermission(isRequested: $0) },
            whenFinished: { drainer.rowsChanged() })
        telemetry = TelemetryFeed(
            service: reporter, hub: hub, head: head, interval: { tuning.configuration.pullInterval })
        (self.outbox, self.drainer, self.attachments) = (outbox, drainer, attachments)
        reopenings = store.database.reopenings
    }

    /// Drains, uploads and reports until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await drainer.run() }
            group.addTask { await uploader.run() }
            group.addTask { await telemetry.run() }
            group.addTask { await outbox.deliver(to: uploader) }
            group.addTask {
                // Nobody else says of entries that they are there after all.
                for await _ in reopenings {
                    drainer.rowsChanged()
                    uploader.nudge()
                }
            }
        }
    }

    /// The outbox as people see it.
    ///
    /// - Parameter isRunning: whether ``run()`` runs.
    func reader(_ foundation: AgentFoundation, _ modes: ModesFeature, isRunning: Bool) -> OutboxReader {
        let offline = modes.offline
        return OutboxReader(
            outbox: foundation.store.outbox, drainer: drainer,
            attachments: UnfinishedAttachments(
                attachments: attachments, uploader: uploader, permissions: modes.permissions,
                wall: { offline.wallMilliseconds(of: $0) }, isRunning: isRunning),
            schema: foundation.schema, time: foundation.storeTime,
            wall: { offline.wallMilliseconds(of: $0) }, isRunning: isRunning)
    }
}
