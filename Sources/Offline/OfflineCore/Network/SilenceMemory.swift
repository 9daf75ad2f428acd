import Base

/// What a till has stored about its link: how long the last silences lasted, and how long the link stayed
/// good after each outage.
public struct SilenceMemory: Hashable, Codable, Sendable {
    /// The most silences that are kept; a new one then replaces the oldest.
    public static let silenceCapacity = 32
    /// The most returns that are kept; a new one then replaces the oldest.
    public static let returnCapacity = 16
    /// The longest duration that is distinguished, in milliseconds; a longer one counts as this.
    public static let longest: Int64 = 600_000

    /// In milliseconds, the newest last, at most ``silenceCapacity``, each from 0 to ``longest``.
    public private(set) var silences: [Int64] = []
    /// In milliseconds, the newest last, at most ``returnCapacity``, each from 0 to ``longest``.
    public private(set) var returns: [Int64] = []

    /// The memory of a till that has stored nothing: the typical outages alone decide its waits.
    public init() {}

    /// Restores stored values; nil when there are too many or one is out of range.
    public init?(silences: [Int64], returns: [Int64]) {
        guard silences.count <= Self.silenceCapacity, returns.count <= Self.returnCapacity,
            (silences + returns).allSatisfy((0...Self.longest).contains)
        else { return nil }
        self.silences = silences
        self.returns = returns
    }

    mutating func note(silence: Duration) {
        Self.note(silence, in: &silences, capacity: Self.silenceCapacity)
    }

    mutating func note(return good: Duration) {
        Self.note(good, in: &returns, capacity: Self.returnCapacity)
    }

    private static func note(_ duration: Duration, in ring: inout [Int64], capacity: Int) {
        if ring.count == capacity { ring.removeFirst() }
        ring.append(max(0, min(longest, duration.wholeMilliseconds)))
    }
}
