/// A person requests that the manual flag is set or removed.
public struct ManualRequest: Hashable, Codable, Sendable {
    /// Connects the response with its request; unique within one run.
    public let ticket: UInt64
    /// The flag to set; nil removes it. Setting it again keeps the first `since`.
    public let flag: ManualFlag?

    /// A request to set `flag`, or to remove the present one where it is nil.
    public init(ticket: UInt64, flag: ManualFlag?) {
        self.ticket = ticket
        self.flag = flag
    }
}

/// Why a request for the manual flag was refused. The mode stays as it was.
public enum ManualRefusal: Error, Hashable, Sendable {
    /// The flag could not be made durable. Repair what the error names and try again.
    case notSaved(ManualFlagError)
    /// Too many requests wait for the disk. Try again later.
    case tooManyWaiting
}

/// Why the manual flag was not saved. The mode stays as it was.
public enum ManualFlagError: Error, Hashable, Codable, Sendable {
    /// A call on `path` failed with `code` (errno). Free space or repair the permissions and try again.
    case notDurable(path: String, call: String, code: Int32)
}
