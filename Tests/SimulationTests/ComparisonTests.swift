import Base
import OfflineCore
import Simulation
import Testing

@Suite("Simulation runs side by side")
struct ComparisonTests {
    /// Ten minutes, dead from 200 s to 260 s and for 6 s at 400 s.
    static let trace = LinkTrace(
        rows: [(0, true), (200, false), (260, true), (400, false), (406, true)].map { second, isUp in
            LinkTrace.Row(start: Instant(nanoseconds: second * 1_000_000_000), isUp: isUp)
        }, end: Instant(nanoseconds: 600_000_000_000))

    static func variant(_ debounce: Int64) -> Variant {
        var settings = OfflineSettings()
        settings.network.debounce = .seconds(debounce)
        return Variant(name: "\(debounce) s", settings: settings)
    }

    static func comparison(_ debounces: Int64..., sales: SalePace = .none) -> Comparison {
        Comparison(
            on: trace, variants: debounces.map(variant), sales: sales, budget: .milliseconds(1_500), seed: 4)
    }

    @Test("A longer debounce shows a dead link longer, by as much as it is longer")
    func longer() throws {
        let comparison = Self.comparison(5, 10, 30)
        let dead = comparison.runs.map { $0.figures.deadShownOnline }
        #expect(dead[1] - dead[0] == .seconds(5))
        #expect(comparison.runs.map { $0.figures.missed } == [0, 0, 0])
        #expect(comparison.runs.map { $0.figures.trueOutages } == [1, 1, 1])
        #expect(comparison.outages.total == .seconds(66))
    }

    @Test("The same seed makes the same comparison, and sales are the same for every setting")
    func repeatable() {
        let sales = SalePace.drawn(perHour: 600, seed: 9)
        let first = Self.comparison(3, 8, sales: sales).runs.map(\.figures)
        #expect(Self.comparison(3, 8, sales: sales).runs.map(\.figures) == first)
        #expect(first.allSatisfy { $0.waiting >= .milliseconds(1_500) })
        #expect(first.allSatisfy { $0.waiting < .seconds(6) })
    }

    @Test("A simulation run with the settings of a recording decides much the same")
    func queriedAnew() throws {
        let read = try Recording(seed: 11).read()
        let comparison = Comparison(of: RecordingReplay(read).records, budget: .milliseconds(1_500)) { base in
            var longer = base
            longer.network.debounce = .seconds(60)
            return [Variant(name: "60 s", settings: longer)]
        }
        let figures = comparison.runs.map(\.figures)
        #expect(comparison.runs.map(\.name) == ["recorded", "asked anew", "60 s"])
        #expect(figures[0].switches >= 30)
        #expect(abs(figures[0].switches - figures[1].switches) <= 2)
        let (recorded, anew) = (figures[0].deadShownOnline, figures[1].deadShownOnline)
        #expect(anew > recorded * 0.8 && anew < recorded * 1.25)
        #expect(figures[2].switches == 0)
        #expect(figures[2].deadShownOnline > recorded * 2)
    }

    @Test("Without settings to compare, a recording is shown alone")
    func alone() throws {
        let records = RecordingReplay(try Recording(seed: 12).read()).records
        let comparison = Comparison(of: records, budget: .milliseconds(1_500)) { _ in [] }
        #expect(comparison.runs.map(\.name) == ["recorded"])
        #expect(comparison.outages.total > .seconds(300))
    }

    @Test("The chart has both axes, every run by name, and only valid XML")
    func chart() {
        let svg = ComparisonChart(Self.comparison(3, 15), title: "a < b & \"c\"").svg
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
        #expect(svg.hasSuffix("</svg>\n"))
        #expect(svg.contains("a &lt; b &amp; &quot;c&quot;"))
        #expect(svg.contains("dead, shown online (seconds an hour)"))
        #expect(svg.contains("offline while the link was fine (seconds an hour)"))
        #expect(svg.components(of: ">3 s</text>") == 2)
        #expect(svg.components(of: ">15 s</text>") == 2)
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test("A comparison without any wrong display still has a chart")
    func nothingWrong() {
        let fine = LinkTrace(
            rows: [LinkTrace.Row(start: Instant(nanoseconds: 0), isUp: true)],
            end: Instant(nanoseconds: 60_000_000_000))
        let comparison = Comparison(
            on: fine, variants: [Self.variant(8)], sales: .none, budget: .seconds(1), seed: 1)
        let svg = ComparisonChart(comparison, title: "fine").svg
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }
}

extension String {
    /// How often `text` stands in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
