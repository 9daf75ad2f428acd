import Base

internal import HubCore
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Delivers the journal feed to its receivers: each at its own pace, so that one that is slow or down keeps
/// no other waiting. Of several processes on one database one has a receiver at a time.
struct WebhookService: Service {
    let ledger: any JournalFeedLedger & WebhookLedger & AlarmLedger
    var sender: WebhookSender
    let now: @Sendable () -> Int64
    let logger: Logger
    /// This process, among those of one database.
    private let holder: String
    private let busy = BusyWebhooks()

    init(
        ledger: any JournalFeedLedger & WebhookLedger & AlarmLedger, sender: WebhookSender,
        now: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.ledger = ledger
        self.sender = sender
        self.now = now
        self.logger = logger
        var generator = SystemRandomNumberGenerator()
        holder = ULID.minted(after: nil, now: UInt64(max(0, now())), using: &generator).description
    }

    /// How late a document is where nothing else waits. An idle hub without a receiver reads one empty table
    /// as often.
    private static let interval: Duration = .seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                repeat {
                    for webhook in await waiting() {
                        group.addTask { await deliver(webhook) }
                    }
                } while (try? await Task.sleep(for: Self.interval)) != nil
            }
        }
    }

    /// One round over every receiver for which something waits.
    func work() async {
        await withDiscardingTaskGroup { group in
            for webhook in await waiting() {
                group.addTask { await deliver(webhook) }
            }
        }
    }

    /// Those that are due, that nobody here delivers to, and behind whose place there is something.
    private func waiting() async -> [String] {
        await attempt("webhooks were not read") {
            let due = try await ledger.webhooks().filter { $0.delivery.isDue(at: now()) }
            guard !due.isEmpty else { return [] }
            let end = try await ledger.journalEnd()
            return due.filter { $0.delivery.through != end }.map(\.id).filter(busy.begin)
        } ?? []
    }

    private func deliver(_ id: String) async {
        defer { busy.end(id) }
        _ = await attempt("a webhook was not delivered") {
            while !Task.isCancelled, try await deliverNext(id) {}
        }
    }

    /// - Returns: whether more may wait for the receiver.
    private func deliverNext(_ id: String) async throws -> Bool {
        guard var webhook = try await ledger.takeWebhook(id, by: holder, at: now()),
            webhook.delivery.isDue(at: now())
        else { return false }
        let place = webhook.delivery.through
        guard let event = try await event(of: webhook) else { return false }
        let effects = webhook.delivery.handle(event, at: now())
        let isKept = try await ledger.keep(
            webhook.delivery, ofWebhook: id, insteadOf: place, by: holder)
        if isKept, case .failed(let problem, _) = event {
            logger.warning(
                "a webhook was not accepted", metadata: ["webhook": "\(id)", "reason": "\(problem)"])
        }
        for effect in effects where isKept {
            switch effect {
            case .raiseAlarm: try await ledger.raise(webhook.alarm(at: now()))
            }
        }
        if case .failed = event { return false }
        return isKept
    }

    /// Sends what is next; nil where nothing is, and when the hub is being stopped.
    private func event(of webhook: Webhook) async throws -> WebhookDelivery.Event? {
        let place = webhook.delivery.through
        let page: WebhookPage
        do {
            page = try await WebhookPage.read(behind: place, for: webhook, from: ledger)
        } catch let archived as WebhookArchived {
            return .failed(problem: archived.words, draw: .random(in: 0..<1))
        }
        if page.documents.isEmpty {
            return page.cursor == place || page.restored != nil ? nil : .passedOver(through: page.cursor)
        }
        guard let problem = await sender.send(page.body, to: webhook, at: now()) else {
            return .delivered(through: page.cursor)
        }
        return Task.isCancelled ? nil : .failed(problem: problem, draw: .random(in: 0..<1))
    }

    private func attempt<Value: Sendable>(
        _ failure: Logger.Message, _ work: () async throws -> Value
    ) async -> Value? {
        do {
            return try await work()
        } catch {
            logger.warning(failure, metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

/// The receivers to which this process delivers.
private final class BusyWebhooks: Sendable {
    private let ids = Mutex<Set<String>>([])

    func begin(_ id: String) -> Bool { ids.withLock { $0.insert(id).inserted } }

    func end(_ id: String) { _ = ids.withLock { $0.remove(id) } }
}
