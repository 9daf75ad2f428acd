/// Decides which bytes of which attachment go to the hub next, and when.
///
/// One attachment goes at a time, urgent ones first, then in the order in which they were made. The hub knows
/// how far it has come, so nothing of the progress is kept here: whoever starts, comes back or doubts asks,
/// and goes on from there. A chunk doubles with each that came through and halves in trouble, so that a slow
/// line gets small ones. The hub's trouble holds every upload back, an attachment's own trouble that one
/// alone, and neither ever a mutation that names no attachment.
public struct UploadMachine: Hashable, Sendable {
    let settings: UploadSettings
    var generator: SplitMix64
    /// What is not whole, as it was read last.
    var uploads: [PendingUpload] = []
    var mustList = true
    var activity = Activity.resting
    /// The upload that goes on; nil when the next one begins with its announcement.
    var current: Current?
    var chunk: Int64
    var hubWait: RetryWait
    var storeWait: RetryWait
    /// The attachments in trouble. One leaves when it is whole.
    var waits: [String: RetryWait] = [:]
    /// Steps in a row that brought an attachment nothing.
    var setbacks: [String: Int] = [:]
    var permission = UploadPermission.nothing
    var lookedAt: Instant
    var linkIsDegraded = false
    /// The permission and the count of the `sync now` that runs; nil while none does.
    var sync: Sync?

    /// What is in hand.
    enum Activity: Hashable, Sendable {
        /// Leaves to any other when something may go.
        case resting
        /// Leaves to `resting`.
        case listing
        /// Leaves to `resting`, with ``current`` set when the leave came.
        case announcing(PendingUpload)
        /// Leaves to `resting`, to `finishing` when it turns out to be whole.
        case asking
        /// Leaves as `asking` does.
        case sending(count: Int64)
        /// Leaves to `resting`; a write that failed is done again.
        case finishing(id: String)
        /// Leaves to `resting`.
        case noting(id: String, problem: String)
    }

    /// The upload that goes on.
    struct Current: Hashable, Sendable {
        let upload: PendingUpload
        let chunkSize: Int64
        /// How many bytes the hub has; nil when it has to be asked.
        var position: Int64?
    }

    struct Sync: Hashable, Sendable {
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

    public mutating func handle(_ event: UploadEvent, at now: Instant) -> [UploadEffect] {
        var effects: [UploadEffect] = []
        switch event {
        case .uploadsChanged:
            mustList = true
            hubWait.tryAtOnce()
            storeWait.tryAtOnce()
        case .listed(let found): take(found)
        case .answered(let answer): take(answer, at: now, &effects)
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

    /// When the machine acts next by itself; nil while it waits for an answer or has nothing to do.
    public var deadline: Instant? {
        guard activity == .resting else { return nil }
        let look = isHeldByPermission ? lookedAt + settings.permissionInterval : nil
        return [nextTry, look].compactMap { $0 }.min()
    }

    /// When something may go that only time holds back.
    private var nextTry: Instant? {
        if mustList { return storeWait.until }
        guard !permitted.isEmpty else { return nil }
        let ownWaits = permitted.map { waits[$0.id]?.until }
        let own = ownWaits.contains(nil) ? nil : ownWaits.compactMap { $0 }.min()
        return [hubWait.until, storeWait.until, own].compactMap { $0 }.max()
    }

    var isHeldByPermission: Bool { permitted.count < uploads.count }

    /// What the policy, or a person's word, lets through.
    var permitted: [PendingUpload] {
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
