import Base

internal import OfflineCore
internal import Simulation

/// How late an outage is detected against how often and how long a till is offline without one: this till's
/// machine compared with models of four other detectors with their default parameters, on the same links.
///
/// 288 simulated hours for each kind of link. The aim is the frontier: on no link is another detector better
/// in one of both figures and no worse in the other.
struct DetectorTable: Measure {
    private static let days = 12

    let seed: UInt64
    let svg: String?
    let recordings: String?

    func run(in workshop: Workshop, show: (String) -> Void) throws(BenchFailure) {
        var chart = PanelChart(
            title: "Found late or offline for nothing, seed \(seed)",
            across: "outages of 30 s and more are found after (median, s)",
            up: "offline for nothing (times an hour)")
        show(Self.heading)
        for scenario in Scenario.all {
            report(scenario.name, contest(on: scenario), &chart, show)
        }
        if let recordings {
            for family in try RecordedLinks.families(
                in: recordings, log: workshop.folder("detectors") + "/log")
            {
                report("recorded: \(family.name)", contest(on: family), &chart, show)
            }
        }
        if let svg { try TextFile.write(chart.svg, to: svg) }
    }

    private func contest(on scenario: Scenario) -> Contest {
        var seeds = SplitMix64(seed: seed)
        var contest = Contest()
        for _ in 0..<Self.days {
            let link = scenario.link(seed: seeds.next())
            guard case .recorded(let trace) = link.outage else { continue }
            contest.add(
                link, outages: trace.outages, until: trace.end, sales: scenario.sales(seed: seeds.next()),
                seed: seeds.next())
        }
        return contest
    }

    /// Short recordings are simulated several times, each time with another phase of the schedules.
    private func contest(on family: RecordedLinks) -> Contest {
        var seeds = SplitMix64(seed: seed)
        var contest = Contest()
        for trace in family.traces {
            let span = (trace.end - Instant(nanoseconds: 0)).inSeconds
            for _ in 0..<max(1, min(20, Int(14_400 / max(1, span)))) {
                contest.add(
                    SimulatedLink(outage: .recorded(trace)), outages: trace.outages, until: trace.end,
                    sales: [], seed: seeds.next())
            }
        }
        return contest
    }

    private func report(
        _ name: String, _ contest: Contest, _ chart: inout PanelChart, _ show: (String) -> Void
    ) {
        show(name)
        for run in contest.runs { show(Self.line(run)) }
        chart.add(
            name,
            contest.runs.map { run in
                PanelChart.Point(
                    name: run.name, x: run.figures.medianFinding?.inSeconds ?? 0,
                    y: run.figures.perHour(Double(run.figures.needless)))
            })
        for frontier in [Frontier.usual, .worst] {
            let better = contest.better(by: frontier)
            let row = Row(
                name: "  better by \(frontier.name)", figure: Double(better.count), unit: .count,
                aim: .atMost(0))
            show(row.text + (better.isEmpty ? "" : ": " + better.joined(separator: ", ")))
        }
    }

    private static let heading = columns(
        "line, detector", "found p50", "max", "missed", "needless", "offline, fine", "online, dead",
        "questions")

    private static func line(_ run: LinkRun) -> String {
        let figures = run.figures
        func share(_ duration: Duration) -> String {
            "\(fixed(100 * duration.inSeconds / max(1, figures.watched.inSeconds), places: 2)) %"
        }
        let hasOutages = figures.trueOutages > 0
        return columns(
            "  \(run.name)", figures.medianFinding.map { "\(fixed($0.inSeconds, places: 1)) s" } ?? "-",
            hasOutages ? "\(fixed(figures.slowestFinding.inSeconds, places: 1)) s" : "-",
            "\(figures.missed)/\(figures.trueOutages)",
            "\(fixed(figures.perHour(Double(figures.needless)), places: 2))/h", share(figures.falseOffline),
            share(figures.deadShownOnline),
            "\(fixed(figures.perHour(Double(figures.activeProbes)), places: 0))/h")
    }

    private static func columns(_ name: String, _ texts: String...) -> String {
        texts.reduce(name + String(repeating: " ", count: max(0, 28 - name.count))) { line, text in
            line + String(repeating: " ", count: max(1, 15 - text.count)) + text
        }
    }
}
