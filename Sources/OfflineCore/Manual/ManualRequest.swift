/// A person asks for the manual flag to be set or taken back.
public struct ManualRequest: Hashable, Codable, Sendable {
    /// Names the asker, so that the answer finds the way back; never repeats within one run.
    public let ticket: UInt64
    /// The flag to set; nil takes it back. Setting it again keeps the first `since`.
    public let flag: ManualFlag?

    public init(ticket: UInt64, flag: ManualFlag?) {
        self.ticket = ticket
        self.flag = flag
    }
}

/// Why a request for the manual flag came to nothing. The mode stays as it was.
public enum ManualRefusal: Error, Hashable, Sendable {
    /// The flag could not be made durable. Mend what the cause names and ask again.
    case notSaved(ManualFlagError)
    /// Too many requests wait for the disk. Ask again later.
    case tooManyWaiting
}
