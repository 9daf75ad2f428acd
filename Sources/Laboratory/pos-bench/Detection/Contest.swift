import Base

internal import OfflineCore
internal import Simulation

/// The till and the other detectors on the same links with the same sales, summed over several of them.
struct Contest {
    static let till = "Holdfast"

    /// By name, the till first.
    private(set) var runs = ([till] + otherDetectors.map { $0.name }).map {
        LinkRun(name: $0, offline: TimeRanges(), figures: LinkFigures())
    }

    /// All run on `link` until `end`; the others send their first probe within the first five minutes, or
    /// the first tenth of the time, so that their schedules are at a random phase.
    mutating func add(
        _ link: SimulatedLink, outages: TimeRanges, until end: Instant, sales: [Instant], seed: UInt64
    ) {
        var seeds = SplitMix64(seed: seed)
        let zero = Instant(nanoseconds: 0)
        let plan = TillPlan(link: link, sales: sales.isEmpty ? .none : .listed(sales), seed: seeds.next())
        var added = [LinkRun(name: Self.till, plan: plan, outages: outages, until: end)]
        for detector in otherDetectors {
            let start = zero + seeds.upTo(min(.seconds(300), (end - zero) / 10))
            let network = SimulatedProbe(link: link, traffic: sales, seed: seeds.next())
            added.append(detector.run(on: network, from: start, outages: outages, until: end))
        }
        runs = zip(runs, added).map { sum, run in
            LinkRun(name: sum.name, offline: TimeRanges(), figures: sum.figures + run.figures)
        }
    }

    /// The others that are better than the till in one of a pair of figures and no worse in the other.
    func better(by frontier: Frontier) -> [String] {
        frontier.better(than: runs[0], among: Array(runs.dropFirst()))
    }
}
