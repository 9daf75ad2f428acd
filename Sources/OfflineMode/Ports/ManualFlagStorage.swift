public import OfflineCore

/// Keeps the manual flag where it survives kill, crash and power cut.
public protocol ManualFlagStorage: Sendable {
    /// What lies on disk. An unreadable file is reported, never removed.
    func load() -> ManualFlagOnDisk

    /// Makes `flag` durable (nil removes it, keeping an unreadable file aside) before it returns.
    func save(_ flag: ManualFlag?) throws(ManualFlagError)
}

/// Why the manual flag was not saved. The mode stays as it was.
public enum ManualFlagError: Error, Equatable, Sendable {
    /// A call on `path` failed with `code` (errno). Free space or mend the permissions and try again.
    case notDurable(path: String, call: String, code: Int32)
}
