internal import Base

/// How many parts of leases each till was given within a day since the start.
///
/// Each part costs its owner a synced file, two transactions and one of its 2,000 notes of a day; one till
/// that claims one point at a time would use them all up.
struct PartAllowance {
    private struct Day {
        let begin: Instant
        var given = 0
    }

    private static let length = Duration.seconds(86_400)

    private var days: [String: Day] = [:]

    func given(to taker: String, at now: Instant) -> Int {
        guard let day = days[taker], now < day.begin + Self.length else { return 0 }
        return day.given
    }

    mutating func note(_ taker: String, at now: Instant) {
        if given(to: taker, at: now) == 0 { days[taker] = Day(begin: now) }
        days[taker]?.given += 1
    }
}
