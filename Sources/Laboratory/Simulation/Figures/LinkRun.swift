import OfflineCore
package import Base

/// One simulation run of a till on one link: when it showed offline, and the figures.
package struct LinkRun: Sendable {
    /// The variant or the detector that ran.
    package let name: String
    /// When it showed offline, until the end of the run.
    package private(set) var offline: TimeRanges
    /// The comparison of ``offline`` with the link's outages.
    package private(set) var figures: LinkFigures

    /// Makes a run from results that were computed elsewhere.
    package init(name: String, offline: TimeRanges, figures: LinkFigures) {
        self.name = name
        self.offline = offline
        self.figures = figures
    }

    mutating func append(_ run: LinkRun, shiftedBy offset: Duration) {
        offline.append(run.offline.shifted(by: offset))
        figures = figures + run.figures
    }

    /// Simulates `plan` until `end`.
    ///
    /// - Parameter outages: when the link of the plan is dead until then.
    package init(name: String, plan: TillPlan, outages: TimeRanges, until end: Instant) {
        var till = SimulatedTill(plan)
        till.run(until: end)
        let isOfflineFirst = plan.machine.causes.contains(.network)
        let offline = TimeRanges(switches: till.switches.map { ($0.at, $0.mode == .offline) }, until: end)
        var figures = LinkFigures(
            watched: end - plan.start, outages: outages, offline: offline, waiting: till.waiting,
            activeProbes: till.activeProbes)
        figures.count(switches: till.switches.count - (isOfflineFirst ? 1 : 0))
        self.init(name: name, offline: offline, figures: figures)
    }
}

extension TimeRanges {
    /// The intervals from a switch to true to the next to false, or to `end`.
    package init(switches: [(at: Instant, isOn: Bool)], until end: Instant) {
        self.init()
        var since: Instant?
        for (at, isOn) in switches {
            if isOn, since == nil { since = at }
            if !isOn, let start = since {
                add(start, at)
                since = nil
            }
        }
        if let since { add(since, end) }
    }
}
