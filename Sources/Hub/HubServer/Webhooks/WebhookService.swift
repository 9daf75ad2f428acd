import Base

internal import HubCore
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Delivers the journal feed to its receivers: each at its own pace, so that one that is slow or down keeps
/// no other waiting. Of several processes on one database one has a receiver at a time.
struct WebhookService: Service {
    let ledger: any Ledger
    var sender: WebhookSender
    let now: @Sendable () -> Int64
    let logger: Logger
    /// This process, among those of one database.
    private let holder: String
    private let busy = BusyWebhooks()

    init(
        ledger: any Ledger, sender: WebhookSender,
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
                    await begin(in: &group)
                } while (try? await Task.sleep(for: Self.interval)) != nil
            }
        }
    }

    /// One round over every receiver for which something waits.
    func work() async {
        await withDiscardingTaskGroup { group in await begin(in: &group) }
    }

    /// To those that are due, that nobody here delivers to, and behind whose place there is something; or
    /// may be, where the end of the feed cannot be read.
    private func begin(in group: inout DiscardingTaskGroup) async {
        let due = await attempt("webhooks were not read") {
            try await ledger.webhooks().filter { $0.delivery.isDue(at: now()) }
        }
        guard let due, !due.isEmpty else { return }
        let end = try? await ledger.journalEnd()
        for id in due.filter({ $0.delivery.through != end }).map(\.id) where busy.begin(id) {
            group.addTask { await deliver(id) }
        }
    }

    private func deliver(_ id: String) async {
        defer { busy.end(id) }
        do {
            while !Task.isCancelled, try await deliverNext(id) {}
        } catch {
            await attempt("the failure of a webhook was not kept") { try await note(error, of: id) }
        }
    }

    /// What the hub's own store fails with is a failure of the delivery: it is listed, it raises the alarm,
    /// and the next try comes later each time. A store that cannot be written at all is in the log alone.
    private func note(_ error: any Error, of id: String) async throws {
        guard !Task.isCancelled, let webhook = try await ledger.takeWebhook(id, by: holder, at: now()) else {
            return logger.warning("a webhook was not delivered", metadata: ["reason": "\(error)"])
        }
        _ = try await keep(.failed(problem: "the hub's own store: \(error)", jitter: .jitter), for: webhook)
    }

    /// Writes nothing where nothing is to be sent.
    ///
    /// - Returns: whether more may wait for the receiver.
    private func deliverNext(_ id: String) async throws -> Bool {
        guard let known = try await ledger.webhooks().first(where: { $0.id == id }),
            known.delivery.isDue(at: now()), let next = try await next(for: known)
        else { return false }
        let place = known.delivery.through
        guard let webhook = try await ledger.takeWebhook(id, by: holder, at: now()),
            webhook.delivery.through == place, let event = await event(of: next, for: webhook)
        else { return false }
        let isKept = try await keep(event, for: webhook)
        if case .failed = event { return false }
        return isKept
    }

    /// - Parameter webhook: as it was taken.
    /// - Returns: false where somebody else moved its place meanwhile.
    private func keep(_ event: WebhookDelivery.Event, for webhook: Webhook) async throws -> Bool {
        var webhook = webhook
        let place = webhook.delivery.through
        let effects = webhook.delivery.handle(event, at: now())
        guard
            try await ledger.keep(webhook.delivery, ofWebhook: webhook.id, insteadOf: place, by: holder)
        else { return false }
        if case .failed(let problem, _) = event {
            logger.warning(
                "a webhook was not accepted",
                metadata: ["webhook": "\(webhook.id)", "reason": "\(problem)"])
        }
        for effect in effects {
            switch effect {
            case .raiseAlarm: try await ledger.raise(webhook.alarm(at: now()))
            }
        }
        return true
    }

    private enum Next {
        case send(WebhookPage)
        case passOver(through: JournalCursor)
        case failure(String)
    }

    /// Nil where nothing is for the receiver, and its place is the end.
    private func next(for webhook: Webhook) async throws -> Next? {
        let place = webhook.delivery.through
        do {
            let page = try await WebhookPage.read(behind: place, for: webhook, from: ledger)
            if !page.documents.isEmpty { return .send(page) }
            // That the hub was restored is said with the first document behind it.
            return page.cursor == place || page.restored != nil ? nil : .passOver(through: page.cursor)
        } catch let archived as WebhookArchived {
            return .failure(archived.words)
        }
    }

    /// Nil when the hub is being stopped.
    private func event(of next: Next, for webhook: Webhook) async -> WebhookDelivery.Event? {
        switch next {
        case .passOver(let place): return .passedOver(through: place)
        case .failure(let words): return .failed(problem: words, jitter: .jitter)
        case .send(let page):
            guard let problem = await sender.send(page.body, to: webhook, at: now()) else {
                return .delivered(through: page.cursor)
            }
            return Task.isCancelled ? nil : .failed(problem: problem, jitter: .jitter)
        }
    }

    @discardableResult
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

extension Double {
    fileprivate static var jitter: Double { .random(in: 0..<1) }
}

/// The receivers to which this process delivers.
private final class BusyWebhooks: Sendable {
    private let ids = Mutex<Set<String>>([])

    func begin(_ id: String) -> Bool { ids.withLock { $0.insert(id).inserted } }

    func end(_ id: String) { _ = ids.withLock { $0.remove(id) } }
}
