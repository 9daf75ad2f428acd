/// When the next start's inheritance is written anew: at once when the network's verdict or the hub's
/// reachability changes, and for a later good time no more often than once a minute, so that an
/// idle till leaves its disk alone and a killed one knows its last good times to within a minute.
struct LastRunKeeping: Hashable, Codable, Sendable {
    private static let gap = Duration.seconds(60)

    private var kept: LastRun?
    private var wasReachable = false
    private var notBefore: Instant?

    /// Whether something may have to be written; cheap, as it is asked with every event.
    func isDue(isReachable: Bool, isDown: Bool, at now: Instant) -> Bool {
        guard let kept, let notBefore else { return true }
        return isReachable != wasReachable || isDown != kept.networkIsDown || now >= notBefore
    }

    /// Takes what holds now.
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
