public import Base

/// What the next start takes over from this run.
public struct LastRun: Hashable, Codable, Sendable {
    /// Whether the `network` cause holds.
    public let networkIsDown: Bool
    /// When the hub or the independent address last responded; nil when neither ever did.
    public let lastInternetOk: Instant?
    /// When the hub last responded well; nil when it never did.
    public let lastBackendOk: Instant?

    /// What the machine returns in ``OfflineEffect/saveLastRun(_:)``; nil stands for a time that is unknown.
    public init(networkIsDown: Bool, lastInternetOk: Instant?, lastBackendOk: Instant?) {
        self.networkIsDown = networkIsDown
        self.lastInternetOk = lastInternetOk
        self.lastBackendOk = lastBackendOk
    }
}

/// When ``LastRun`` is written again: at once when the network cause or the hub's reachability changes, and
/// for a later good time at most once a minute. So an idle till seldom writes, and a killed one has its last
/// good times to within a minute.
struct LastRunKeeping: Hashable, Codable, Sendable {
    /// Halved, an idle till writes twice as often; doubled, a killed one shows good times two minutes old.
    private static let gap = Duration.seconds(60)

    private var kept: LastRun?
    private var wasReachable = false
    private var notBefore: Instant?

    /// Whether something may have to be written; cheap, because every event calls it.
    func isDue(isReachable: Bool, isDown: Bool, at now: Instant) -> Bool {
        guard let kept, let notBefore else { return true }
        return isReachable != wasReachable || isDown != kept.networkIsDown || now >= notBefore
    }

    /// Records the present values.
    ///
    /// - Returns: whether it differs from what was written last.
    mutating func note(_ run: LastRun, isReachable: Bool, at now: Instant) -> Bool {
        wasReachable = isReachable
        guard run != kept else { return false }
        kept = run
        notBefore = now + Self.gap
        return true
    }
}
