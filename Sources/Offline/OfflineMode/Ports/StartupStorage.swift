public import OfflineCore

/// Keeps the manual flag where it survives kill, crash and power cut.
public protocol ManualFlagStorage: Sendable {
    /// What is on disk. An unreadable file is reported, never removed.
    func load() -> ManualFlagOnDisk

    /// Makes `flag` durable (nil removes it, keeping an unreadable file aside) before it returns.
    func save(_ flag: ManualFlag?) async throws(ManualFlagError)
}

/// Keeps what the next start takes over. Losing it is harmless: the detector then starts without a cause.
public protocol LastRunStorage: Sendable {
    /// What the last run kept; nil when there is nothing or it cannot be read.
    func load() -> LastRunOnDisk?

    /// Keeps `run` in place of the last one. Best effort, called seldom and one at a time.
    func save(_ run: LastRunOnDisk)
}

/// What the next start takes over, in wall-clock time since it outlives the monotonic clock.
public struct LastRunOnDisk: Hashable, Sendable {
    /// Whether the `network` cause was in force.
    public let networkIsDown: Bool
    /// Unix milliseconds.
    public let lastInternetOk: Int64?
    /// Unix milliseconds.
    public let lastBackendOk: Int64?

    /// Makes a record; both times are Unix milliseconds, nil when there was none.
    public init(networkIsDown: Bool, lastInternetOk: Int64?, lastBackendOk: Int64?) {
        self.networkIsDown = networkIsDown
        self.lastInternetOk = lastInternetOk
        self.lastBackendOk = lastBackendOk
    }
}
