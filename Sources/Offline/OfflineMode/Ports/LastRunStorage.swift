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

    public init(networkIsDown: Bool, lastInternetOk: Int64?, lastBackendOk: Int64?) {
        self.networkIsDown = networkIsDown
        self.lastInternetOk = lastInternetOk
        self.lastBackendOk = lastBackendOk
    }
}
