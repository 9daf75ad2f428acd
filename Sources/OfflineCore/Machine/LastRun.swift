/// What the next start takes over from this run.
public struct LastRun: Hashable, Codable, Sendable {
    /// Whether the `network` cause holds.
    public let networkIsDown: Bool
    public let lastInternetOk: Instant?
    public let lastBackendOk: Instant?

    public init(networkIsDown: Bool, lastInternetOk: Instant?, lastBackendOk: Instant?) {
        self.networkIsDown = networkIsDown
        self.lastInternetOk = lastInternetOk
        self.lastBackendOk = lastBackendOk
    }
}
