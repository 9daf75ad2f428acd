import Base

internal import OfflineCore
internal import Simulation

/// The learned wait compared with the fixed one, on random links.
///
/// The cost is a cashier's seconds an hour, as `pos replay` computes it. Detection times and probes are shown
/// too, because a rule that is cheaper on average may still be late once. There are no sales: an idle till is
/// the harder case.
struct DebounceRules: RowMeasure {
    /// The first day's; the others count up from it.
    let seed: UInt64

    private static let days: UInt64 = 12
    private static let day = Duration.seconds(86_400)

    func rows(in workshop: Workshop) -> [Row] {
        rows("180 s dead, every 2 h") { _ in .steady(up: .seconds(7_020), down: .seconds(180), for: Self.day)
        }
            + rows("the same, 30 % loss", lossPerMille: 300) { _ in
                .steady(up: .seconds(7_020), down: .seconds(180), for: Self.day)
            }
            + rows("30 s up, 2 s dead, drawn") { seed in
                .drawn(up: .seconds(30), down: .seconds(2), for: Self.day, seed: seed)
            }
            + rows("60 s up, 12 s dead, drawn") { seed in
                .drawn(up: .seconds(60), down: .seconds(12), for: Self.day, seed: seed)
            }
            + rows("1 h up, 5 min dead, drawn") { seed in
                .drawn(up: .seconds(3_600), down: .seconds(300), for: Self.day, seed: seed)
            }
            + rows("60 s up, 12 s dead") { _ in .steady(up: .seconds(60), down: .seconds(12), for: Self.day) }
    }

    private func rows(_ name: String, lossPerMille: UInt64 = 0, link: (UInt64) -> LinkTrace) -> [Row] {
        var sums = [LinkFigures(), LinkFigures()]
        for day in 0..<Self.days {
            let seed = self.seed &+ day
            let comparison = Comparison(
                on: link(seed), lossPerMille: lossPerMille, variants: Self.variants, sales: .none,
                budget: .milliseconds(1_500), seed: seed)
            for (index, run) in comparison.runs.enumerated() { sums[index] = sums[index] + run.figures }
        }
        let (fixed, learned) = (sums[0], sums[1])
        func row(
            _ what: String, _ unit: Unit, aim: Row.Aim? = nil, _ value: (LinkFigures) -> Double
        ) -> Row {
            Row(
                name: "\(name): \(what)", figure: value(learned), unit: unit,
                yardstick: ("fixed", value(fixed)), aim: aim)
        }
        return [
            row("learned, cost", .perHour) { $0.costPerHour },
            row("needless", .perHour) { $0.perHour(Double($0.needless)) },
            row("found after", .seconds) { Double(($0.meanFinding ?? .zero).wholeNanoseconds) },
            row("longest", .seconds) { Double($0.slowestFinding.wholeNanoseconds) },
            row("offline while fine", .perHour) { $0.perHour($0.falseOffline.inSeconds) },
            row("dead, shown online", .perHour) { $0.perHour($0.deadShownOnline.inSeconds) },
            row("active probes", .perHour) { $0.perHour(Double($0.activeProbes)) },
        ]
    }

    private static let variants = DebounceRule.allCases.map { rule in
        var settings = OfflineSettings()
        settings.network.debounceRule = rule
        return Variant(name: rule.rawValue, settings: settings)
    }
}
