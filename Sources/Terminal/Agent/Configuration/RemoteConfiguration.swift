internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import Synchronization
internal import TerminalStore

/// Hands what the store tunes from the hub to everything that runs, without a restart.
///
/// The deadlines of requests, the outbox's backoff and the addresses are no store's business and stay as they
/// were read at the start.
final class RemoteConfiguration: Sendable {
    private let live: LiveConfiguration
    private let storeId: String
    private let catalogue: SQLiteCatalogue
    private let logger: Logger
    private let policy: Mutex<CheckoutPolicy>
    /// Counts the pulls whose settings, keys and people are in force.
    let pulls = Broadcast<Int>(0)

    /// Begins with what the last pull of the last run left on disk.
    ///
    /// - Throws: `database_unusable` where that cannot be read, since a store's limits and approvals would
    ///   not hold without it.
    init(sources: ConfigurationSources, store: TerminalStores, logger: Logger) async throws(TerminalError) {
        catalogue = store.catalogue
        storeId = store.enrolment.storeId
        self.logger = logger
        let settings: StoreSettings
        do throws(CatalogueError) {
            settings = try await Self.settings(in: store.catalogue)
        } catch {
            throw TerminalError(.unusable, code: "database_unusable") { $0.databaseUnusable("\(error)") }
        }
        live = try LiveConfiguration(sources: sources, tunedBy: settings.forTerminals, logger: logger)
        policy = Mutex(
            try live.current.checkoutPolicy(storeId: store.enrolment.storeId, store: settings))
    }

    var configuration: TerminalConfiguration { live.current }

    var checkoutPolicy: CheckoutPolicy { policy.withLock { $0 } }

    /// Applies the settings of a pull, and notifies the offline service of changed values. What cannot be
    /// read leaves those that are in force.
    func refresh(_ offline: OfflineService) async {
        let before = live.current
        let settings: StoreSettings
        do throws(CatalogueError) {
            settings = try await Self.settings(in: catalogue)
        } catch {
            return logger.error("the store's settings stay as the pull before brought them: \(error)")
        }
        let tuned = live.take(settings.forTerminals)
        let after = tuned ?? before
        do throws(TerminalError) {
            let next = try after.checkoutPolicy(storeId: storeId, store: settings)
            policy.withLock { $0 = next }
        } catch {
            logger.error("the store's rules are not followed: \(error.message)")
        }
        if before.offlineSettings != after.offlineSettings { offline.apply(after.offlineSettings) }
        if tuned != nil { logger.notice("the store tuned this terminal from the hub") }
    }

    private static func settings(
        in catalogue: SQLiteCatalogue
    ) async throws(CatalogueError) -> StoreSettings {
        try await catalogue.storeConfiguration().map { StoreSettings(json: $0) } ?? StoreSettings()
    }
}
