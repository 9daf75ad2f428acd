import Base

/// When faults of the network were confirmed lately; repeated flaps lengthen the recovery hold.
struct FlapHistory: Hashable, Codable, Sendable {
    /// Enough to reach the longest hold from any allowed one.
    private static let capacity = 16
    private var confirmations: [Instant] = []

    mutating func note(at now: Instant) {
        if confirmations.count == Self.capacity { confirmations.removeFirst() }
        confirmations.append(now)
    }

    /// T2, half as long again for each confirmed fault beyond two within the window, up to the cap.
    func hold(at now: Instant, settings: NetworkSettings) -> Duration {
        let since = now - settings.flapWindow
        let recent = confirmations.count { $0 > since }
        var hold = settings.recoveryHold
        for _ in 0..<max(0, recent - 2) {
            hold = min(settings.recoveryHoldCap, hold + hold / 2)
        }
        return hold
    }
}
