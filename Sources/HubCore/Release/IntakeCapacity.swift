public import OfflineCore

/// How many mutations a minute the store bears, as it has shown so far.
///
/// Only the time counts in which a push is in hand, one or many: while terminals wait for each other nobody
/// learns what the store could do. What it shows is believed sooner than what it does not show: small pushes
/// say little of what large ones would do.
public struct IntakeCapacity: Hashable, Sendable {
    /// Mutations a minute; what was configured until enough was seen.
    public private(set) var perMinute: Int64
    private var inHand = 0
    private var busySince: Instant?
    private var busy = Duration.zero
    private var mutations: Int64 = 0

    /// Less work than this says little.
    private static let shortest = Duration.milliseconds(200)
    private static let fewest: Int64 = 50
    private static let range: ClosedRange<Int64> = 60...10_000_000

    /// - Parameter perMinute: what is believed before anything was measured.
    public init(believing perMinute: Int64) {
        self.perMinute = perMinute
    }

    /// A push goes to the store.
    public mutating func begin(at now: Instant) {
        if inHand == 0 { busySince = now }
        inHand += 1
    }

    /// A push came back; `count` of its mutations have a verdict.
    public mutating func end(_ count: Int, at now: Instant) {
        guard inHand > 0, let since = busySince else { return }
        inHand -= 1
        mutations += Int64(count)
        busy += now - since
        busySince = inHand > 0 ? now : nil
        guard busy >= Self.shortest, mutations >= Self.fewest else { return }
        learn(mutations * 60_000 / max(1, busy.wholeMilliseconds))
        busy = .zero
        mutations = 0
    }

    private mutating func learn(_ seen: Int64) {
        let next = seen > perMinute ? (perMinute + seen) / 2 : (7 * perMinute + seen) / 8
        perMinute = min(max(next, Self.range.lowerBound), Self.range.upperBound)
    }
}
