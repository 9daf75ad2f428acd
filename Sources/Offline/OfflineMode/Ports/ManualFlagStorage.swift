public import OfflineCore

/// Keeps the manual flag where it survives kill, crash and power cut.
public protocol ManualFlagStorage: Sendable {
    /// What is on disk. An unreadable file is reported, never removed.
    func load() -> ManualFlagOnDisk

    /// Makes `flag` durable (nil removes it, keeping an unreadable file aside) before it returns.
    func save(_ flag: ManualFlag?) async throws(ManualFlagError)
}
