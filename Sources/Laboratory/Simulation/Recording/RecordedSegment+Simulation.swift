import Base
package import OfflineCore

extension RecordedSegment {
    /// The run of the till that made the recording.
    package func recordedLife(budget: Duration) -> LinkRun {
        let offline = TimeRanges(switches: causeChanges, until: end)
        var figures = LinkFigures(
            watched: end - start, outages: outages, offline: offline, waiting: waiting(budget),
            activeProbes: activeProbes)
        let isOfflineFirst = causeChanges.first.map { $0.isOn && $0.at == start } ?? false
        figures.count(switches: causeChanges.count - (isOfflineFirst ? 1 : 0))
        return LinkRun(name: "recorded", offline: offline, figures: figures)
    }

    /// A simulation run with other settings: the real machine sends its own probes over the link that the
    /// recording shows, and the recorded pushes are made at their recorded times.
    package func run(named name: String, settings: OfflineSettings, budget: Duration) -> LinkRun {
        var plan = TillPlan(link: SimulatedLink(), settings: settings, seed: seed)
        plan.startup = startup
        plan.start = start
        plan.ways = ways
        plan.sales = .listed(pushes.map(\.startedAt).sorted())
        plan.budget = budget
        plan.script = script
        return LinkRun(name: name, plan: plan, outages: outages, until: end)
    }

    private func waiting(_ budget: Duration) -> Duration {
        var waitBudget = CashierWaitBudget()
        var sum = Duration.zero
        for push in pushes.sorted(by: { $0.startedAt < $1.startedAt }) {
            sum += waitBudget.wait(forPushOf: push.took, budget)
        }
        return sum
    }
}
