import Base

internal import CurlTransport
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import Synchronization
internal import MachineRuntime

/// Keeps the local catalogue equal to the hub's: pulls the change feed at start, every interval ±10 % and
/// after a return to online, as far as the policy lets it.
final class CatalogueFeed: Sendable {
    private let pulling: CataloguePull
    private let records: PullRecordStore
    private let interval: @Sendable () -> Duration
    private let policy: @Sendable () -> SyncPolicy
    private let isRefused: @Sendable () -> Bool
    private let afterPull: @Sendable () async -> Void
    private let onResponse: @Sendable () -> Void
    /// The pull that runs by itself; one that a person wants goes to its end.
    private let running = Mutex<Task<Int, any Error>?>(nil)
    /// Pages are applied one after the other; a person's pull and the timer's may meet.
    private let gate = SerialGate()
    private let requests = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let hints = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Between two pulls because the hub's responses say that there is news: they say it for two minutes
    /// where a sale here needs what another till wants, and each pull has a response. Without a rest a till
    /// sent 15 requests a second. With half of it twice as many come for nothing; with double a customer
    /// elsewhere waits longer, beside the 24 s between two polls.
    private static let rest = Duration.seconds(5)

    /// - Parameters:
    ///   - interval: read before every wait, as the policy before every pull.
    ///   - isRefused: whether the hub responds to this version no more; then only what a person requests is
    ///     tried.
    ///   - onResponse: called after each pull that came through, whether it brought something or not: the hub
    ///     responds, so other requests may be sent.
    ///   - afterPull: called when a pull has brought something, or may have before it failed.
    init(
        _ pulling: CataloguePull, records: PullRecordStore, interval: @escaping @Sendable () -> Duration,
        policy: @escaping @Sendable () -> SyncPolicy, isRefused: @escaping @Sendable () -> Bool,
        onResponse: @escaping @Sendable () -> Void, afterPull: @escaping @Sendable () async -> Void
    ) {
        self.pulling = pulling
        self.records = records
        self.interval = interval
        self.policy = policy
        self.isRefused = isRefused
        self.onResponse = onResponse
        self.afterPull = afterPull
    }

    /// How the last pulls went.
    var record: PullRecord { records.record }

    /// Pulls as soon as the one that runs is done.
    func pullSoon() {
        requests.continuation.yield()
    }

    /// Pulls soon, since a response of the hub says that there is news.
    func hubHasNews() {
        hints.continuation.yield()
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in hints.stream {
                    await pull()
                    try? await Task.sleep(for: Self.rest)
                }
            }
            group.addTask { [self] in
                for await _ in requests.stream { await pull() }
            }
            group.addTask { [self] in
                var jitter = SplitMix64(seed: UInt64.random(in: 0...UInt64.max))
                while !Task.isCancelled {
                    try? await Task.sleep(for: jitter.jittered(interval(), perMille: 100))
                    pullSoon()
                }
            }
            await group.waitForAll()
        }
    }

    /// Pulls once, if and as much as the policy allows, and returns when that is done or has failed.
    ///
    /// - Parameter isRequested: a person requested it.
    /// - Returns: why it failed; nil when it was good or was not to be tried now.
    @discardableResult
    func pull(isRequested: Bool = false) async -> String? {
        // A pull that was cancelled in the queue did nothing that could go wrong.
        await gate.pass { await pullAlone(isRequested: isRequested) } ?? nil
    }

    private func pullAlone(isRequested: Bool) async -> String? {
        guard isRequested || !isRefused() else {
            pulling.logger.debug("the catalogue waits: the hub wants a newer version")
            return nil
        }
        let policy = policy()
        guard policy.allows(.catalogue, isRequested: isRequested) else {
            let words = policy.obstacles(to: .catalogue, isRequested: isRequested).map(\.rawValue)
            pulling.logger.debug("the catalogue waits: \(words)")
            return nil
        }
        let skipped = Mutex<[SkippedRow]>([])
        var pulling = pulling
        pulling.noteSkipped = { row in skipped.withLock { $0.append(row) } }
        pulling.noteTaken = { [records] in records.noteTaken($0) }
        do {
            let extent: CataloguePull.Extent =
                policy.allows(.wholeCatalogue, isRequested: isRequested) ? .everything : .aLittle
            let count =
                try await isRequested
                ? pulling(extent) : interruptible { [pulling] in try await pulling(extent) }
            onResponse()
            let now = pulling.time.wallMilliseconds()
            await records.change { $0.succeed(at: now, passingOver: skipped.withLock { $0 }) }
            guard count > 0 else { return nil }
            pulling.logger.info("took \(count) changes of the catalogue")
            await afterPull()
            return nil
        } catch HubCallError.noResponse(.cancelled) {
            // The agent ends or the terminal goes offline, which is no news of the hub.
            return "it was cancelled"
        } catch {
            let problem = "\(error)".printable
            pulling.logger.info("the catalogue was not pulled: \(problem)")
            await records.change { $0.fail(problem, passingOver: skipped.withLock { $0 }) }
            await afterPull()
            return problem
        }
    }

    private func interruptible(
        _ body: @escaping @Sendable () async throws -> Int
    ) async throws -> Int {
        let task = Task { try await body() }
        running.withLock { $0 = task }
        defer { running.withLock { $0 = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// Nothing is pulled beyond the moment at which the terminal goes offline, and what was missed comes as soon
/// as it is back.
extension CatalogueFeed: OfflineModeParticipant {
    func terminalWillGoOffline(causes: [OfflineCause]) async {
        running.withLock { $0?.cancel() }
    }

    func terminalDidComeOnline() async { pullSoon() }
}
