import Base

/// How long the next switch waits after a switch by QoS, so that flapping decisions, or alternating issuers,
/// do not switch a terminal each time.
///
/// A switch begins or ends a fault. An operator's decision neither waits nor starts a dwell: a person sees
/// the effect and can undo it at once.
struct SwitchDwell: Hashable, Codable, Sendable {
    /// Enough flaps to reach the longest dwell from any allowed one.
    private static let capacity = 16
    private var faults: [Instant] = []
    /// Before this moment no decision of QoS switches; nil while no dwell runs.
    private(set) var ends: Instant?

    /// - Parameter isFault: whether the switch begins a fault. Each of those is a flap.
    mutating func noteSwitch(isFault: Bool, at now: Instant, settings: ServiceSettings) {
        if isFault {
            if faults.count == Self.capacity { faults.removeFirst() }
            faults.append(now)
        }
        let since = now - settings.flapWindow
        var dwell = settings.dwell
        for _ in 0..<max(0, faults.count { $0 > since } - 2) {
            dwell = min(settings.dwellCap, dwell + dwell / 2)
        }
        ends = now + dwell
    }

    mutating func finish() { ends = nil }

    func holds(at now: Instant) -> Bool { ends.map { now < $0 } ?? false }
}
