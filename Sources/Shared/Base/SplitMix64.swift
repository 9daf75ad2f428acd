/// A seeded generator for jitter and payloads, small enough to be part of a machine's state.
///
/// The same seed gives the same sequence on every platform, so a recorded run replays bit for bit. It is not
/// for secrets. (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014.)
public struct SplitMix64: RandomNumberGenerator, Hashable, Codable, Sendable {
    /// The complete state; a generator made from it continues the sequence.
    public private(set) var state: UInt64

    /// Any seed will do, 0 included; ``state`` of another generator continues its sequence.
    public init(seed: UInt64) {
        state = seed
    }

    /// Advances ``state`` by a constant and mixes it; each of the 2⁶⁴ values occurs once in a period.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in `0 ..< bound` by the high half of a product; the bias is below 2⁻³² for our small bounds.
    public mutating func below(_ bound: UInt64) -> UInt64 {
        precondition(bound > 0, "the bound of a random number must be positive")
        return next().multipliedFullWidth(by: bound).high
    }

    /// `duration` lengthened or shortened, uniformly, by up to `perMille` thousandths.
    public mutating func jittered(_ duration: Duration, perMille: Int64) -> Duration {
        let spread = duration.wholeNanoseconds / 1_000 * perMille
        guard spread > 0 else { return duration }
        return duration + .nanoseconds(Int64(below(UInt64(2 * spread + 1))) - spread)
    }

    /// A uniformly distributed duration from zero to `longest`.
    public mutating func upTo(_ longest: Duration) -> Duration {
        guard longest > .zero else { return .zero }
        return .nanoseconds(Int64(below(UInt64(longest.wholeNanoseconds) + 1)))
    }
}
