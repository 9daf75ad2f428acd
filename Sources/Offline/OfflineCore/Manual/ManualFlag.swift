/// The cashier's request that the terminal stays offline, as it is stored on disk.
public struct ManualFlag: Hashable, Codable, Sendable {
    /// Unix milliseconds of the wall clock when the flag was set; for display only.
    public let since: Int64
    /// Who set it; nil when nobody was signed in.
    public let by: String?
    /// Why, as entered by the person who set it.
    public let reason: String?

    /// A flag set at `since`, in Unix milliseconds; nil for a person or a reason that is unknown.
    public init(since: Int64, by: String?, reason: String?) {
        self.since = since
        self.by = by
        self.reason = reason
    }
}

/// The state of the manual flag's file at start-up.
public enum ManualFlagOnDisk: Hashable, Codable, Sendable {
    /// No file: nobody set the terminal offline.
    case absent
    /// The flag was set and is still in force.
    case set(ManualFlag)
    /// The file exists and cannot be read as a flag. The terminal stays offline, reason `flag_corrupt`.
    ///
    /// `detail` names the file and what is wrong with it.
    case corrupt(detail: String)
}
