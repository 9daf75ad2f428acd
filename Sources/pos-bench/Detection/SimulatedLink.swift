internal import OfflineCore

/// The way to the hub as a function of time: when it is dead, and what it loses while it is not.
struct SimulatedLink {
    enum Outage {
        case none
        /// Every packet vanishes from `start` until `end`.
        case blackhole(start: Instant, end: Instant)
        /// Works for `up`, is dead for `down`, and so on.
        case flapping(up: Duration, down: Duration)
    }

    var outage = Outage.none
    /// How many of a thousand round trips lose a packet, each by itself.
    var lossPerMille: UInt64 = 0
    /// Whether the hub answers echoes.
    var answersPing = true
    static let roundTrip = Duration.milliseconds(20)

    /// When `roundTrips` exchanges one after the other are through, with TCP's retransmissions: a first wait
    /// of 1 s while connecting and of 200 ms afterwards, doubled each time. Nil when that is after `timeout`.
    func finish(
        of roundTrips: Int, connecting: Bool, from start: Instant, timeout: Duration,
        using random: inout SplitMix64
    ) -> Instant? {
        var now = start
        for exchange in 0..<roundTrips {
            var wait = connecting && exchange == 0 ? Duration.seconds(1) : .milliseconds(200)
            while !passes(at: now, using: &random) {
                now = now + wait
                wait *= 2
                guard now - start < timeout else { return nil }
            }
            now = now + Self.roundTrip
        }
        return now - start < timeout ? now : nil
    }

    /// Whether one round trip that begins at `now` comes back.
    func passes(at now: Instant, using random: inout SplitMix64) -> Bool {
        isUp(at: now) && random.below(1_000) >= lossPerMille
    }

    private func isUp(at now: Instant) -> Bool {
        switch outage {
        case .none: return true
        case .blackhole(let start, let end): return now < start || now >= end
        case .flapping(let up, let down):
            let period = (up + down).wholeNanoseconds
            return now.nanoseconds % period < up.wholeNanoseconds
        }
    }
}
