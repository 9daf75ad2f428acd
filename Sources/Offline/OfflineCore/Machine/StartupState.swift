public import Base

/// What the last run left on disk, with which the machine starts.
public struct StartupState: Hashable, Codable, Sendable {
    /// As read from `manual-offline.json`. Default absent.
    public let manual: ManualFlagOnDisk
    /// Whether the last run ended with the `network` cause in force: it stays, and one success ends it.
    public let networkWasDown: Bool
    /// When the offline period began that the last run left open; nil when it ended online.
    public let offlineSince: Instant?
    /// From the last snapshot, for display until the first response of this run.
    public let lastInternetOk: Instant?
    /// When the hub last responded well, from the last snapshot, for display only; nil when unknown.
    public let lastBackendOk: Instant?

    /// By default the state of a first start: no manual flag and no network cause.
    public init(
        manual: ManualFlagOnDisk = .absent, networkWasDown: Bool = false, offlineSince: Instant? = nil,
        lastInternetOk: Instant? = nil, lastBackendOk: Instant? = nil
    ) {
        self.manual = manual
        self.networkWasDown = networkWasDown
        self.offlineSince = offlineSince
        self.lastInternetOk = lastInternetOk
        self.lastBackendOk = lastBackendOk
    }
}
