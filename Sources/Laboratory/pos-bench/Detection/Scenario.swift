import Base

internal import OfflineCore
internal import Simulation

/// A kind of link on which detectors are compared. Each has a silent hole of ten minutes in every two hours,
/// at a random moment, so that there is always an outage to detect.
struct Scenario {
    static let day = Duration.seconds(86_400)

    let name: String
    var lossPerMille: UInt64 = 0
    var salesPerHour: UInt64 = 0
    var roundTrip: Duration?
    /// What the holes take.
    var darkness = SimulatedLink.Darkness.everything
    var respondsToPing = true
    /// Short silences of a day, beside the holes.
    var silences: @Sendable (inout SplitMix64) -> [Hole] = { _ in [] }

    static let all = [
        Scenario(name: "silent, idle"),
        Scenario(name: "silent, 120 sales an hour", salesPerHour: 120),
        Scenario(name: "10 % loss", lossPerMille: 100),
        Scenario(name: "30 % loss", lossPerMille: 300),
        Scenario(name: "30 s on, 2 s off") { random in
            silences(every: { _ in .seconds(32) }, lasting: { _ in .seconds(2) }, &random)
        },
        Scenario(name: "30 s on, 2 s off, drawn") { random in
            silences(every: { memoryless(&$0, 32) }, lasting: { memoryless(&$0, 2) }, &random)
        },
        Scenario(name: "5 to 12 s off, 5 min apart") { random in
            silences(every: { drawn(&$0, 60, 600) }, lasting: { drawn(&$0, 5, 12) }, &random)
        },
        Scenario(name: "5 to 12 s off, 1 min apart") { random in
            silences(every: { drawn(&$0, 20, 120) }, lasting: { drawn(&$0, 5, 12) }, &random)
        },
        Scenario(name: "round trips of 800 ms", roundTrip: .milliseconds(800)),
        Scenario(name: "800 ms and 10 % loss", lossPerMille: 100, roundTrip: .milliseconds(800)),
        Scenario(name: "port dropped, idle", darkness: .port),
        Scenario(name: "port dropped, no ping", darkness: .port, respondsToPing: false),
        Scenario(name: "no TLS handshake, idle", darkness: .handshake),
        Scenario(name: "no TLS handshake, no ping", darkness: .handshake, respondsToPing: false),
        Scenario(name: "no response, idle", darkness: .response),
        Scenario(name: "no response, no ping", darkness: .response, respondsToPing: false),
    ]

    /// One day of it. The same seed draws the same day.
    func link(seed: UInt64) -> SimulatedLink {
        var random = SplitMix64(seed: seed)
        var holes = silences(&random)
        for start in stride(from: Int64(0), to: 86_400, by: 7_200) {
            // After every detector has probed once, and without overlap.
            let offset = Duration.milliseconds(600_000 + Int64(random.below(6_000_000)))
            holes.append(
                Hole(start: Instant(nanoseconds: 0) + .seconds(start) + offset, length: .seconds(600)))
        }
        let trace = LinkTrace(holes: holes, roundTrip: roundTrip, for: Self.day)
        var link = SimulatedLink(
            outage: .recorded(trace), lossPerMille: lossPerMille, respondsToPing: respondsToPing)
        link.darkness = darkness
        return link
    }

    /// The moments of a day's sales, the same for everybody.
    func sales(seed: UInt64) -> [Instant] {
        salesPerHour == 0 ? [] : SalePace.drawn(perHour: salesPerHour, seed: seed).moments(for: Self.day)
    }

    private static func silences(
        every pause: (inout SplitMix64) -> Duration, lasting length: (inout SplitMix64) -> Duration,
        _ random: inout SplitMix64
    ) -> [Hole] {
        var holes: [Hole] = []
        var now = Instant(nanoseconds: Int64(random.below(32_000_000_000)))
        while now < Instant(nanoseconds: 0) + day {
            holes.append(Hole(start: now, length: length(&random)))
            now = now + pause(&random)
        }
        return holes
    }

    /// Tenths of a second, `mean` seconds on average.
    private static func memoryless(_ random: inout SplitMix64, _ mean: UInt64) -> Duration {
        var tenths: Int64 = 1
        while random.below(mean * 10) != 0 { tenths += 1 }
        return .milliseconds(100 * tenths)
    }

    /// Whole milliseconds, all alike likely.
    private static func drawn(_ random: inout SplitMix64, _ low: Int64, _ high: Int64) -> Duration {
        .milliseconds(low * 1_000 + Int64(random.below(UInt64(high - low) * 1_000)))
    }
}
