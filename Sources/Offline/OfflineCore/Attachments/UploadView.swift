public import Base

/// One unfinished attachment as `pos sync status` shows it.
public struct UploadView: Hashable, Sendable {
    /// How far the upload is. Only the attachment in progress can be ``sending(received:)``.
    public enum State: Hashable, Sendable {
        /// Its bytes are being sent; the hub has so many.
        case sending(received: Int64)
        /// It is sent after the ones before it.
        case queued
        /// It, or every upload, waits after a failure.
        case waiting(until: Instant)
        /// The policy does not allow it now.
        case held
    }

    /// The attachment's ULID.
    public let id: String
    /// As of the moment when the view was made; it is not updated.
    public let state: State

    /// The view of the attachment with the ULID `id`.
    public init(id: String, state: State) {
        self.id = id
        self.state = state
    }
}

extension SyncPolicy {
    /// Which attachments may be sent now: urgent ones whenever mutations may.
    ///
    /// - Parameter isRequested: a person requested it now, which overrides quiet hours and battery.
    public func uploadPermission(isRequested: Bool = false) -> UploadPermission {
        guard !obstacles(toUpload: false, isRequested: isRequested).isEmpty else { return .everything }
        return obstacles(toUpload: true, isRequested: isRequested).isEmpty ? .urgentOnly : .nothing
    }

    /// What prevents an attachment from being sent; empty when nothing does.
    public func obstacles(toUpload isUrgent: Bool, isRequested: Bool = false) -> [SyncObstacle] {
        obstacles(to: .attachments, isRequested: isRequested).filter { !(isUrgent && $0.yieldsToUrgency) }
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
