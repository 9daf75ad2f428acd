internal import CurlTransport
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import Synchronization
internal import TerminalStore

/// Keeps the local catalogue equal to the hub's: pulls the change feed at start, every interval ±10 % and
/// after a return to online.
final class CatalogueFeed: Sendable {
    private let hub: HubClient
    private let catalogue: SQLiteCatalogue
    private let interval: Duration
    private let logger: Logger
    private let wishes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let isPaused = Mutex(false)
    private let onPull = Mutex<@Sendable () -> Void>({})

    /// Changes a page.
    private static let pageSize = 1000

    init(hub: HubClient, catalogue: SQLiteCatalogue, interval: Duration, logger: Logger) {
        self.hub = hub
        self.catalogue = catalogue
        self.interval = interval
        self.logger = logger
    }

    /// Called after each pull that came through: the hub answers, so other things may be asked of it.
    func whenPulled(_ action: @escaping @Sendable () -> Void) {
        onPull.withLock { $0 = action }
    }

    /// Pulls as soon as the feed is not paused.
    func pullSoon() {
        wishes.continuation.yield()
    }

    /// While paused nothing is pulled: the terminal is offline.
    func setPaused(_ paused: Bool) {
        isPaused.withLock { $0 = paused }
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in wishes.stream { await pull() }
            }
            group.addTask { [self] in
                var jitter = SplitMix64(seed: UInt64.random(in: 0...UInt64.max))
                while !Task.isCancelled {
                    try? await Task.sleep(for: jitter.jittered(interval, perMille: 100))
                    pullSoon()
                }
            }
            await group.waitForAll()
        }
    }

    /// Pulls once and returns when that is done or has failed; not while paused.
    func pull() async {
        guard !isPaused.withLock({ $0 }) else { return }
        do {
            let count = try await pullAll()
            onPull.withLock { $0 }()
            if count > 0 { logger.info("took \(count) changes of the catalogue") }
        } catch {
            logger.info("the catalogue was not pulled: \(error)")
        }
    }

    /// Pulls until the hub has nothing newer.
    ///
    /// - Returns: how many changes were taken.
    func pullAll() async throws -> Int {
        var count = 0
        while true {
            let cursor = try await catalogue.cursor()
            let page: ChangePage
            do throws(HubCallError) {
                page = try await hub.changes(cursor: cursor, limit: Self.pageSize)
            } catch {
                guard case .refused(let problem) = error, problem.code == .cursorExpired, cursor != nil else {
                    throw error
                }
                try await catalogue.startAgain()
                continue
            }
            let unreadable = try await catalogue.apply(page)
            for id in unreadable { logger.warning("the hub's product \(id) cannot be read and was left out") }
            count += page.changes.count
            guard page.hasMore else { return count }
        }
    }
}
