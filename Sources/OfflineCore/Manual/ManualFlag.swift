/// The cashier's word that the terminal is to stay offline, as it lies on disk.
public struct ManualFlag: Hashable, Codable, Sendable {
    /// Unix milliseconds of the wall clock when the flag was set; for display only.
    public let since: Int64
    /// Who set it; nil when nobody was signed in.
    public let by: String?
    /// Why, in the words of who set it.
    public let reason: String?

    public init(since: Int64, by: String?, reason: String?) {
        self.since = since
        self.by = by
        self.reason = reason
    }
}

/// What was found of the manual flag at start-up.
public enum ManualFlagOnDisk: Hashable, Codable, Sendable {
    /// No file: the terminal was not switched off.
    case absent
    /// The flag was set and is still in force.
    case set(ManualFlag)
    /// A file is there and cannot be read as a flag. The terminal stays offline, reason `flag_corrupt`.
    ///
    /// `detail` says what is wrong with it and where it lies.
    case corrupt(detail: String)
}
