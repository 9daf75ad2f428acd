/// One attachment that the hub does not have whole.
public struct PendingUpload: Hashable, Sendable {
    public let id: String
    /// Bytes.
    public let size: Int64
    /// Whether it goes over a path that costs by volume or is narrow, and before those that do not.
    public let isUrgent: Bool

    public init(id: String, size: Int64, isUrgent: Bool) {
        self.id = id
        self.size = size
        self.isUrgent = isUrgent
    }
}

/// What the policy lets through of attachments.
public enum UploadPermission: String, Hashable, Sendable, CaseIterable {
    case nothing
    case urgentOnly
    case everything
}

/// What the upload machine is told.
public enum UploadEvent: Hashable, Sendable {
    /// Attachments were added on disk or became unfinished again, or the driver just started.
    case uploadsChanged
    /// The answer to `list`: what is not whole, oldest first.
    case listed([PendingUpload])
    /// The answer to `announce`, `ask` or `send`.
    case answered(UploadAnswer)
    /// What `finish` or `note` asked for is durable.
    case written
    /// What was asked of the store last failed; nothing changed on disk.
    case storeFailed
    case permissionChanged(UploadPermission)
    case linkQualityChanged(isDegraded: Bool)
    /// The route to the hub is back: everything is tried at once.
    case routeRestored
    /// A person asked to sync now, which lets more through for as long as that lasts.
    case syncRequested(UploadPermission)
    /// The machine's deadline passed; early and repeated wakes are harmless.
    case deadlineReached
}

/// How one step of an upload ended.
public enum UploadAnswer: Hashable, Sendable {
    /// The hub gives leave to upload, so many bytes at a time.
    case granted(chunkSize: Int64)
    /// The hub has so many bytes, from the first one on.
    case at(Int64)
    /// The hub has all of it and found its digest right.
    case whole
    /// The hub had all of it, found another digest and threw it away.
    case digestMismatch
    /// The leave has expired or is not taken; a new one is asked for.
    case grantRefused
    /// The hub does not want this attachment as it is; in words. Others pass.
    case refused(String)
    /// The bytes on this terminal's disk cannot be read, or are not the announced ones; in words.
    case fileTrouble(String)
    /// The hub's trouble or the network's: every upload waits on one backoff.
    case hubTrouble(retryAfter: Duration?)
}

/// What the upload machine wants done. One is out at a time, ``finishSync(finished:)`` aside.
public enum UploadEffect: Hashable, Sendable {
    /// Read what is not whole. Answered by `listed` or `storeFailed`.
    case list
    /// Tell the hub of this attachment and get leave to upload it. Answered by `answered`.
    case announce(id: String)
    /// Ask how much of it the hub has. Answered by `answered`.
    case ask(id: String)
    /// Send so many bytes from this one on. Answered by `answered`.
    case send(id: String, from: Int64, count: Int64)
    /// Make durable that the hub has it whole. Answered by `written` or `storeFailed`.
    case finish(id: String)
    /// Keep why it does not come on, for people. Answered by `written` or `storeFailed`.
    case note(id: String, problem: String)
    /// The `sync now` is over: nothing more can go.
    case finishSync(finished: Int)
}
