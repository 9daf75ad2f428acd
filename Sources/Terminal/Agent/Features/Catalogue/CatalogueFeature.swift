internal import Logging
internal import MachineRuntime
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The copy of the hub's master data: articles, people, offers, settings.
struct CatalogueFeature: Sendable {
    let feed: CatalogueFeed

    init(
        _ foundation: AgentFoundation, _ modes: ModesFeature, _ sync: SyncFeature, _ sales: SalesFeature
    ) async {
        let (store, tuning, schema) = (foundation.store, foundation.tuning, foundation.schema)
        let (offline, permissions, drainer) = (modes.offline, modes.permissions, sync.drainer)
        let (checkout, logger) = (sales.checkout, foundation.logger)
        feed = CatalogueFeed(
            CataloguePull(
                hub: foundation.link.hub, catalogue: store.catalogue, time: foundation.storeTime,
                logger: logger),
            records: await PullRecordStore(store.facts),
            interval: { tuning.configuration.pullInterval }, policy: { permissions.current },
            isRefused: { schema.isRefusedNow }, onResponse: { drainer.checkIn() },
            afterPull: {
                await tuning.refresh(offline)
                await Self.refresh(store.copy, logger)
                tuning.pulls.update { $0 += 1 }
                await checkout.returnRecalledLeases()
            })
        offline.register(feed)
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
