import Base
public import OfflineCore

/// Uploads attachments to the hub in parallel to the outbox.
///
/// The driver of ``UploadMachine``: one inbox, one loop, one step at a time. It decides nothing.
public actor AttachmentUploader {
    let storage: any AttachmentStorage
    let uplink: any AttachmentUplink
    private let time: any SystemTime
    private let permission: @Sendable (_ isAsked: Bool) -> UploadPermission
    private let whenFinished: @Sendable () -> Void
    private var machine: UploadMachine
    /// The attachments of the machine, with the values that the hub needs.
    private var known: [String: Attachment] = [:]
    /// The upload URLs of the announced ones.
    private var urls: [String: String] = [:]
    private var syncs = PendingSyncs<Int>()
    private var hasEnded = false
    private var alarm: Alarm
    private let events: AsyncStream<UploadEvent>
    private nonisolated let inbox: AsyncStream<UploadEvent>.Continuation

    /// - Parameters:
    ///   - permission: what the policy allows now; the argument is true for a person's request.
    ///   - whenFinished: called when the disk records that the hub has an attachment: mutations that waited
    ///     for it may be sent.
    ///   - seed: of the backoff's jitter; different on every terminal.
    public init(
        storage: any AttachmentStorage, uplink: any AttachmentUplink, time: any SystemTime,
        settings: UploadSettings = UploadSettings(), seed: UInt64,
        permission: @escaping @Sendable (_ isAsked: Bool) -> UploadPermission,
        whenFinished: @escaping @Sendable () -> Void
    ) {
        self.storage = storage
        self.uplink = uplink
        self.time = time
        self.permission = permission
        self.whenFinished = whenFinished
        machine = UploadMachine(settings: settings, seed: seed, at: time.now())
        let (events, inbox) = AsyncStream.makeStream(of: UploadEvent.self)
        (self.events, self.inbox) = (events, inbox)
        alarm = Alarm(time: time) { inbox.yield(.deadlineReached) }
    }

    /// Uploads until the task is cancelled. To be called once. What is in flight at the end is cancelled; the
    /// next upload continues after the bytes that the hub has.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for effect in step(.uploadsChanged) { group.addTask { await self.perform(effect) } }
            for await event in events {
                for effect in step(event) { group.addTask { await self.perform(effect) } }
            }
            group.cancelAll()
        }
        end()
    }

    /// Attachments were added on disk, or have to be sent again.
    public nonisolated func nudge() { inbox.yield(.uploadsChanged) }

    /// What the policy allows, or the quality of the link, has changed.
    public nonisolated func follow(_ permission: UploadPermission, isDegraded: Bool) {
        inbox.yield(.linkQualityChanged(isDegraded: isDegraded))
        inbox.yield(.permissionChanged(permission))
    }

    /// The route to the hub is back: everything is tried at once, except inside a `Retry-After`.
    public nonisolated func routeRestored() { inbox.yield(.routeRestored) }

    /// Uploads what the policy allows for a person's request, up to the last attachment or the first failure.
    ///
    /// - Parameter limit: the longest wait; the uploads continue after it.
    /// - Returns: how many were completed; 0 when the wait ended first.
    public func syncNow(within limit: Duration) async -> Int {
        guard !hasEnded else { return 0 }
        let end = time.now() + limit
        let alarm = Task {
            guard (try? await time.sleep(until: end)) != nil else { return }
            self.syncs.endAll(0)
        }
        defer { alarm.cancel() }
        return await withCheckedContinuation { continuation in
            syncs.add(continuation)
            inbox.yield(.uploadsChanged)
            inbox.yield(.syncRequested(permission(true)))
        }
    }

    /// The state of unfinished attachments that is not on disk.
    public var views: [UploadView] { machine.views(at: time.now()) }

    private func step(_ event: UploadEvent) -> [UploadEffect] {
        let now = time.now()
        var effects: [UploadEffect] = []
        if event == .deadlineReached {
            alarm.rang()
            effects = machine.handle(.permissionChanged(permission(false)), at: now)
        }
        if case .syncRequested = event { syncs.begin() }
        effects += machine.handle(event, at: now)
        alarm.arm(for: machine.deadline)
        return effects.filter { !notify($0) }
    }

    /// - Returns: false for an effect that takes time and is left to ``perform(_:)``.
    private func notify(_ effect: UploadEffect) -> Bool {
        switch effect {
        case .finishSync(let finished):
            syncs.finish(finished)
            return true
        case .list, .announce, .ask, .send, .finish, .note: return false
        }
    }

    private func perform(_ effect: UploadEffect) async {
        switch effect {
        case .list: await list()
        case .announce(let id): await announce(id)
        case .ask(let id):
            guard let (attachment, url) = target(id) else { return answer(.grantRefused) }
            answer(await uplink.progress(of: attachment, at: url))
        case .send(let id, let from, let count): await send(id, from: from, count: count)
        case .finish(let id):
            if await written({ () throws(OutboxStorageError) in try await storage.finish(id) }) {
                whenFinished()
            }
        case .note(let id, let problem):
            _ = await written { () throws(OutboxStorageError) in
                try await storage.note(problem: problem, of: id)
            }
        case .finishSync: break
        }
    }

    private func list() async {
        do throws(OutboxStorageError) {
            let found = try await storage.unfinished()
            known = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
            urls = urls.filter { known[$0.key] != nil }
            inbox.yield(
                .listed(found.map { PendingUpload(id: $0.id, size: $0.size, isUrgent: $0.isUrgent) }))
        } catch {
            inbox.yield(.storeFailed)
        }
    }

    private func announce(_ id: String) async {
        guard let attachment = known[id] else { return answer(.grantRefused) }
        switch await uplink.announce(attachment) {
        case .granted(let url, let chunkSize):
            urls[id] = url
            answer(.granted(chunkSize: chunkSize))
        case .failed(let reason): answer(reason)
        }
    }

    private func send(_ id: String, from position: Int64, count: Int64) async {
        guard let (attachment, url) = target(id) else { return answer(.grantRefused) }
        do throws(AttachmentFault) {
            let bytes = try await storage.read(attachment, from: position, count: count)
            answer(await uplink.send(bytes, from: position, of: attachment, to: url))
        } catch {
            answer(.fileTrouble(error.words))
        }
    }

    private func target(_ id: String) -> (Attachment, String)? {
        guard let attachment = known[id], let url = urls[id] else { return nil }
        return (attachment, url)
    }

    private func answer(_ answer: UploadAnswer) { inbox.yield(.answered(answer)) }

    private func written(_ work: () async throws(OutboxStorageError) -> Void) async -> Bool {
        do throws(OutboxStorageError) {
            try await work()
            inbox.yield(.written)
            return true
        } catch {
            inbox.yield(.storeFailed)
            return false
        }
    }

    private func end() {
        hasEnded = true
        inbox.finish()
        alarm.stop()
        syncs.endAll(0)
    }
}
