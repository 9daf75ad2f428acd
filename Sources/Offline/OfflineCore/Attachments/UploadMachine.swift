public import Base

/// Decides which bytes of which attachment are sent to the hub next, and when.
///
/// One attachment is sent at a time, urgent ones first, then in the order of their creation. The hub stores
/// the progress, not the terminal: after a start, an outage or an unclear result the machine queries the
/// position and continues there. The chunk size doubles after each accepted chunk and halves after a failure,
/// so that a slow connection gets small chunks. A failure of the hub delays every upload, a failure of one
/// attachment delays that one alone, and neither delays a mutation that names no attachment.
public struct UploadMachine: Machine, Hashable, Sendable {
    private let settings: UploadSettings
    private var generator: SplitMix64
    /// The incomplete attachments, as they were read last.
    private var uploads: [PendingUpload] = []
    private var mustList = true
    private var activity = Activity.resting
    /// The upload in progress; nil when the next one starts with its announcement.
    private var current: Current?
    private var chunk: Int64
    private var hubWait: RetryWait
    private var storeWait: RetryWait
    /// The waits of attachments that failed. An entry is removed when its attachment is complete.
    private var waits: [String: RetryWait] = [:]
    /// Steps in a row without progress, by attachment.
    private var setbacks: [String: Int] = [:]
    private var permission = UploadPermission.nothing
    private var lookedAt: Instant
    private var linkIsDegraded = false
    /// The permission and the count of the running `sync now`; nil while none runs.
    private var sync: Sync?

    /// The pending operation.
    private enum Activity: Hashable, Sendable {
        /// Leaves to any other when something may be sent.
        case resting
        /// Leaves to `resting`.
        case listing
        /// Leaves to `resting`, with ``current`` set when the hub gave a pre-signed URL.
        case announcing(PendingUpload)
        /// Leaves to `resting`, to `finishing` when the hub has all of it.
        case querying
        /// Leaves as `querying` does.
        case sending(count: Int64)
        /// Leaves to `resting`; a write that failed is done again.
        case finishing(id: String)
        /// Leaves to `resting`.
        case noting(id: String, problem: String)
    }

    /// The upload in progress.
    private struct Current: Hashable, Sendable {
        let upload: PendingUpload
        let chunkSize: Int64
        /// How many bytes the hub has; nil when it must be queried.
        var position: Int64?
    }

    private struct Sync: Hashable, Sendable {
        let permission: UploadPermission
        var finished = 0
    }

    /// - Parameter seed: of the jitter; the same seed and events give the same effects.
    public init(settings: UploadSettings = UploadSettings(), seed: UInt64, at now: Instant) {
        self.settings = settings
        generator = SplitMix64(seed: seed)
        chunk = settings.firstChunk
        hubWait = RetryWait(settings.outbox)
        storeWait = RetryWait(settings.outbox)
        lookedAt = now
    }

    /// Applies one event and returns the effects in the order in which the driver performs them.
    public mutating func handle(_ event: UploadEvent, at now: Instant) -> [UploadEffect] {
        var effects: [UploadEffect] = []
        switch event {
        case .uploadsChanged:
            mustList = true
            hubWait.tryAtOnce()
            storeWait.tryAtOnce()
        case .listed(let found): take(found)
        case .responded(let response): take(response, at: now, &effects)
        case .written: finishWriting()
        case .storeFailed: failStore(at: now)
        case .permissionChanged(let allowed):
            permission = allowed
            lookedAt = now
        case .linkQualityChanged(let isDegraded): linkIsDegraded = isDegraded
        case .routeRestored: tryAllAtOnce()
        case .syncRequested(let permission):
            sync = Sync(permission: permission, finished: sync?.finished ?? 0)
            tryAllAtOnce()
        case .deadlineReached: break
        }
        proceed(at: now, &effects)
        return effects
    }

    /// When the machine acts next by itself; nil while an operation is pending or there is nothing to do.
    public var deadline: Instant? {
        guard activity == .resting else { return nil }
        let look = isHeldByPermission ? lookedAt + settings.permissionInterval : nil
        return [nextTry, look].compactMap { $0 }.min()
    }

    /// When the next upload may be sent that only waits for time to pass.
    private var nextTry: Instant? {
        if mustList { return storeWait.until }
        guard !permitted.isEmpty else { return nil }
        let ownWaits = permitted.map { waits[$0.id]?.until }
        let own = ownWaits.contains(nil) ? nil : ownWaits.compactMap { $0 }.min()
        return [hubWait.until, storeWait.until, own].compactMap { $0 }.max()
    }

    private var isHeldByPermission: Bool { permitted.count < uploads.count }

    /// The uploads that the policy, or a person's `sync now`, allows.
    private var permitted: [PendingUpload] {
        uploads.filter { upload in
            [permission, sync?.permission].contains { allowed in
                switch allowed {
                case .nothing?, nil: false
                case .urgentOnly?: upload.isUrgent
                case .everything?: true
                }
            }
        }
    }

    private mutating func tryAllAtOnce() {
        hubWait.tryAtOnce()
        storeWait.tryAtOnce()
        for id in waits.keys { waits[id]?.tryAtOnce() }
    }
}

// MARK: The next step

extension UploadMachine {
    /// Starts the next operation if none is pending and nothing prevents it. Harmless to repeat.
    private mutating func proceed(at now: Instant, _ effects: inout [UploadEffect]) {
        guard activity == .resting else { return }
        guard !storeWait.holds(at: now) else { return endSync(&effects) }
        if mustList {
            mustList = false
            activity = .listing
            effects.append(.list)
            return
        }
        guard !hubWait.holds(at: now), let next = nextUpload(at: now) else { return endSync(&effects) }
        if current?.upload != next { current = nil }
        guard let going = current else {
            activity = .announcing(next)
            effects.append(.announce(id: next.id))
            return
        }
        proceed(with: going, &effects)
    }

    private mutating func proceed(with going: Current, _ effects: inout [UploadEffect]) {
        let id = going.upload.id
        // All bytes were sent and the hub has not confirmed the digest: query it first.
        guard let position = going.position, position < going.upload.size else {
            activity = .querying
            effects.append(.query(id: id))
            return
        }
        let ceiling = linkIsDegraded ? min(settings.degradedChunk, going.chunkSize) : going.chunkSize
        let count = max(1, min(chunk, ceiling, going.upload.size - position))
        activity = .sending(count: count)
        effects.append(.send(id: id, from: position, count: count))
    }

    /// The current upload unless an urgent one came; else the first urgent one, else the oldest.
    private func nextUpload(at now: Instant) -> PendingUpload? {
        let free = permitted.filter { !(waits[$0.id]?.holds(at: now) ?? false) }
        let urgent = free.filter(\.isUrgent)
        let candidates = urgent.isEmpty ? free : urgent
        return candidates.first { $0 == current?.upload } ?? candidates.first
    }

    private mutating func take(_ found: [PendingUpload]) {
        guard case .listing = activity else { return }
        activity = .resting
        storeWait.reset()
        uploads = found
        let ids = Set(found.map(\.id))
        waits = waits.filter { ids.contains($0.key) }
        setbacks = setbacks.filter { ids.contains($0.key) }
        if let going = current, !found.contains(going.upload) { current = nil }
    }

    private mutating func finishWriting() {
        switch activity {
        case .resting, .listing, .announcing, .querying, .sending: return
        case .finishing(let id):
            uploads.removeAll { $0.id == id }
            waits[id] = nil
            setbacks[id] = nil
            current = nil
            sync?.finished += 1
        case .noting: break
        }
        activity = .resting
        storeWait.reset()
    }

    /// Nothing is lost: the list is read again, and the hub reports a complete upload again.
    private mutating func failStore(at now: Instant) {
        switch activity {
        case .resting, .announcing, .querying, .sending: return
        case .listing: mustList = true
        case .finishing: current?.position = nil
        case .noting: break
        }
        activity = .resting
        storeWait.fail(at: now, using: &generator)
    }

    private mutating func endSync(_ effects: inout [UploadEffect]) {
        guard let ended = sync else { return }
        sync = nil
        effects.append(.finishSync(finished: ended.finished))
    }
}

// MARK: The result of a step

extension UploadMachine {
    /// Steps without progress that an upload may take before it waits: an expired pre-signed URL, or a hub
    /// that was restored from a backup and starts again. Halved, one such event already costs a wait;
    /// doubled, a hub that never accepts gets twice the requests.
    private static let freeSetbacks = 2

    private mutating func take(_ response: UploadResponse, at now: Instant, _ effects: inout [UploadEffect]) {
        let upload: PendingUpload
        var sent: Int64 = 0
        switch activity {
        case .resting, .listing, .finishing, .noting: return
        case .announcing(let announced): upload = announced
        case .querying, .sending:
            if case .sending(let count) = activity { sent = count }
            guard let going = current?.upload else { return }
            upload = going
        }
        activity = .resting
        switch response {
        case .granted(let chunkSize):
            hubWait.reset()
            current = Current(upload: upload, chunkSize: max(1, chunkSize), position: nil)
        case .at(let received): goOn(from: received, after: sent, of: upload, at: now)
        case .whole:
            hubWait.reset()
            activity = .finishing(id: upload.id)
            effects.append(.finish(id: upload.id))
        case .grantRefused:
            current = nil
            setBack(upload, at: now)
        case .digestMismatch:
            hold(
                upload, "the hub found other bytes than were announced; all is sent again", at: now, &effects)
        case .refused(let problem), .fileTrouble(let problem): hold(upload, problem, at: now, &effects)
        case .hubTrouble(let retryAfter):
            current?.position = nil
            chunk = max(settings.smallestChunk, chunk / 2)
            hubWait.fail(retryAfter: retryAfter, at: now, using: &generator)
        }
    }

    /// The position that the hub reports counts, whatever was sent. An upload whose position does not advance
    /// waits.
    private mutating func goOn(
        from received: Int64, after sent: Int64, of upload: PendingUpload, at now: Instant
    ) {
        hubWait.reset()
        let before = current?.position
        let position = min(max(0, received), upload.size)
        current?.position = position
        if let before, sent > 0, position == before + sent {
            setbacks[upload.id] = nil
            chunk = min(chunk * 2, max(chunk, current?.chunkSize ?? chunk))
        } else if sent > 0 || position == upload.size {
            setBack(upload, at: now)
        }
    }

    private mutating func setBack(_ upload: PendingUpload, at now: Instant) {
        setbacks[upload.id, default: 0] += 1
        if setbacks[upload.id, default: 0] > Self.freeSetbacks { hold(upload, at: now) }
    }

    /// The upload waits and starts with its announcement afterwards.
    private mutating func hold(_ upload: PendingUpload, at now: Instant) {
        waits[upload.id, default: RetryWait(settings.outbox)].fail(at: now, using: &generator)
        current = nil
    }

    private mutating func hold(
        _ upload: PendingUpload, _ problem: String, at now: Instant, _ effects: inout [UploadEffect]
    ) {
        hubWait.reset()
        hold(upload, at: now)
        activity = .noting(id: upload.id, problem: problem)
        effects.append(.note(id: upload.id, problem: problem))
    }
}

// MARK: Status

extension UploadMachine {
    /// The incomplete attachments that were read, in their order.
    public func views(at now: Instant) -> [UploadView] {
        let free = Set(permitted.map(\.id))
        return uploads.map { upload in
            UploadView(id: upload.id, state: state(of: upload, isFree: free.contains(upload.id), at: now))
        }
    }

    private func state(of upload: PendingUpload, isFree: Bool, at now: Instant) -> UploadView.State {
        guard isFree else { return .held }
        let until = [hubWait.until, waits[upload.id]?.until].compactMap { $0 }.filter { $0 > now }.max()
        if let until { return .waiting(until: until) }
        guard let going = current, going.upload == upload else { return .queued }
        return .sending(received: going.position ?? 0)
    }
}
