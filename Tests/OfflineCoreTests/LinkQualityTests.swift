import Base
import Testing

@testable import OfflineCore

@Suite("Link quality")
struct LinkQualityTests {
    @Test(
        "Samples in, decisions out: o responds fast, m in 1.5 s, l in 3 s, x fails",
        arguments: [
            ("ooo", "---"),
            // With fewer than four samples the decision stays.
            ("xxx", "---"), ("xxxx", "---D"),
            ("ooooxxo", "-----" + "--"), ("oooxxo", "----DD"),
            // One slow response of less than twenty is the 95th percentile.
            ("oool", "---D"), ("ooom", "----"),
        ])
    func results(samples: String, results: String) {
        var quality = LinkQuality(settings: QualitySettings())
        #expect(play(samples, into: &quality, from: Bench.start) == results)
    }

    @Test("A degraded link is good again at ten per cent and 1 s, not before the dwell")
    func dwell() {
        var quality = LinkQuality(settings: QualitySettings(window: .seconds(8)))
        #expect(play("xxxx", into: &quality, from: Bench.start) == "---D")
        let later = Bench.start + .seconds(4)
        #expect(play("oooooooooooo", into: &quality, from: later) == "DDDDDDDDD---")
    }

    @Test("Twenty samples are kept, none older than a minute")
    func window() {
        var quality = LinkQuality(settings: QualitySettings())
        _ = play(String(repeating: "x", count: 20), into: &quality, from: Bench.start)
        #expect(quality.isDegraded)
        _ = play(String(repeating: "o", count: 20), into: &quality, from: Bench.start + .seconds(20))
        #expect(!quality.isDegraded)
        _ = play("xxx", into: &quality, from: Bench.start + .seconds(200))
        #expect(!quality.isDegraded)
    }

    /// One sample a second.
    private func play(_ samples: String, into quality: inout LinkQuality, from start: Instant) -> String {
        var now = start
        return String(
            samples.map { sample in
                let latency: Duration? =
                    switch sample {
                    case "o": .milliseconds(40)
                    case "m": .milliseconds(1_500)
                    case "l": .seconds(3)
                    default: nil
                    }
                quality.note(latency: latency, at: now)
                now = now + .seconds(1)
                return quality.isDegraded ? "D" : "-"
            })
    }
}
