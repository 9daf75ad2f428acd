import Base
public import OfflineCore
public import MachineRuntime

/// Uploads attachments to the hub in parallel to the outbox.
///
/// Owns the driver of `UploadMachine` and decides nothing.
public actor AttachmentUploader {
    let storage: any AttachmentStorage
    let uplink: any AttachmentUplink
    private let time: any SystemTime
    private let permission: @Sendable (_ isRequested: Bool) -> UploadPermission
    private let whenFinished: @Sendable () -> Void
    private nonisolated let driver: MachineDriver<UploadMachine>
    /// The attachments of the machine, with the values that the hub needs.
    private var known: [String: Attachment] = [:]
    /// The upload URLs of the announced ones.
    private var urls: [String: String] = [:]
    private var syncs = PendingSyncs<Int>()
    private var hasEnded = false

    /// - Parameters:
    ///   - permission: what the policy allows now; the argument is true for a person's request.
    ///   - storage: the attachments of this terminal.
    ///   - uplink: sends their bytes to the hub.
    ///   - time: the clock of backoff and deadlines.
    ///   - settings: how many at once, and how they wait.
    ///   - whenFinished: called when the disk records that the hub has an attachment: mutations that waited
    ///     for it may be sent.
    ///   - seed: of the backoff's jitter; different on every terminal.
    public init(
        storage: any AttachmentStorage, uplink: any AttachmentUplink, time: any SystemTime,
        settings: UploadSettings = UploadSettings(), seed: UInt64,
        permission: @escaping @Sendable (_ isRequested: Bool) -> UploadPermission,
        whenFinished: @escaping @Sendable () -> Void
    ) {
        self.storage = storage
        self.uplink = uplink
        self.time = time
        self.permission = permission
        self.whenFinished = whenFinished
        // What the policy allows may have changed by the time alone.
        driver = MachineDriver(
            UploadMachine(settings: settings, seed: seed, at: time.now()), time: time,
            wakeUp: { [.permissionChanged(permission(false)), .deadlineReached] })
    }

    /// Uploads until the task is cancelled. To be called once. What is in flight at the end is cancelled; the
    /// next upload continues after the bytes that the hub has.
    public func run() async {
        await withDiscardingTaskGroup { group in
            await driver.run(first: [.uploadsChanged], in: &group) { event, effects, _ in
                if case .syncRequested = event { syncs.begin() }
                return effects.filter { !notify($0) }
            } perform: { effect, _ in
                await self.perform(effect)
            }
            group.cancelAll()
        }
        end()
    }

    /// Attachments were added on disk, or have to be sent again.
    public nonisolated func nudge() { driver.post(.uploadsChanged) }

    /// What the policy allows, or the quality of the link, has changed.
    public nonisolated func follow(_ permission: UploadPermission, isDegraded: Bool) {
        driver.post(.linkQualityChanged(isDegraded: isDegraded))
        driver.post(.permissionChanged(permission))
    }

    /// The route to the hub is back: everything is tried at once, except inside a `Retry-After`.
    public nonisolated func routeRestored() { driver.post(.routeRestored) }

    /// Uploads what the policy allows for a person's request, up to the last attachment or the first failure.
    ///
    /// - Parameter limit: the longest wait; the uploads continue after it.
    /// - Returns: how many were completed; 0 when the wait ended first.
    public func syncNow(within limit: Duration) async -> Int {
        guard !hasEnded else { return 0 }
        return await waiting(until: time.now() + limit, on: time) {
            await withCheckedContinuation { continuation in
                syncs.add(continuation)
                driver.post(.uploadsChanged)
                driver.post(.syncRequested(permission(true)))
            }
        } expire: {
            await self.endSyncs()
        }
    }

    private func endSyncs() { syncs.endAll(0) }

    /// The state of unfinished attachments that is not on disk.
    public var views: [UploadView] {
        let now = time.now()
        return driver.withMachine { $0.views(at: now) }
    }

    /// - Returns: false for an effect that takes time and is left to ``perform(_:)``.
    private func notify(_ effect: UploadEffect) -> Bool {
        switch effect {
        case .finishSync(let finished):
            syncs.finish(finished)
            return true
        case .list, .announce, .query, .send, .finish, .note: return false
        }
    }

    private func perform(_ effect: UploadEffect) async {
        switch effect {
        case .list: await list()
        case .announce(let id): await announce(id)
        case .query(let id):
            guard let (attachment, url) = target(id) else { return response(.grantRefused) }
            response(await uplink.progress(of: attachment, at: url))
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
            driver.post(
                .listed(found.map { PendingUpload(id: $0.id, size: $0.size, isUrgent: $0.isUrgent) }))
        } catch {
            driver.post(.storeFailed)
        }
    }

    private func announce(_ id: String) async {
        guard let attachment = known[id] else { return response(.grantRefused) }
        switch await uplink.announce(attachment) {
        case .granted(let url, let chunkSize):
            urls[id] = url
            response(.granted(chunkSize: chunkSize))
        case .failed(let reason): response(reason)
        }
    }

    private func send(_ id: String, from position: Int64, count: Int64) async {
        guard let (attachment, url) = target(id) else { return response(.grantRefused) }
        do throws(AttachmentFault) {
            let bytes = try await storage.read(attachment, from: position, count: count)
            response(await uplink.send(bytes, from: position, of: attachment, to: url))
        } catch {
            response(.fileTrouble(error.words))
        }
    }

    private func target(_ id: String) -> (Attachment, String)? {
        guard let attachment = known[id], let url = urls[id] else { return nil }
        return (attachment, url)
    }

    private func response(_ response: UploadResponse) { driver.post(.responded(response)) }

    private func written(_ work: () async throws(OutboxStorageError) -> Void) async -> Bool {
        do throws(OutboxStorageError) {
            try await work()
            driver.post(.written)
            return true
        } catch {
            driver.post(.storeFailed)
            return false
        }
    }

    private func end() {
        hasEnded = true
        syncs.endAll(0)
    }
}
