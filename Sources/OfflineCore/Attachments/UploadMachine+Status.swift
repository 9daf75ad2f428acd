/// One unfinished attachment as `pos sync status` shows it.
public struct UploadView: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// Its bytes are on their way; the hub has so many.
        case sending(received: Int64)
        /// It goes when the ones before it are through.
        case queued
        /// It, or every upload, waits for an earlier trouble to pass.
        case waiting(until: Instant)
        /// The policy lets it not through now.
        case held
    }

    public let id: String
    public let state: State

    public init(id: String, state: State) {
        self.id = id
        self.state = state
    }
}

extension UploadMachine {
    /// What was read of unfinished attachments, in their order.
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

extension SyncPolicy {
    /// What may go of attachments now: urgent ones go wherever mutations go.
    ///
    /// - Parameter isAsked: a person asked for it now, which outweighs the hour and the battery.
    public func uploadPermission(isAsked: Bool = false) -> UploadPermission {
        guard !obstacles(toUpload: false, isAsked: isAsked).isEmpty else { return .everything }
        return obstacles(toUpload: true, isAsked: isAsked).isEmpty ? .urgentOnly : .nothing
    }

    /// What keeps an attachment from going; empty when it may.
    public func obstacles(toUpload isUrgent: Bool, isAsked: Bool = false) -> [SyncObstacle] {
        obstacles(to: .attachments, isAsked: isAsked).filter { !(isUrgent && $0.yieldsToUrgency) }
    }
}

extension SyncObstacle {
    fileprivate var yieldsToUrgency: Bool {
        switch self {
        case .degraded, .metered, .constrained, .quietHours, .battery: true
        case .manual, .offline, .connecting, .signIn, .rateLimit: false
        }
    }
}
