import Base

internal import OfflineCore
internal import Simulation

/// What the machine decides on random links, in simulated time, compared with the best of the other detectors
/// on the same links: at least 288 simulated hours for each row.
struct DetectionFigures: RowMeasure {
    private static let trials = 300
    private static let hour = Duration.seconds(3_600)

    let seed: UInt64

    func rows(in workshop: Workshop) -> [Row] {
        blackholes() + darkHubs() + [carrierLost()] + recoveries() + falseOfflines() + probes()
    }

    // MARK: Finding an outage

    private func blackholes() -> [Row] {
        let pinged = trials()
        let silent = trials { $0.respondsToPing = false }
        let busy = trials(saleInterval: .seconds(5))
        return [
            row("blackhole, idle, ping answers, p50", pinged, atMost: 17e9) { $0.median() },
            row("blackhole, idle, ping answers, max", pinged, atMost: 26e9) { $0.largest() },
            row("blackhole, idle, no ping, max", silent, atMost: 28e9) { $0.largest() },
            row("blackhole, traffic, from first dead push, max", busy, atMost: 11e9) { $0.largest() },
        ]
    }

    /// Runs of an hour, each cut forever at a random moment; how long after the cut, or with traffic after
    /// the first push after it, each detector shows it.
    private func trials(
        saleInterval: Duration? = nil, _ change: (inout SimulatedLink) -> Void = { _ in }
    ) -> Field {
        var seeds = SplitMix64(seed: seed)
        var field = Field()
        for _ in 0..<Self.trials {
            let cut = Self.cutMoment(&seeds)
            let trace = LinkTrace(holes: [Hole(start: cut, length: Self.hour)], for: Self.hour)
            var link = SimulatedLink(outage: .recorded(trace))
            change(&link)
            let sales = (saleInterval.map(SalePace.every) ?? .none).moments(for: Self.hour)
            var contest = Contest()
            contest.add(link, outages: trace.outages, until: trace.end, sales: sales, seed: seeds.next())
            let queried = (sales.first { $0 >= cut } ?? cut) - cut
            // A detector that was offline before has detected nothing.
            field.add(contest) { figures in
                figures.needless == 0 && figures.slowestFinding > .zero
                    ? figures.slowestFinding - queried : nil
            }
        }
        return field
    }

    /// A hub whose machine responds to pings, and whose port drops, accepts and is silent, or never finishes
    /// a TLS handshake, in turn.
    ///
    /// T1 begins at the first failure, which is known 3 s after its request began: with traffic T1 + 3 s
    /// after the first push without a response. The first such request of an idle till is mostly a query to
    /// QoS, whose silence makes it probe: T1 + 6 s. The schedule decides when that query is sent (every 30 s,
    /// and each postpones the probe); another row counts from the cut.
    private func darkHubs() -> [Row] {
        let dark = SimulatedLink.Darkness.allCases.filter { $0 != .everything }
        var kind = 0
        let idle = trials { link in
            link.darkness = dark[kind % dark.count]
            kind += 1
        }
        var (queried, sold) = (Samples(), Samples())
        for darkness in dark {
            addDelays(in: darkness, saleInterval: nil, to: &queried)
            addDelays(in: darkness, saleInterval: .seconds(5), to: &sold)
        }
        return [
            row("dark hub, idle, from the cut, p50", idle) { $0.median() },
            row("dark hub, idle, from the cut, max", idle) { $0.largest() },
            Row(
                name: "dark hub, idle, from first dead request, p50", figure: queried.median(),
                unit: .seconds, aim: .atMost(14e9)),
            Row(
                name: "dark hub, traffic, from first dead push, p50", figure: sold.median(),
                unit: .seconds, aim: .atMost(11e9)),
        ]
    }

    /// How long after its first unanswered request the till is offline.
    private func addDelays(
        in darkness: SimulatedLink.Darkness, saleInterval: Duration?, to samples: inout Samples
    ) {
        var seeds = SplitMix64(seed: seed)
        for _ in 0..<Self.trials / 3 {
            let cut = Self.cutMoment(&seeds)
            let trace = LinkTrace(holes: [Hole(start: cut, length: Self.hour)], for: Self.hour)
            var link = SimulatedLink(outage: .recorded(trace))
            link.darkness = darkness
            var till = SimulatedTill(
                TillPlan(link: link, sales: saleInterval.map(SalePace.every) ?? .none, seed: seeds.next()))
            till.run(until: trace.end) { !$0.switches.isEmpty }
            guard let queried = till.firstWithoutResponse, let switched = till.switches.first else {
                continue
            }
            samples.add((switched.at - queried).wholeNanoseconds)
        }
    }

    /// The kernel reports it, so nobody must probe for it.
    private func carrierLost() -> Row {
        var seeds = SplitMix64(seed: seed)
        var samples = Samples()
        let gone = PathStatus(
            isUsable: false, interface: "eth0", transport: .ethernet, isMetered: false, isConstrained: false,
            route: "")
        for _ in 0..<Self.trials {
            let cut = Self.cutMoment(&seeds)
            let trace = LinkTrace(holes: [Hole(start: cut, length: Self.hour)], for: Self.hour)
            var plan = TillPlan(link: SimulatedLink(outage: .recorded(trace)), seed: seeds.next())
            plan.script.append(RecordedEvent(at: cut, event: .pathChanged(gone)))
            let run = LinkRun(name: Contest.till, plan: plan, outages: trace.outages, until: trace.end)
            samples.add(run.figures.slowestFinding.wholeNanoseconds)
        }
        return Row(
            name: "carrier lost, max", figure: samples.largest(), unit: .seconds,
            // `nm-device.c` at 355bc90 defers the loss of a carrier by 6 s.
            yardstick: ("NetworkManager", 6e9), aim: .atMost(5e9))
    }

    // MARK: Recovery

    private func recoveries() -> [Row] {
        var seeds = SplitMix64(seed: seed)
        var field = Field()
        for _ in 0..<Self.trials {
            let cut = Self.cutMoment(&seeds)
            let back = cut + .seconds(180)
            let trace = LinkTrace(holes: [Hole(start: cut, length: back - cut)], for: Self.hour)
            var contest = Contest()
            contest.add(
                SimulatedLink(outage: .recorded(trace)), outages: trace.outages, until: trace.end, sales: [],
                seed: seeds.next())
            // A detector that missed the outage has no recovery.
            field.add(contest) { $0.falseOffline > .zero ? $0.falseOffline : nil }
        }
        return [
            row("recovery after 180 s, p50", field) { $0.median() },
            row("recovery after 180 s, max", field, atMost: 28.5e9) { $0.largest() },
        ]
    }

    // MARK: False alarms

    private func falseOfflines() -> [Row] {
        let (up, down) = (Duration.seconds(30), Duration.seconds(2))
        let flapping = SimulatedLink.Outage.flapping(up: up, down: down)
        return [
            falseOffline("10 % loss", days: 12, atMost: 0) { _ in SimulatedLink(lossPerMille: 100) },
            falseOffline("30 % loss", days: 42, atMost: 0.1) { _ in SimulatedLink(lossPerMille: 300) },
            falseOffline("30 s on, 2 s off", days: 42, atMost: 0.25) { _ in SimulatedLink(outage: flapping) },
            falseOffline("the same, drawn", days: 42, atMost: 0.25) { seed in
                SimulatedLink(outage: .recorded(.drawn(up: up, down: down, for: Scenario.day, seed: seed)))
            },
        ]
    }

    private func falseOffline(
        _ name: String, days: Int, atMost limit: Double, _ link: (UInt64) -> SimulatedLink
    ) -> Row {
        let rates = figures(days: days, saleInterval: nil, on: link)
            .map { (name: $0.name, value: $0.figures.perHour(Double($0.figures.needless))) }
        return Row(
            name: "false offline, \(name), \(24 * days) h", figure: rates[0].value, unit: .perHour,
            yardstick: rates.dropFirst().min { $0.value < $1.value }, aim: .atMost(limit))
    }

    // MARK: Costs

    private func probes() -> [Row] {
        let dead = SimulatedLink.Outage.blackhole(
            start: Instant(nanoseconds: 0) + .seconds(600), end: Instant(nanoseconds: .max))
        return [
            probes("idle", SimulatedLink(), atMost: 300),
            probes("a push every 5 s", SimulatedLink(), saleInterval: .seconds(5), atMost: 0),
            probes("long outage", SimulatedLink(outage: dead), atMost: 300),
        ]
    }

    /// The till's are counted over 288 h after a first hour; the others' over as long.
    private func probes(
        _ name: String, _ link: SimulatedLink, saleInterval: Duration? = nil, atMost limit: Double
    ) -> Row {
        let sales = saleInterval.map(SalePace.every) ?? .none
        var till = SimulatedTill(TillPlan(link: link, sales: sales, seed: seed))
        till.run(until: Instant(nanoseconds: 0) + Self.hour)
        let before = till.activeProbes
        till.run(until: Instant(nanoseconds: 0) + Self.hour * 289)
        let others = figures(days: 12, saleInterval: saleInterval) { _ in link }.dropFirst()
            .map { (name: $0.name, value: $0.figures.perHour(Double($0.figures.activeProbes))) }
        return Row(
            name: "active probes, \(name), 288 h", figure: Double(till.activeProbes - before) / 288,
            unit: .perHour, yardstick: others.min { $0.value < $1.value }, aim: .atMost(limit))
    }

    // MARK: Shared

    /// - Parameter link: a day's, by its seed.
    private func figures(
        days: Int, saleInterval: Duration?, on link: (UInt64) -> SimulatedLink
    ) -> [LinkRun] {
        var seeds = SplitMix64(seed: seed)
        var contest = Contest()
        let sales = (saleInterval.map(SalePace.every) ?? .none).moments(for: Scenario.day)
        for _ in 0..<days {
            contest.add(
                link(seeds.next()), outages: TimeRanges(), until: Instant(nanoseconds: 0) + Scenario.day,
                sales: sales,
                seed: seeds.next())
        }
        return contest.runs
    }

    private func row(
        _ name: String, _ field: Field, atMost limit: Double? = nil, _ figure: (inout Samples) -> Double
    ) -> Row {
        var values = field.samples.filter { $0.count > 0 }.map { one -> (name: String, value: Double) in
            var samples = one.samples
            return (one.name, figure(&samples))
        }
        let mine = values.removeFirst()
        return Row(
            name: name, figure: mine.value, unit: .seconds, yardstick: values.min { $0.value < $1.value },
            aim: limit.map(Row.Aim.atMost))
    }

    /// Within forty minutes after the first ten, so that every phase of everybody's schedule is met.
    private static func cutMoment(_ random: inout SplitMix64) -> Instant {
        Instant(nanoseconds: 0) + .seconds(600) + random.upTo(.seconds(2_400))
    }
}

/// What each of a contest took, trial by trial.
private struct Field {
    private(set) var samples: [(name: String, count: Int, samples: Samples)] = []

    /// - Parameter value: nil for a trial that says nothing of this one.
    mutating func add(_ contest: Contest, _ value: (LinkFigures) -> Duration?) {
        if samples.isEmpty { samples = contest.runs.map { ($0.name, 0, Samples()) } }
        for (index, run) in contest.runs.enumerated() {
            guard let taken = value(run.figures) else { continue }
            samples[index].samples.add(taken.wholeNanoseconds)
            samples[index].count += 1
        }
    }
}
