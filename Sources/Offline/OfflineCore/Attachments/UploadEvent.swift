/// One attachment that the hub does not have completely.
public struct PendingUpload: Hashable, Sendable {
    /// The attachment's ULID.
    public let id: String
    /// Bytes.
    public let size: Int64
    /// Whether it is sent over a metered or constrained path too, and before those that are not urgent.
    public let isUrgent: Bool

    /// An attachment of `size` bytes, 0 or more.
    public init(id: String, size: Int64, isUrgent: Bool) {
        self.id = id
        self.size = size
        self.isUrgent = isUrgent
    }
}

/// Which attachments the policy allows.
public enum UploadPermission: String, Hashable, Sendable, CaseIterable {
    case nothing
    case urgentOnly
    case everything
}

/// What the upload machine is notified of.
public enum UploadEvent: Hashable, Sendable {
    /// Attachments were added on disk or became unfinished again, or the driver just started.
    case uploadsChanged
    /// The result of `list`: the incomplete attachments, oldest first.
    case listed([PendingUpload])
    /// The result of `announce`, `query` or `send`.
    case responded(UploadResponse)
    /// The write of `finish` or `note` is durable.
    case written
    /// The last operation of the store failed; nothing changed on disk.
    case storeFailed
    case permissionChanged(UploadPermission)
    case linkQualityChanged(isDegraded: Bool)
    /// The route to the hub is back: everything is tried at once.
    case routeRestored
    /// A person requested `sync now`, which allows more while it runs.
    case syncRequested(UploadPermission)
    /// The machine's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}

/// How one step of an upload ended.
public enum UploadResponse: Hashable, Sendable {
    /// The hub gave a pre-signed URL, and the most bytes of one chunk.
    case granted(chunkSize: Int64)
    /// The hub has so many bytes, counted from the first one.
    case at(Int64)
    /// The hub has all bytes and their digest matches.
    case whole
    /// The hub had all bytes, computed another digest and deleted them.
    case digestMismatch
    /// The pre-signed URL has expired or was refused; a new one is requested.
    case grantRefused
    /// The hub refuses this attachment; the text is for people. Others are sent.
    case refused(String)
    /// The bytes on this terminal's disk cannot be read or are not the announced ones; the text is for
    /// people.
    case fileTrouble(String)
    /// The hub or the network failed: every upload waits on one backoff.
    case hubTrouble(retryAfter: Duration?)
}

/// What the driver of the upload machine has to do. One effect is pending at a time, except
/// ``finishSync(finished:)``.
public enum UploadEffect: Hashable, Sendable {
    /// Read the incomplete attachments. Followed by `listed` or `storeFailed`.
    case list
    /// Announce this attachment to the hub and get a pre-signed URL for it. Followed by `answered`.
    case announce(id: String)
    /// Query how many bytes of it the hub has. Followed by `answered`.
    case query(id: String)
    /// Send so many bytes from this offset. Followed by `answered`.
    case send(id: String, from: Int64, count: Int64)
    /// Make durable that the hub has it completely. Followed by `written` or `storeFailed`.
    case finish(id: String)
    /// Store why its upload does not advance, for people. Followed by `written` or `storeFailed`.
    case note(id: String, problem: String)
    /// The `sync now` is over: nothing more can be sent.
    case finishSync(finished: Int)
}
