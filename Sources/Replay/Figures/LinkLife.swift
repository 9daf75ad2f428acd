public import OfflineCore

/// One till's life on one link: when it showed offline, and the figures of that.
public struct LinkLife: Sendable {
    public let name: String
    public private(set) var offline: TimeRanges
    public private(set) var figures: LinkFigures

    public init(name: String, offline: TimeRanges, figures: LinkFigures) {
        self.name = name
        self.offline = offline
        self.figures = figures
    }

    mutating func append(_ life: LinkLife, shiftedBy offset: Duration) {
        offline.append(life.offline.shifted(by: offset))
        figures = figures + life.figures
    }

    /// Lives by `plan` until `end`.
    ///
    /// - Parameter outages: when the link of the plan is dead until then.
    public init(name: String, plan: TillPlan, outages: TimeRanges, until end: Instant) {
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
    /// The stretches between a switch to true and the next to false, or `end`.
    public init(switches: [(at: Instant, isOn: Bool)], until end: Instant) {
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
