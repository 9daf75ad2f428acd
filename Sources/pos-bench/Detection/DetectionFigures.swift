internal import OfflineCore
internal import Replay

/// What the machine decides on drawn links, in simulated time, on seeds that nothing was tuned with.
struct DetectionFigures: Measure {
    private static let trials: UInt64 = 300
    /// Kept apart from every seed of the tests.
    private static let firstSeed: UInt64 = 0x9_0000

    func rows(in workshop: Workshop) -> [Row] {
        blackholes() + recoveries() + falseOfflines() + probes()
    }

    // MARK: Finding an outage

    private func blackholes() -> [Row] {
        var pinged = convictions(answersPing: true, saleInterval: nil)
        var silent = convictions(answersPing: false, saleInterval: nil)
        var busy = convictions(answersPing: true, saleInterval: .seconds(5))
        return [
            row("blackhole, idle, ping answers, p50", pinged.median(), atMost: 17e9),
            row("blackhole, idle, ping answers, max", pinged.largest(), atMost: 26e9),
            row("blackhole, idle, no ping, max", silent.largest(), atMost: 28e9),
            row("blackhole, traffic, from first dead push, max", busy.largest(), atMost: 11e9),
        ]
    }

    /// How long after the cut each trial was convicted; with traffic, after the first push that was not
    /// answered.
    private func convictions(answersPing: Bool, saleInterval: Duration?) -> Samples {
        var samples = Samples()
        for trial in 0..<Self.trials {
            let cut = cutMoment(trial)
            var link = SimulatedLink(outage: .blackhole(start: cut, end: cut + .seconds(600)))
            link.answersPing = answersPing
            var till = till(on: link, saleInterval: saleInterval, seed: Self.firstSeed + trial)
            till.run(until: cut + .seconds(600)) { $0.mode == .offline && $0.now > cut }
            samples.add((till.now - (till.firstStall ?? cut)).wholeNanoseconds)
        }
        return samples
    }

    // MARK: Finding back

    private func recoveries() -> [Row] {
        var samples = Samples()
        for trial in 0..<Self.trials {
            let cut = cutMoment(trial)
            let back = cut + .seconds(180)
            let link = SimulatedLink(outage: .blackhole(start: cut, end: back))
            var till = till(on: link, seed: Self.firstSeed + trial)
            till.run(until: back + .seconds(600)) { $0.mode == .online && $0.now > back }
            samples.add((till.now - back).wholeNanoseconds)
        }
        return [
            row("recovery after 180 s, p50", samples.median()),
            row("recovery after 180 s, max", samples.largest(), atMost: 28.5e9),
        ]
    }

    // MARK: Crying wolf

    private func falseOfflines() -> [Row] {
        let flapping = SimulatedLink.Outage.flapping(up: .seconds(30), down: .seconds(2))
        return [
            falseOffline("10 % loss", SimulatedLink(lossPerMille: 100), hours: 288, atMost: 0),
            falseOffline("30 % loss", SimulatedLink(lossPerMille: 300), hours: 1_000, atMost: 0.1),
            falseOffline("30 s on, 2 s off", SimulatedLink(outage: flapping), hours: 1_000, atMost: 0.25),
        ]
    }

    private func falseOffline(
        _ name: String, _ link: SimulatedLink, hours: Int64, atMost limit: Double
    ) -> Row {
        let days = (hours + 23) / 24
        var count = 0
        for day in 0..<days {
            var till = till(on: link, seed: Self.firstSeed + 1_000 + UInt64(day))
            till.run(until: Instant(nanoseconds: hours * 3_600_000_000_000 / days))
            count += till.switches.count { $0.mode == .offline }
        }
        return Row(
            name: "false offline, \(name), \(hours) h", figure: Double(count) / Double(hours), unit: .perHour,
            aim: .atMost(limit))
    }

    // MARK: What it costs

    private func probes() -> [Row] {
        let dead = SimulatedLink.Outage.blackhole(
            start: Instant(nanoseconds: 0) + .seconds(600), end: Instant(nanoseconds: .max))
        return [
            activeProbes("idle", SimulatedLink(), atMost: 300),
            activeProbes("a push every 5 s", SimulatedLink(), saleInterval: .seconds(5), atMost: 0),
            activeProbes("long outage", SimulatedLink(outage: dead), atMost: 300),
        ]
    }

    /// Counted over 24 h after a first hour.
    private func activeProbes(
        _ name: String, _ link: SimulatedLink, saleInterval: Duration? = nil, atMost limit: Double
    ) -> Row {
        var till = till(on: link, saleInterval: saleInterval, seed: Self.firstSeed)
        till.run(until: Instant(nanoseconds: 3_600_000_000_000))
        let before = till.activeProbes
        till.run(until: Instant(nanoseconds: 25 * 3_600_000_000_000))
        return Row(
            name: "active probes, \(name)", figure: Double(till.activeProbes - before) / 24, unit: .perHour,
            aim: .atMost(limit))
    }

    // MARK: Shared

    private func till(on link: SimulatedLink, saleInterval: Duration? = nil, seed: UInt64) -> SimulatedTill {
        let sales = saleInterval.map(SalePace.every) ?? .none
        return SimulatedTill(TillPlan(link: link, sales: sales, seed: seed))
    }

    /// Somewhere within two minutes after the first ten, so that every phase of the schedule is met.
    private func cutMoment(_ trial: UInt64) -> Instant {
        var random = SplitMix64(seed: Self.firstSeed + 2_000 + trial)
        return Instant(nanoseconds: 600_000_000_000 + Int64(random.below(120_000_000_000)))
    }

    private func row(_ name: String, _ figure: Double, atMost limit: Double? = nil) -> Row {
        Row(name: name, figure: figure, unit: .seconds, aim: limit.map(Row.Aim.atMost))
    }
}
